"""A whole store as a stream of chunks, and back.

A chunk is msgpack: a list of key-value pairs. The stream comes from one LevelDB snapshot, so it is
consistent although the store goes on changing; it carries the store's own position among its pairs.
The receiver writes a new store beside the one in use and switches over when it is complete.
"""

from collections.abc import Iterator

import msgspec

from corvo.storage.kv import Kv, KvSnapshot, Writes

CHUNK_BYTES = 192 * 1024

_encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(list[tuple[bytes, bytes]])


def chunks(snapshot: KvSnapshot) -> Iterator[bytes]:
    """Every pair, and the snapshot closed at the end, also if nobody wants the rest."""
    try:
        pairs: list[tuple[bytes, bytes]] = []
        size = 0
        for key, value in snapshot.scan(b"\0", b"\xff"):
            pairs.append((key, value))
            size += len(key) + len(value)
            if size >= CHUNK_BYTES:
                yield _encode(pairs)
                pairs, size = [], 0
        if pairs:
            yield _encode(pairs)
    finally:
        snapshot.close()


def write_chunk(kv: Kv, chunk: bytes) -> None:
    """Put what a chunk holds into a store that is being built."""
    writes: Writes = dict(_decoder.decode(chunk))
    kv.write(writes, sync=False)
