"""The document of a unique lock."""

from typing import Final

import msgspec

from corvo.core.job import UniqueUntil
from corvo.core.namespace import Qualified
from corvo.storage import keys


class Lock(msgspec.Struct, array_like=True, frozen=True, gc=False):
    job_id: str
    expires_ns: int
    until: UniqueUntil


def expiry_key(queue: Qualified, unique_key: str, lock: Lock) -> bytes:
    """The entry that lets the lock be found when its period has passed."""
    return keys.timed(keys.UNIQUE_EXPIRY, lock.expires_ns, f"{queue}\0{unique_key}")


def parse_expiry_name(name: str) -> tuple[Qualified, str]:
    queue, _, unique_key = name.partition("\0")
    return Qualified(queue), unique_key


_decoder: Final = msgspec.msgpack.Decoder(Lock)
encode_lock = msgspec.msgpack.Encoder().encode
decode_lock = _decoder.decode
