"""Ops of the scheduler: what becomes due by the passing of time. Each touches at most `limit` things."""

from corvo.ops.base import Op, op


@op
class Promote(Op, frozen=True, tag=9):
    """Scheduled and retrying jobs whose time has come become pending."""

    limit: int


@op
class Expire(Op, frozen=True, tag=10):
    """Waiting jobs whose expiry has passed become dead."""

    limit: int


@op
class Purge(Op, frozen=True, tag=11):
    """Ended jobs older than this are removed."""

    ended_before_ns: int
    limit: int


@op
class CleanUnique(Op, frozen=True, tag=12):
    """Unique locks whose period has passed are removed."""

    limit: int


@op
class CleanIdempotency(Op, frozen=True, tag=13):
    """Remembered answers older than a day are removed."""

    limit: int


@op
class TrimEvents(Op, frozen=True, tag=14):
    """Event records beyond the bounds of the log are removed, oldest first."""

    keep: int
    at_before_ns: int
    limit: int


@op
class TrimWorkers(Op, frozen=True, tag=15):
    """Workers not heard of since this time are forgotten."""

    seen_before_ns: int
    limit: int
