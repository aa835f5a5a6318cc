"""Snapshot: a whole store as a stream of chunks, and back.

A chunk is msgpack: a list of key-value pairs. A pair that is too large for a chunk comes in parts, a chunk
each. The stream comes from one LevelDB snapshot, so it is consistent although the store goes on changing; it
carries the store's own position among its pairs. The receiver writes a new store beside the one in use and
switches over when it is complete.
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from corvo.storage.kv import Kv, KvSnapshot, Writes

#: The link takes chunks of up to 256 KiB.
CHUNK_BYTES: Final = 192 * 1024
#: What msgpack adds to a pair at the most.
_PAIR_OVERHEAD_BYTES: Final = 11
#: Begins a chunk that is a part of a pair. No msgpack begins with it.
_PART: Final = b"\xc1"

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(list[tuple[bytes, bytes]])
#: The key, a part of its value, and whether it is the last one.
_part_decoder = msgspec.msgpack.Decoder(tuple[bytes, bytes, bool])


class SnapshotIncomplete(Exception):
    """The stream ended before all parts of a pair had come."""


def chunks(snapshot: KvSnapshot) -> Iterator[bytes]:
    """Every pair. Closes the snapshot at the end, also if the caller does not take the rest."""
    try:
        pairs: list[tuple[bytes, bytes]] = []
        size = 0
        for key, value in snapshot.scan(b"\0", b"\xff"):
            weight = len(key) + len(value) + _PAIR_OVERHEAD_BYTES
            if pairs and size + weight > CHUNK_BYTES:
                yield _encode(pairs)
                pairs, size = [], 0
            if weight > CHUNK_BYTES:
                yield from _parts(key, value)
            else:
                pairs.append((key, value))
                size += weight
        if pairs:
            yield _encode(pairs)
    finally:
        snapshot.close()


def _parts(key: bytes, value: bytes) -> Iterator[bytes]:
    for start in range(0, len(value), CHUNK_BYTES):
        end = start + CHUNK_BYTES
        yield _PART + _encode((key, value[start:end], end >= len(value)))


class SnapshotWriter:
    """Puts what chunks hold into a store that is being built."""

    def __init__(self, kv: Kv) -> None:
        self._kv = kv
        self._parts: list[bytes] = []

    def write(self, chunk: bytes) -> None:
        if chunk[:1] != _PART:
            writes: Writes = dict(_decoder.decode(chunk))
            self._kv.write(writes, sync=False)
            return
        key, part, is_last = _part_decoder.decode(chunk[1:])
        self._parts.append(part)
        if is_last:
            self._kv.write({key: b"".join(self._parts)}, sync=False)
            self._parts = []

    def finish(self) -> None:
        """Raises SnapshotIncomplete."""
        if self._parts:
            raise SnapshotIncomplete
