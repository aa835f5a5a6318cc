"""Open or shut: which credentials a node has by itself, and whether it may do without any.

settings, data folder -> [opening] -> access control
"""

from pathlib import Path

from corvo.config import Config
from corvo.consensus.errors import RefusedToStart
from corvo.core.access.api_key import hash_of, is_well_formed
from corvo.core.access.permissions import BUILT_IN
from corvo.core.access.principal import Principal
from corvo.core.hosts import host_of, is_loopback
from corvo.core.namespace import ALL
from corvo.http.serve.access.keyring import Holder
from corvo.ops.access import SetKey
from corvo.storage.first_key import FirstKey, waiting_key

#: What a node calls the key of its `--api-key-file`.
_FILE_KEY = "file"


class AccessProblem(RefusedToStart):
    """The node would be open to everybody, or a file with a key cannot be used."""


def may_be_open(config: Config) -> bool:
    """Whether the node may serve clients without a credential as long as there is no key at all."""
    return config.insecure_open or is_loopback(host_of(config.bind) or "127.0.0.1")


def first_key(folder: Path) -> FirstKey | None:
    try:
        return waiting_key(folder)
    except ValueError as error:
        raise AccessProblem(
            f"{folder} has a damaged first-key.json ({error}); run `corvo init {folder}` again"
        ) from None
    except OSError as error:
        raise AccessProblem(
            f"{folder} has a first-key.json that cannot be read ({error.strerror}); give it to the user that "
            "the node runs as"
        ) from None


def own_credentials(config: Config, first: FirstKey | None) -> list[Holder]:
    """Credentials that count on this node, whatever the cluster knows."""
    holders = []
    if first is not None:
        holders.append(_admin(first.key_id, first.name, bytes.fromhex(first.hash)))
    if config.api_key_file:
        holders.append(_admin(_FILE_KEY, _FILE_KEY, hash_of(_read_key(Path(config.api_key_file)))))
    return holders


def _admin(key_id: str, name: str, digest: bytes) -> Holder:
    principal = Principal(f"key:{name}", namespace=ALL, role="admin", permissions=BUILT_IN["admin"])
    return Holder(key_id, principal, digest, until_ns=None)


def _read_key(file: Path) -> str:
    try:
        key = file.read_text().strip()
    except (OSError, ValueError) as error:
        raise AccessProblem(f"--api-key-file: {file} cannot be read: {error}") from None
    if not is_well_formed(key):
        raise AccessProblem(
            f"--api-key-file: {file} does not hold an API key of Corvo. `corvo keys new` makes one."
        )
    return key


def check_open(config: Config, *, has_credentials: bool) -> None:
    """Everybody who reaches an open node may do everything, so it is not opened to other machines unasked."""
    joins = bool(config.join or config.discover)
    if may_be_open(config) or has_credentials or joins:
        return
    raise AccessProblem(
        f"--bind {config.bind} is open to other machines, and no key protects it. Run `corvo init "
        f"{config.data_dir}` to make the first key and start again, or bind to 127.0.0.1. (--insecure-open "
        "serves everybody who can reach it.)"
    )


def op_of(first: FirstKey) -> SetKey:
    """Has the cluster know the key that was made for this node's folder."""
    return SetKey(
        key_id=first.key_id,
        name=first.name,
        namespace=ALL,
        role="admin",
        scope=(),
        hash=bytes.fromhex(first.hash),
        enabled=True,
        expires_ns=None,
        made_by="corvo init",
    )
