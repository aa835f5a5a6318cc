"""A worker as the store remembers it: written when it claims or heartbeats, at most every few seconds."""

from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nsmallest
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


def most_silent(workers: Mapping[Qualified, Worker], count: int) -> list[Worker]:
    """Whom to forget when there are too many: of the namespace that has most, those not heard of for longest.
    A crowd in one namespace is not to push out the workers of another."""
    crowds = Counter(map(namespace_of, workers))
    largest = max(crowds, key=lambda namespace: (crowds[namespace], namespace))
    crowd = [worker for worker in workers.values() if namespace_of(worker.id) == largest]
    return nsmallest(count, crowd, key=lambda worker: (worker.last_seen_ns, worker.id))


_decoder: Final = msgspec.msgpack.Decoder(Worker)
encode_worker = msgspec.msgpack.Encoder().encode
decode_worker = _decoder.decode
