"""Ops by which people change queues."""

from corvo.core.namespace import Qualified
from corvo.ops.base import Op, op


@op
class PauseQueue(Op, frozen=True, tag=23):
    queue: Qualified
    paused: bool
    #: Whether a queue that does not exist is refused instead of made.
    existing: bool = False


@op
class LimitQueue(Op, frozen=True, tag=24):
    """How many jobs may be active at once; None for any number."""

    queue: Qualified
    max_concurrency: int | None
    existing: bool = False


@op
class ThrottleQueue(Op, frozen=True, tag=25):
    """How many jobs may be handed out within any window of this length; None for any number."""

    queue: Qualified
    rate: int | None
    window_ms: int | None
    existing: bool = False


@op
class ClearQueue(Op, frozen=True, tag=26):
    """Remove pending and scheduled jobs, up to the limit."""

    queue: Qualified
    limit: int


@op
class DeleteQueue(Op, frozen=True, tag=27):
    """Remove jobs in any state, up to the limit, and the queue itself when none is left."""

    queue: Qualified
    limit: int
