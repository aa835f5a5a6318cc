"""A queue as clients see it."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo.actors.events.messages import Rates
from corvo.actors.state.questions import QueueInfo
from corvo.core.errors import ValidationFailed
from corvo.core.limits import CONCURRENCY_MAX, THROTTLE_RATE_MAX, THROTTLE_WINDOW_MS_MAX
from corvo.core.namespace import name_of
from corvo.core.states import JobState
from corvo.core.times import format_time_ns, parse_duration_ms


class ConcurrencyRequest(msgspec.Struct, forbid_unknown_fields=True):
    max: Annotated[int, Meta(le=CONCURRENCY_MAX)] | None = None


class ThrottleRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The window in milliseconds, or as a duration under `period`."""

    rate: int | None = None
    window_ms: int | None = None
    period: str | None = None


class DrainBody(msgspec.Struct):
    status: str
    active: int


class ClearedBody(msgspec.Struct):
    status: str
    deleted: int


class RateBody(msgspec.Struct):
    """Jobs enqueued, completed and failed within a time."""

    enqueued: float
    completed: float
    failed: float


class RatesBody(msgspec.Struct):
    minute: RateBody
    hour: RateBody


class QueueBody(msgspec.Struct, omit_defaults=True):
    name: str
    paused: bool
    created_at: str
    pending: int
    #: Of those pending, how many wait for other jobs.
    blocked: int
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
    rates: RatesBody | UnsetType = UNSET


def throttle(request: ThrottleRequest) -> tuple[int, int]:
    """Rate and window in milliseconds."""
    window_ms = request.window_ms
    if request.period:
        window_ms = parse_duration_ms(request.period, "period")
    if not request.rate or request.rate <= 0 or not window_ms or window_ms <= 0:
        raise ValidationFailed("rate and window_ms (or period) must both be above 0")
    if request.rate > THROTTLE_RATE_MAX or window_ms > THROTTLE_WINDOW_MS_MAX:
        raise ValidationFailed(f"rate may be up to {THROTTLE_RATE_MAX} and the window up to 31 days")
    return request.rate, window_ms


def rates_body(rates: Rates | None) -> RatesBody:
    if rates is None:
        return RatesBody(RateBody(0, 0, 0), RateBody(0, 0, 0))
    minute = RateBody(*(round(figure, 1) for figure in rates.minute))
    return RatesBody(minute, RateBody(*rates.hour))


def queue_body(info: QueueInfo) -> QueueBody:
    queue = info.queue
    counts = queue.counts
    return QueueBody(
        name=name_of(queue.name),
        paused=queue.paused,
        created_at=format_time_ns(queue.created_ns),
        pending=counts[JobState.PENDING],
        blocked=queue.parked,
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
