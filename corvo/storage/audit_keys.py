"""Keys of the audit log. Its families are in the schema (keys.py) like all others."""

from struct import Struct

from corvo.storage.keys import AUDIT, AUDIT_BOUNDS, AUDIT_TIME

_U64 = Struct(">Q")
_U64_MAX = (1 << 64) - 1


def prefix(namespace: str) -> bytes:
    return AUDIT + namespace.encode() + b"\0"


def record(namespace: str, number: int) -> bytes:
    return prefix(namespace) + _U64.pack(number)


def parse_record(key: bytes) -> tuple[str, int]:
    return key[len(AUDIT) : -9].decode(), _U64.unpack(key[-8:])[0]


def time(at_ns: int) -> bytes:
    """Inverted, because a store is read forwards and the newest records are wanted first."""
    return AUDIT_TIME + _U64.pack(_U64_MAX - at_ns)


def parse_time(key: bytes) -> int:
    inverted: int = _U64.unpack(key[len(AUDIT_TIME) :])[0]
    return _U64_MAX - inverted


def bounds(namespace: str) -> bytes:
    return AUDIT_BOUNDS + namespace.encode()
