"""What all routes that write have in common."""

from msgspec import UNSET, UnsetType

from corvo.core.errors import (
    CorvoError,
    IdempotencyMismatch,
    LedElsewhere,
    NotLeader,
    OutcomeUnknown,
    Overloaded,
    ParseError,
    PayloadTooLarge,
    StorageFull,
    ValidationFailed,
)
from corvo.core.times import format_time_ns

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

# Rough sizes of what surrounds the client's own bytes in an op.
JOB_OVERHEAD_BYTES = 160
OP_OVERHEAD_BYTES = 64


def time_or_unset(time_ns: int | None) -> str | UnsetType:
    return UNSET if time_ns is None else format_time_ns(time_ns)


def true_or_unset(flag: bool) -> bool | UnsetType:
    """Flags that are said only when they are set."""
    return True if flag else UNSET
