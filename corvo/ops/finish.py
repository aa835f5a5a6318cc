"""Ops that end a lease with a verdict."""

from corvo.core.namespace import Reach
from corvo.ops.base import Op, op


@op
class Ack(Op, frozen=True, tag=4):
    """The work is done."""

    job_id: str
    #: None from clients that know no tokens; the id of the job is then enough.
    token: int | None
    result: bytes | None = None
    checkpoint: bytes | None = None
    #: Set when the worker wants a human to look before the job goes on.
    hold: bool = False
    hold_reason: str | None = None
    #: Set when the remaining steps of the job's chain are to be left out.
    leave_chain: bool = False
    exit_reason: str | None = None
    reach: Reach | None = None


@op
class Fail(Op, frozen=True, tag=5):
    """The attempt failed."""

    job_id: str
    token: int | None
    error: str
    backtrace: str | None
    #: False: do not try again, whatever attempts are left.
    retry: bool
    #: Replaces the backoff for this one time.
    retry_after_ms: int | None
    #: Drawn by the edge that took the request, -1..1; the job's `retry_jitter` says how much of it counts.
    jitter: float
    reach: Reach | None = None
