"""Ops about batches of jobs, and about what waits for something else to end."""

from corvo.core.namespace import DEFAULT, Qualified
from corvo.ops.base import Op, op


@op
class OpenBatch(Op, frozen=True, tag=19):
    batch_id: str
    callback_queue: Qualified | None
    callback_payload: bytes | None
    namespace: str = DEFAULT


@op
class SealBatch(Op, frozen=True, tag=20):
    """No more jobs may join; if all have ended, the callback is made now."""

    batch_id: str
    namespace: str = DEFAULT


@op
class Resolve(Op, frozen=True, tag=21):
    """Go on telling dependents that what they waited for has ended."""

    limit: int


@op
class PurgeBatches(Op, frozen=True, tag=22):
    """Batches that ended before this time are forgotten, and open ones without a living job since then."""

    ended_before_ns: int
    limit: int
