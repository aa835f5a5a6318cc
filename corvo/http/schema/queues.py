"""A queue as clients see it (SPEC 3.5)."""

import msgspec
from msgspec import UNSET, UnsetType

from corvo.actors.messages import QueueInfo
from corvo.core.states import JobState
from corvo.core.times import format_time_ns


class QueueBody(msgspec.Struct, omit_defaults=True):
    name: str
    paused: bool
    created_at: str
    pending: int
    active: int
    held: int
    completed: int
    dead: int
    scheduled: int
    retrying: int
    cancelled: int
    #: Jobs ever enqueued, ever completed, and attempts ever failed.
    enqueued: int
    completed_total: int
    failed: int
    max_concurrency: int | UnsetType = UNSET
    rate_limit: int | UnsetType = UNSET
    rate_window_ms: int | UnsetType = UNSET
    oldest_pending_at: str | UnsetType = UNSET


def queue_body(info: QueueInfo) -> QueueBody:
    queue = info.queue
    counts = queue.counts
    return QueueBody(
        name=queue.name,
        paused=queue.paused,
        created_at=format_time_ns(queue.created_ns),
        pending=counts[JobState.PENDING],
        active=counts[JobState.ACTIVE],
        held=counts[JobState.HELD],
        completed=counts[JobState.COMPLETED],
        dead=counts[JobState.DEAD],
        scheduled=counts[JobState.SCHEDULED],
        retrying=counts[JobState.RETRYING],
        cancelled=counts[JobState.CANCELLED],
        enqueued=queue.enqueued_total,
        completed_total=queue.completed_total,
        failed=queue.failed_total,
        max_concurrency=UNSET if queue.max_concurrency is None else queue.max_concurrency,
        rate_limit=UNSET if queue.rate_limit is None else queue.rate_limit,
        rate_window_ms=UNSET if queue.rate_window_ms is None else queue.rate_window_ms,
        oldest_pending_at=UNSET if info.oldest_pending_ns is None else format_time_ns(info.oldest_pending_ns),
    )
