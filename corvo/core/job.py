"""The job document: everything the server knows of one job.

Stored as one msgpack array, so fields are only ever appended (with a default) and never reordered.
Texts that clients own (payload, result, checkpoint, progress) are kept as the JSON bytes they sent.

A document in the store or in a cache is never changed in place: code that wants to change it takes a
`copy`, changes that and saves it. Other actors hold on to documents, so there is no exception.
"""

import enum
from collections.abc import Iterator
from typing import Final

import msgspec

from corvo.core.backoff import Backoff
from corvo.core.limits import ERRORS_KEPT_MAX
from corvo.core.namespace import Qualified
from corvo.core.priority import Priority
from corvo.core.states import JobState


class UniqueUntil(enum.IntEnum):
    """How long a unique key keeps other jobs out; never longer than its period."""

    SUCCESS = 0  # until the job has ended
    START = 1  # until a worker has claimed it
    TTL = 2  # the whole period, whatever becomes of the job


class Unique(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """The job's claim to be the only one of its kind in its queue."""

    key: str
    period_s: int
    until: UniqueUntil


class Lease(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Which worker has the job, and until when."""

    token: int
    expires_ns: int
    length_ms: int
    worker_id: Qualified
    hostname: str


class Verb(enum.IntEnum):
    """How a lease was given back."""

    ACK = 1
    FAIL = 2
    RELEASE = 3


class Commit(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """How the last lease ended, kept until the next claim so that a repeated request gets the same answer."""

    token: int
    verb: Verb
    state: JobState
    attempt: int
    next_attempt_ns: int | None = None


class Step(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One job of a chain that is still to come."""

    queue: Qualified
    payload: bytes | None = None


class Chain(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Jobs that follow one another, each when the one before has completed."""

    steps: tuple[Step, ...]
    on_failure: Step | None = None
    on_exit: Step | None = None

    def every_step(self) -> Iterator[Step]:
        """Also the handlers."""
        yield from self.steps
        yield from (step for step in (self.on_failure, self.on_exit) if step is not None)


#: Places of a chain's handlers; they never continue the chain.
EXIT_STEP: Final = -1
FAILURE_STEP: Final = -2


class BatchOutcome(enum.IntEnum):
    """How this life of a job was counted in its batch."""

    OPEN = 0
    SUCCEEDED = 1
    FAILED = 2


class DependencyFailure(enum.IntEnum):
    """What becomes of a job when one it waits for will not complete."""

    FAIL = 0  # it fails, too
    IGNORE = 1  # as if that one had completed
    WAIT = 2  # it goes on waiting until that one is removed: it may be retried


class Flow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """How the job hangs together with others: its batch, its chain, and what it waits for."""

    batch_id: str | None = None
    batch_outcome: BatchOutcome = BatchOutcome.OPEN
    chain_id: str | None = None
    #: Place in the chain from 0, or one of the handlers' places.
    chain_step: int = 0
    chain: Chain | None = None
    depends_on: tuple[str, ...] = ()
    #: How many of those have not completed yet. Until it is zero the job is pending but parked.
    unmet: int = 0
    on_dependency_failure: DependencyFailure = DependencyFailure.FAIL


class Job(msgspec.Struct, array_like=True, gc=False):
    id: str
    queue: Qualified
    state: JobState
    priority: Priority
    #: None when the payload is so large that it has a record of its own.
    payload: bytes | None
    created_ns: int
    #: Place in the queue among jobs of one priority: the time of creation, or of the last retry or move.
    order_ns: int
    attempt: int = 0
    max_retries: int = 3
    backoff: Backoff = Backoff.EXPONENTIAL
    retry_base_ms: int = 5_000
    retry_max_ms: int = 600_000
    retry_jitter: float = 0.0
    unique: Unique | None = None
    tags: dict[str, str] | None = None
    progress: bytes | None = None
    checkpoint: bytes | None = None
    result: bytes | None = None
    lease: Lease | None = None
    #: Grows with every claim and is never reset: a fencing number for the worker's own side effects.
    lease_version: int = 0
    #: Leases lost in a row; a worker that gives the job back properly sets it to zero.
    lease_losses: int = 0
    commit: Commit | None = None
    scheduled_ns: int | None = None
    expire_ns: int | None = None
    expire_after_ms: int | None = None
    started_ns: int | None = None
    completed_ns: int | None = None
    failed_ns: int | None = None
    cancelled_ns: int | None = None
    #: Errors there ever were; also the number of the next one. A retry by hand does not reset it.
    error_count: int = 0
    last_error: str | None = None
    hold_reason: str | None = None
    parent_id: str | None = None
    group: str | None = None
    flow: Flow | None = None
    #: The entries whose events tell this job's history, latest last; the oldest are dropped.
    trail: tuple[int, ...] = ()
    #: Whether a job was ever told to wait for this one; if not, no dependents are looked for when it ends.
    awaited: bool = False
    #: Bytes of its payload; 0 if it was made by a version that did not count them.
    size: int = 0

    def copy(self) -> "Job":
        # What `copy.copy` calls in the end; a third of its time, and this is on every path.
        copied: Job = self.__copy__()  # type: ignore[attr-defined]  # msgspec gives every struct one
        return copied

    @property
    def first_error(self) -> int:
        """The number of the oldest error that is kept."""
        return max(0, self.error_count - ERRORS_KEPT_MAX)

    @property
    def is_parked(self) -> bool:
        """Pending, but not to be handed out before the jobs it depends on have completed."""
        return self.state is JobState.PENDING and self.flow is not None and self.flow.unmet > 0


class JobError(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One failure of a job."""

    attempt: int
    at_ns: int
    error: str
    backtrace: str | None = None


#: Entries of its history a job remembers.
TRAIL_MAX: Final = 64

_encoder = msgspec.msgpack.Encoder()
_job_decoder: Final = msgspec.msgpack.Decoder(Job)
_error_decoder: Final = msgspec.msgpack.Decoder(JobError)

encode = _encoder.encode
decode_job = _job_decoder.decode
decode_error = _error_decoder.decode
