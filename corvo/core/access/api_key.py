"""API keys: what a client shows to say who it is, and what the server remembers of it.

    corvo_<32 random characters><6 characters of checksum>

The random part has 190 bits. The prefix lets people and scanners of source code recognise a key, the
checksum tells a mistyped one from a wrong one without a look at the store. The server keeps a hash only:
a key is as random as its hash is long, so there is nothing to guess and no salt is needed.
"""

import secrets
import zlib
from hashlib import sha256
from typing import Final

import msgspec

PREFIX: Final = "corvo_"
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARS: Final = 32
_CHECK_CHARS: Final = 6
HASH_BYTES: Final = 32
KEY_CHARS: Final = len(PREFIX) + _RANDOM_CHARS + _CHECK_CHARS


class KeySecret(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One secret of a key. While a key is rotated it has two."""

    hash: bytes
    created_ns: int
    #: When it stops counting, because a newer one has taken its place.
    until_ns: int | None = None


class ApiKey(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: str
    name: str
    #: The namespace it belongs to, or `*`.
    namespace: str
    #: A built-in role, or one that admins have made.
    role: str
    #: Globs of the queues it may touch; none for all.
    scope: tuple[str, ...]
    #: The newest last.
    secrets: tuple[KeySecret, ...]
    created_ns: int
    #: Who made it.
    created_by: str
    enabled: bool = True
    expires_ns: int | None = None
    #: To within a minute.
    last_used_ns: int | None = None
    #: Further roles, whose permissions are added to those of `role`.
    roles: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """Names the key in the API: of its newest secret, as hexadecimal digits."""
        return self.secrets[-1].hash.hex()


def new_key() -> str:
    random = "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_CHARS))
    return PREFIX + random + _checksum(PREFIX + random)


def is_well_formed(key: str) -> bool:
    """Whether it may be a key of this server at all. Says nothing of whether it is one."""
    if len(key) != KEY_CHARS or not key.startswith(PREFIX) or not key.isascii() or not key[6:].isalnum():
        return False
    return _checksum(key[:-_CHECK_CHARS]) == key[-_CHECK_CHARS:]


def hash_of(key: str) -> bytes:
    return sha256(key.encode()).digest()


def _checksum(text: str) -> str:
    value, spelled = zlib.crc32(text.encode()), ""
    for _ in range(_CHECK_CHARS):
        value, digit = divmod(value, len(_ALPHABET))
        spelled = _ALPHABET[digit] + spelled
    return spelled


_decoder: Final = msgspec.msgpack.Decoder(ApiKey)
encode_key = msgspec.msgpack.Encoder().encode
decode_key = _decoder.decode
