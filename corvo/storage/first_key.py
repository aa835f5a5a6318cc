"""First key: an admin's key that was made for a stopped node, and waits in its folder to be taken in.

    first-key.json   what the node needs of it: id, name, hash
    admin.key        the key itself, for the person who made it

The node takes it for valid from its first request on, hands it to the cluster as soon as it can, and removes
`first-key.json` then. `admin.key` is the reader's to move away; the node never reads it.
"""

import json
import os
from pathlib import Path
from typing import Final

import msgspec

from corvo.core.access.api_key import HASH_BYTES, hash_of, new_key
from corvo.core.clock import Clock
from corvo.core.ids import IdSource

WAITING: Final = "first-key.json"
SHOWN: Final = "admin.key"
#: What may be left of them by a process that was killed while it wrote.
DRAFTS: Final = frozenset({WAITING + ".tmp", SHOWN + ".tmp"})


class FirstKey(msgspec.Struct, frozen=True):
    key_id: str
    name: str
    hash: str


def make_first_key(folder: Path, name: str, clock: Clock) -> tuple[str, Path]:
    """A new admin's key for the node of this folder: the key, and the file that holds it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = new_key()
    waiting = FirstKey(IdSource(clock).new("key"), name, hash_of(key).hex())
    _write(folder / SHOWN, key + "\n")
    _write(folder / WAITING, json.dumps(msgspec.to_builtins(waiting)) + "\n")
    return key, folder / SHOWN


def waiting_key(folder: Path) -> FirstKey | None:
    """The key that waits to be taken in, if one does. Raises ValueError if its file is damaged."""
    try:
        text = (folder / WAITING).read_bytes()
    except FileNotFoundError:
        return None
    waiting = msgspec.json.decode(text, type=FirstKey)
    if len(bytes.fromhex(waiting.hash)) != HASH_BYTES:
        raise ValueError("the hash has another length")
    return waiting


def taken_in(folder: Path) -> None:
    (folder / WAITING).unlink(missing_ok=True)


def give_to_owner(descriptor: int, folder: Path) -> None:
    """`sudo corvo init`: the node runs as the user whose folder it is, and has to read what is made in it."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def _write(file: Path, text: str) -> None:
    """Whole and synced or not at all, and for its owner only from the first byte on."""
    draft = file.with_name(file.name + ".tmp")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as stream:
        give_to_owner(stream.fileno(), file.parent)
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
