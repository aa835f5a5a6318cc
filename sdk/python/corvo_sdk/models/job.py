"""Jobs as the server shows them."""

from datetime import datetime
from typing import Any, Literal, TypeVar

import msgspec

from corvo_sdk.models.base import Model

T = TypeVar("T")

State = Literal["scheduled", "pending", "active", "held", "retrying", "completed", "dead", "cancelled"]
#: A job in one of these states runs no more, unless somebody retries it.
ENDED: frozenset[str] = frozenset({"completed", "dead", "cancelled"})


class JobError(Model, frozen=True, kw_only=True):
    """One failed attempt."""

    attempt: int
    error: str
    backtrace: str | None = None
    created_at: datetime | None = None


class Job(Model, frozen=True, kw_only=True):
    """One job, whole (from `get`) or as a row of a search."""

    id: str
    queue: str
    state: str
    payload: Any = None
    priority: int = 2
    attempt: int = 0
    max_retries: int = 3
    retry_backoff: str = "exponential"
    retry_base_delay_ms: int | None = None
    retry_max_delay_ms: int | None = None
    retry_jitter: float = 0.0
    unique_key: str | None = None
    unique_period: int | None = None
    unique_until: str | None = None
    batch_id: str | None = None
    worker_id: str | None = None
    hostname: str | None = None
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    progress: Any = None
    checkpoint: Any = None
    result: Any = None
    hold_reason: str | None = None
    last_error: str | None = None
    #: The newest ones, oldest of them first; and how many there are in all.
    errors: list[JobError] = msgspec.field(default_factory=list)
    errors_total: int = 0
    parent_id: str | None = None
    group: str | None = None
    chain_id: str | None = None
    chain_step: int | None = None
    depends_on: list[str] = msgspec.field(default_factory=list)
    #: Of those, how many have not completed yet.
    waiting_for: int = 0
    #: What becomes of it if one of those does not complete: fail, ignore or wait.
    on_dependency_failure: str | None = None
    lease_version: int | None = None
    #: Leases lost in a row.
    lease_losses: int = 0
    lease_expires_at: datetime | None = None
    created_at: datetime | None = None
    scheduled_at: datetime | None = None
    expire_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    failed_at: datetime | None = None
    cancelled_at: datetime | None = None

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    def payload_as(self, kind: type[T]) -> T:
        """The payload as a dataclass, a Struct, a TypedDict; msgspec.ValidationError if it does not fit."""
        return msgspec.convert(self.payload, kind)


class JobList(Model, frozen=True, kw_only=True):
    jobs: list[Job]


class Enqueued(Model, frozen=True, kw_only=True):
    """What became of an enqueue."""

    job_id: str
    #: The state of the new job, or "duplicate".
    status: str
    #: True: nothing was created, because the job with this id holds the unique key.
    unique_existing: bool = False
    job: Job | None = None


class EnqueuedItem(Model, frozen=True, kw_only=True):
    id: str
    queue: str
    state: str
    unique_existing: bool = False


class EnqueuedMany(Model, frozen=True, kw_only=True):
    """What became of many, in the order given."""

    job_ids: list[str]
    jobs: list[EnqueuedItem] = msgspec.field(default_factory=list)
    batch_id: str | None = None


class Reason(Model, frozen=True, kw_only=True):
    code: str
    text: str
    until: datetime | None = None


class Explanation(Model, frozen=True, kw_only=True):
    """Why a job is not running."""

    state: str
    reasons: list[Reason] = msgspec.field(default_factory=list)
    #: A guess at when a worker gets it.
    eta_ms: int | None = None


class Event(Model, frozen=True, kw_only=True):
    """Something that happened to a job or a queue.

    One of type `gap` has no number: events from `data["from"]` to `data["to"]` are no longer kept.
    """

    type: str
    seq: int = 0
    at_ns: int = 0
    job_id: str | None = None
    queue: str | None = None
    data: Any = None


class EventList(Model, frozen=True, kw_only=True):
    events: list[Event]
    #: The number of the newest event there is.
    last_seq: int = 0


class History(Model, frozen=True, kw_only=True):
    """What happened to a job, oldest first."""

    events: list[Event]
    #: False if the oldest part is no longer kept.
    complete: bool = True


class Errors(Model, frozen=True, kw_only=True):
    """One page of a job's errors, oldest first; the next page has those before them."""

    errors: list[JobError]
    total: int = 0
    has_more: bool = False
    cursor: str | None = None


class Page(Model, frozen=True, kw_only=True):
    """One page of search results."""

    jobs: list[Job]
    total: int = 0
    has_more: bool = False
    cursor: str | None = None
    duration_ms: float = 0.0
    #: Queues whose texts are sealed, so that filters on payloads and errors did not look into them.
    unsearchable: list[str] = msgspec.field(default_factory=list)


class BulkFailure(Model, frozen=True, kw_only=True):
    """A job that was left alone, and why."""

    job_id: str
    code: str = ""
    error: str = ""


class BulkDone(Model, frozen=True, kw_only=True):
    """A bulk action: done, only counted (a dry run), or begun in the background."""

    affected: int = 0
    #: Jobs left alone, because they are gone or in another state; the first hundred are in `failures`.
    skipped: int = 0
    errors: int = 0
    failures: list[BulkFailure] = msgspec.field(default_factory=list)
    duration_ms: float = 0.0
    # In the background
    bulk_operation_id: str | None = None
    status: str | None = None
    estimated_total: int | None = None
    # Of a dry run
    dry_run: bool = False
    count: int = 0
    by_state: dict[str, int] = msgspec.field(default_factory=dict)
    sample: list[Job] = msgspec.field(default_factory=list)


class BulkTask(Model, frozen=True, kw_only=True):
    """A bulk action in the background."""

    id: str
    status: str
    action: str = ""
    total: int = 0
    processed: int = 0
    affected: int = 0
    skipped: int = 0
    errors: int = 0
    failures: list[BulkFailure] = msgspec.field(default_factory=list)
    error: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def ended(self) -> bool:
        return self.status not in ("queued", "running")


class BulkTasks(Model, frozen=True, kw_only=True):
    tasks: list[BulkTask]
    has_more: bool = False
    cursor: str | None = None


class BulkProgress(Model, frozen=True, kw_only=True):
    """How far a task in the background is."""

    type: str
    task_id: str
    status: str
    total: int = 0
    processed: int = 0
    affected: int = 0
    percent: float = 0.0
    error: str | None = None


class Relative(Model, frozen=True, kw_only=True):
    """A job, a batch, or a step of a chain that is still to come."""

    id: str
    kind: str
    queue: str | None = None
    state: str | None = None
    chain_step: int | None = None


class Relation(Model, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """From what comes first to what comes of it."""

    source: str
    target: str
    kind: str


class Graph(Model, frozen=True, kw_only=True):
    """A job and its relatives."""

    job_id: str
    nodes: list[Relative]
    edges: list[Relation]
    #: Whether there are more than are shown.
    truncated: bool = False


class Found(Model, frozen=True, kw_only=True):
    """A row of a full-text search."""

    id: str
    queue: str
    state: str
    #: JSON as text, as are the tags.
    payload: str = ""
    tags: str = ""
    created_at: datetime | None = None


class FullText(Model, frozen=True, kw_only=True):
    q: str
    results: list[Found]
