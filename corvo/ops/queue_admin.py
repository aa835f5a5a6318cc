"""Ops by which people change queues."""

from corvo.ops.base import Op, op


@op
class PauseQueue(Op, frozen=True, tag=23):
    queue: str
    paused: bool
    #: Whether a queue that does not exist is refused instead of made.
    existing: bool = False


@op
class LimitQueue(Op, frozen=True, tag=24):
    """How many jobs may be active at once; None for any number."""

    queue: str
    max_concurrency: int | None
    existing: bool = False


@op
class ThrottleQueue(Op, frozen=True, tag=25):
    """How many jobs may be handed out within any window of this length; None for any number."""

    queue: str
    rate: int | None
    window_ms: int | None
    existing: bool = False


@op
class ClearQueue(Op, frozen=True, tag=26):
    """Remove pending and scheduled jobs, up to the limit."""

    queue: str
    limit: int


@op
class DeleteQueue(Op, frozen=True, tag=27):
    """Remove jobs in any state, up to the limit, and the queue itself when none is left."""

    queue: str
    limit: int
