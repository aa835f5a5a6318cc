"""What all routes that write have in common."""

from msgspec import UNSET, UnsetType

from corvo.core.errors import (
    Conflict,
    CorvoError,
    IdempotencyMismatch,
    LedElsewhere,
    NotLeader,
    OutcomeUnknown,
    Overloaded,
    ParseError,
    PayloadTooLarge,
    QueueQuotaExceeded,
    QuotaExceeded,
    StorageFull,
    ValidationFailed,
)
from corvo.core.times import format_time_ns
from corvo.http.api.schema.enqueue import Maker
from corvo.http.serve.context import EdgeContext
from corvo.http.wire.message import Request
from corvo.ops.enqueue import NewFlow, NewJob

#: What may happen to any write.
WRITE_ERRORS: tuple[type[CorvoError], ...] = (
    ParseError,
    ValidationFailed,
    PayloadTooLarge,
    IdempotencyMismatch,
    Overloaded,
    StorageFull,
    NotLeader,
    LedElsewhere,
    OutcomeUnknown,
)


#: What a namespace may refuse of new jobs.
QUOTA_ERRORS: tuple[type[CorvoError], ...] = (QuotaExceeded, QueueQuotaExceeded, Conflict)


def maker_of(request: Request, ctx: EdgeContext) -> Maker:
    return Maker(ctx.ids.new, ctx.config.max_payload_size, request.namespace, request.reach)


# Rough sizes of what surrounds the client's own bytes in an op.
JOB_OVERHEAD_BYTES = 160
OP_OVERHEAD_BYTES = 64


def time_or_unset(time_ns: int | None) -> str | UnsetType:
    return UNSET if time_ns is None else format_time_ns(time_ns)


def true_or_unset(flag: bool) -> bool | UnsetType:
    """Flags that are said only when they are set."""
    return True if flag else UNSET


def job_size(new: NewJob) -> int:
    """About how large an op with this job is."""
    size = JOB_OVERHEAD_BYTES + len(new.payload) + len(new.checkpoint or b"")
    return size if new.flow is None else size + _flow_size(new.flow)


def _flow_size(flow: NewFlow) -> int:
    """A chain carries the payloads of all its steps."""
    size = sum(map(len, flow.depends_on))
    if flow.chain is not None:
        steps = (*flow.chain.steps, flow.chain.on_failure, flow.chain.on_exit)
        size += sum(OP_OVERHEAD_BYTES + len(step.payload or b"") for step in steps if step is not None)
    return size
