"""A worker as clients see it."""

import json

import msgspec

from corvo.core.clock import NS_PER_S
from corvo.core.namespace import name_of
from corvo.core.times import format_time_ns
from corvo.core.worker import Worker

#: A worker heard of within this time counts as active.
_ACTIVE_NS = 300 * NS_PER_S


class WorkerBody(msgspec.Struct):
    id: str
    hostname: str | None
    #: `queue_names` as JSON text, for older clients.
    queues: str
    queue_names: list[str]
    last_heartbeat: str
    started_at: str
    active_jobs: int
    status: str


def worker_body(worker: Worker, active_jobs: int, now_ns: int) -> WorkerBody:
    queues = [name_of(queue) for queue in worker.queues]
    return WorkerBody(
        id=name_of(worker.id),
        hostname=worker.hostname or None,
        queues=json.dumps(queues),
        queue_names=queues,
        last_heartbeat=format_time_ns(worker.last_seen_ns),
        started_at=format_time_ns(worker.started_ns),
        active_jobs=active_jobs,
        status="active" if worker.last_seen_ns > now_ns - _ACTIVE_NS else "silent",
    )


def merge(stored: list[Worker], polling: list[Worker]) -> list[Worker]:
    """Workers that the store remembers, and those that poll right now, latest first."""
    by_id = {worker.id: worker for worker in stored}
    for live in polling:
        known = by_id.get(live.id)
        if known is None:
            by_id[live.id] = live
        else:
            by_id[live.id] = Worker(
                live.id,
                live.hostname or known.hostname,
                live.queues or known.queues,
                min(known.started_ns, live.started_ns),
                max(known.last_seen_ns, live.last_seen_ns),
            )
    return sorted(by_id.values(), key=lambda worker: worker.last_seen_ns, reverse=True)
