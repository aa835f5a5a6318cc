"""A worker as the store remembers it: written when it claims or heartbeats, at most every few seconds."""

from typing import Final

import msgspec


class Worker(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: str
    hostname: str
    queues: tuple[str, ...]
    started_ns: int
    last_seen_ns: int


_decoder: Final = msgspec.msgpack.Decoder(Worker)
encode_worker = msgspec.msgpack.Encoder().encode
decode_worker = _decoder.decode
