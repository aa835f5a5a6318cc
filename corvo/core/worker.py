"""A worker as the store remembers it: written when it claims or heartbeats, at most every few seconds."""

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from corvo.core.namespace import ANYWHERE, Qualified, Reach, includes, namespace_of


class Worker(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: Qualified
    hostname: str
    queues: tuple[Qualified, ...]
    started_ns: int
    last_seen_ns: int


def seen_by(reach: Reach | None, workers: Iterable[Worker]) -> list[Worker]:
    """Workers of the namespace in reach; where that names queues, workers that take from one of these, and
    nothing of what else they take from."""
    if reach == ANYWHERE:
        return list(workers)
    found = []
    for worker in workers:
        if reach is None or not reach.scope:
            if includes(reach, Reach(namespace_of(worker.id))):
                found.append(worker)
        elif queues := tuple(queue for queue in worker.queues if reach.covers(queue)):
            found.append(replace(worker, queues=queues))
    return found


_decoder: Final = msgspec.msgpack.Decoder(Worker)
encode_worker = msgspec.msgpack.Encoder().encode
decode_worker = _decoder.decode
