"""A schedule: the pattern of a job, and when such jobs are to be made.

Fire times are never computed in the state machine: two nodes may have different ideas of a time zone,
depending on the data they were installed with. The node that proposes computes the next one, the op carries
it, and the document keeps it, so that all replicas hold the same.
"""

import enum
from typing import Final

import msgspec

from corvo.core.backoff import Backoff
from corvo.core.cron import DstGap, DstOverlap
from corvo.core.job import Unique
from corvo.core.namespace import Qualified
from corvo.core.priority import Priority


class Misfire(enum.IntEnum):
    """What becomes of fire times that passed while no leader could fire them."""

    ONCE = 0  # one job makes up for all of them
    SKIP = 1  # they are left out
    ALL = 2  # one job for each, the latest hundred


class Overlap(enum.IntEnum):
    """What becomes of a fire time while a job of the schedule has not ended."""

    ALLOW = 0
    SKIP = 1


class Timing(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """All that fire times depend on."""

    cron: str
    timezone: str = "UTC"
    dst_gap: DstGap = DstGap.SHIFT
    dst_overlap: DstOverlap = DstOverlap.FIRST


class Pattern(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What each job of the schedule is like."""

    queue: Qualified
    payload: bytes
    priority: Priority
    max_retries: int
    backoff: Backoff
    retry_base_ms: int
    retry_max_ms: int
    retry_jitter: float
    unique: Unique | None
    expire_after_ms: int | None
    tags: dict[str, str] | None


class Plan(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """What people decide about a schedule."""

    name: Qualified
    timing: Timing
    pattern: Pattern
    misfire: Misfire = Misfire.ONCE
    overlap: Overlap = Overlap.ALLOW
    enabled: bool = True

    def fires_like(self, other: "Plan") -> bool:
        """Whether both have the same fire times."""
        return self.timing == other.timing and self.enabled == other.enabled


class Run(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One time the schedule fired, or should have."""

    #: The fire time; for a run by hand, when that was.
    at_ns: int
    #: None if no job was made; then the note says why.
    job_id: str | None
    note: str | None = None


#: Runs a schedule remembers: the latest; a run whose job has ended is forgotten before one that goes on.
RUNS_KEPT: Final = 10


class Schedule(msgspec.Struct, array_like=True, frozen=True, gc=False):
    id: str
    plan: Plan
    created_ns: int
    updated_ns: int
    #: Grows with every change of the plan.
    version: int = 1
    #: When it fires next; None while it is disabled, or if it never does.
    next_ns: int | None = None
    #: Fire times up to this one have been dealt with.
    dealt_ns: int = 0
    #: The last job made, by time or by hand.
    last_job_id: str | None = None
    last_ns: int | None = None
    fired_total: int = 0
    skipped_total: int = 0
    #: The latest last.
    runs: tuple[Run, ...] = ()


_decoder: Final = msgspec.msgpack.Decoder(Schedule)
encode_schedule = msgspec.msgpack.Encoder().encode
decode_schedule = _decoder.decode
