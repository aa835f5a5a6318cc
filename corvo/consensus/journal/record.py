"""One record of the journal: a fixed head, then the payload.

    <magic:4><crc:u32><length:u32><kind:u8><pad:3><index:u64><term:u64><synced:u64> payload

All little-endian. The checksum covers everything behind it and starts from the record's own place in
the log, so bytes that ended up somewhere else are not taken for a record.

`synced` is how far the log was durable when this record was written. It is what tells a write lost in
a power cut from damage: a hole that a later record calls durable cannot be a lost write.
"""

import enum
import zlib
from dataclasses import dataclass
from struct import Struct
from typing import Final

MAGIC: Final = b"\xc7CVO"
_START = Struct("<4sI")
_REST = Struct("<IB3xQQQ")
HEAD_BYTES: Final = _START.size + _REST.size
assert HEAD_BYTES == 40


class RecordKind(enum.IntEnum):
    #: An entry of the log. One whose index is already taken replaces that entry and all behind it.
    ENTRY = 1
    #: The current term, and in the payload whom this node voted for in it.
    TERM = 2
    #: The log begins anew behind this index: a snapshot replaced what was before.
    RESET = 3


_KINDS: Final = frozenset(RecordKind)


@dataclass(frozen=True, slots=True)
class Record:
    kind: int
    index: int
    term: int
    synced: int
    payload: bytes
    #: Where the record ends, counted from the beginning of its file.
    end: int


def head(kind: RecordKind, index: int, term: int, *, synced: int, payload: bytes, place: int) -> bytes:
    """The bytes that go before the payload of a record at `place`, a byte position in the whole log."""
    rest = _REST.pack(len(payload), kind, index, term, synced)
    return _START.pack(MAGIC, zlib.crc32(payload, zlib.crc32(rest, place & 0xFFFFFFFF))) + rest


def read(data: bytes, at: int, place: int) -> Record | None:
    """The record at this offset of a file, or None if there is no sound one. `place` is that of the file."""
    if len(data) < at + HEAD_BYTES:
        return None
    magic, checksum = _START.unpack_from(data, at)
    length, kind, index, term, synced = _REST.unpack_from(data, at + _START.size)
    end = at + HEAD_BYTES + length
    if magic != MAGIC or kind not in _KINDS or end > len(data):
        return None
    rest = data[at + _START.size : at + HEAD_BYTES]
    payload = data[at + HEAD_BYTES : end]
    if zlib.crc32(payload, zlib.crc32(rest, (place + at) & 0xFFFFFFFF)) != checksum:
        return None
    return Record(kind, index, term, synced, payload, end)


def find(data: bytes, start: int, place: int) -> tuple[int, Record] | None:
    """The first sound record at or behind `start`, wherever it begins."""
    at = data.find(MAGIC, start)
    while at >= 0:
        record = read(data, at, place)
        if record is not None:
            return at, record
        at = data.find(MAGIC, at + 1)
    return None
