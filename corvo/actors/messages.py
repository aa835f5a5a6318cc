"""What actors say to each other. The imperative asks, the past tense tells; the docstring says to whom."""

import enum
from typing import Any

import msgspec

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.actors.state.explain import Reason
from corvo.consensus.api import Position, Role
from corvo.core.batch import Batch as JobBatch
from corvo.core.bulk import BulkTask
from corvo.core.errors import CorvoError
from corvo.core.events import Event, EventRecord
from corvo.core.job import Job, JobError
from corvo.core.queue import Queue
from corvo.core.worker import Worker
from corvo.fsm.machine import Applied
from corvo.ops.base import Op
from corvo.ops.idempotency import Once
from corvo.ops.results import Outcome
from corvo.storage.kv import Kv, Writes

# The write path


class Submit(Message, frozen=True):
    """edge, desk, scheduler -> batcher: get these ops agreed on, in one entry, and answer the outcomes."""

    ops: tuple[Op, ...]
    #: About how large they are, so that an entry is not made too large.
    size_bytes: int = 0
    #: Comes back with the answer, for askers that have several questions open.
    tag: Any = None
    #: How many clients wait for it.
    clients: int = 1


class Answer(Message, frozen=True):
    """fsm -> whoever submitted: your ops were applied by this entry and came to this."""

    index: int
    outcomes: list[Outcome]
    tag: Any = None


class Declined(Message, frozen=True):
    """batcher, proposer -> whoever submitted: your ops were not applied, or nobody knows whether."""

    error: CorvoError
    tag: Any = None


class Propose(Message, frozen=True):
    """batcher -> proposer: one entry's worth of ops."""

    batch: "Batch"


class Batch(Message, frozen=True):
    """Ops that travel as one entry, and who asked for which of them. Also the ticket given to consensus."""

    now_ns: int
    ops: list[Op]
    #: Asker, its tag, how many of the ops, in order, are its own, and about how large those are.
    askers: list[tuple[ActorAddress, Any, int, int]]
    #: The batcher that sent it on its way, and by which number it knows it.
    home: ActorAddress
    number: int


class BatchEnded(Message, frozen=True):
    """proposer, fsm -> batcher: this batch is no longer under way."""

    number: int


class LagChanged(Message, frozen=True):
    """fsm -> batcher: whether too many entries are applied that have not reached the disk."""

    too_far: bool


class SlowDown(Message, frozen=True):
    """mirror writer -> fsm -> batcher: how long to rest after an entry, so that the mirror can keep up."""

    #: For each job in it.
    rest_us: int


class Committed(Message, frozen=True):
    """consensus -> fsm: this entry is decided; apply it."""

    position: Position
    #: Empty for an entry of consensus itself.
    command: bytes
    #: Set on the node that proposed it.
    batch: Batch | None


class Configured(Message, frozen=True):
    """consensus -> fsm: the cluster has another roster; keep it with the state, as of this entry."""

    position: Position
    roster: bytes


class Lost(Message, frozen=True):
    """consensus -> proposer: what became of this batch cannot be known here."""

    batch: Batch


class RoleChanged(Message, frozen=True):
    """consensus -> subscribers: who leads has changed."""

    role: Role
    term: int
    leader_id: str | None

    @property
    def leads(self) -> bool:
        """Whether this node leads: what only a leader does begins and ends with this."""
        return self.role is Role.LEADER


# The store


class Land(Message, frozen=True):
    """fsm -> store writer: write this entry's batch to disk."""

    index: int
    term: int
    writes: Writes


class Landed(Message, frozen=True):
    """store writer -> fsm: everything up to this entry is on disk."""

    index: int
    term: int


class LandFailed(Message, frozen=True):
    """store writer -> fsm: there is no room on the disk. Nothing is written until Resume."""

    index: int


class Resume(Message, frozen=True):
    """fsm -> store writer: the store was opened again; what did not land follows."""


class InstallStore(Message, frozen=True):
    """consensus -> fsm: a snapshot of the leader's state was received; go on from there."""

    store: Kv


class Adopt(Message, frozen=True):
    """fsm -> store writer: what follows belongs into this store, which takes the place of the old one."""

    store: Kv


class Adopted(Message, frozen=True):
    """store writer -> fsm: the new store is in use."""


class StateReplaced(Message, frozen=True):
    """fsm -> whoever keeps what landed in mind: entries were skipped, so what you know may be old."""

    index: int


class StoreFull(Message, frozen=True):
    """fsm, proposer -> batcher: refuse writes for want of room, or take them again."""

    full: bool
    #: Whether trying is the only way to find out that there is room again.
    try_again: bool = False


# What an entry did


class Topic(enum.Enum):
    """What can be listened to."""

    LEVELS = "levels"  # LevelsChanged, KeysUsed
    DUE = "due"  # DueChanged
    ROLE = "role"  # RoleChanged
    WRITES = "writes"  # StoreFull, LagChanged, SlowDown
    STORED = "stored"  # Landed
    LANDED = "landed"  # EntryLanded
    REPLACED = "replaced"  # StateReplaced
    BULK = "bulk"  # BulkMoved
    AUDIT = "audit"  # Checkpoint


class Subscribe(Message, frozen=True):
    """anyone -> fsm: from now on tell me of this kind of thing. May be repeated."""

    topics: tuple["Topic", ...]


class BulkMoved(Message, frozen=True):
    """fsm -> bulk runner, bulk watch: this is how a task stands now."""

    task: BulkTask


class LevelsChanged(Message, frozen=True):
    """fsm -> desk: how many jobs these queues could hand out now."""

    levels: dict[str, int]


class DueChanged(Message, frozen=True):
    """fsm -> scheduler: in these families something may be due earlier than you know."""

    due: dict[bytes, int]


class EntryLanded(Message, frozen=True):
    """fsm -> mirror, event hub: this entry is on disk, and this is what it did."""

    applied: Applied


# Questions to the state machine


class FindJob(Message, frozen=True):
    """edge -> fsm: everything about one job. Answer: JobFound, or NotFound."""

    job_id: str


class FindJobs(Message, frozen=True):
    """edge -> fsm: the documents of these jobs. Answer: JobsFound, in order, without the missing."""

    job_ids: list[str]


class JobFound(Message, frozen=True):
    job: Job
    payload: bytes
    #: The newest ones, oldest of them first.
    errors: list[JobError]


class JobsFound(Message, frozen=True):
    jobs: list[JobFound]


class ListQueues(Message, frozen=True):
    """edge -> fsm: all queues, or these. Answer: QueuesListed."""

    names: tuple[str, ...] | None = None


class QueueInfo(Message, frozen=True):
    queue: Queue
    oldest_pending_ns: int | None


class QueuesListed(Message, frozen=True):
    queues: list[QueueInfo]
    now_ns: int


class FindBatch(Message, frozen=True):
    """edge -> fsm: a batch. Answer: BatchFound, or NotFound."""

    batch_id: str


class BatchFound(Message, frozen=True):
    batch: JobBatch


class AwaitDrained(Message, frozen=True):
    """edge -> fsm: answer with Drained when no job of the queue is active, or when the wait is over."""

    queue: str
    wait_ms: int


class Drained(Message, frozen=True):
    #: Jobs that are still active.
    active: int


class ListWorkers(Message, frozen=True):
    """edge -> fsm, desk: the workers you know of. Answer: WorkersListed."""


class WorkersListed(Message, frozen=True):
    workers: list[Worker]
    #: Active jobs by worker id.
    active_jobs: dict[str, int] = msgspec.field(default_factory=dict)


class AwaitIndex(Message, frozen=True):
    """edge -> fsm: answer with IndexReached when this entry has been applied, or Stale after the wait."""

    index: int
    wait_ms: int


class IndexReached(Message, frozen=True):
    index: int


class GetStatus(Message, frozen=True):
    """edge -> any actor: figures for metrics and status pages. Answer: Status."""


class Status(Message, frozen=True):
    figures: dict[str, Any]


class ReadEvents(Message, frozen=True):
    """edge -> fsm: events after this number, oldest first. Answer: EventsFound."""

    after_seq: int
    limit: int
    #: Comes back with the answer, for askers that have several questions open.
    tag: Any = None


class NumberedEvent(Message, frozen=True):
    seq: int
    at_ns: int
    event: Event


def numbered(record: EventRecord) -> list[NumberedEvent]:
    """The events of one entry."""
    return [
        NumberedEvent(seq, record.at_ns, event) for seq, event in enumerate(record.events, record.first_seq)
    ]


class EventsFound(Message, frozen=True):
    events: list[NumberedEvent]
    #: Numbers of the oldest and the latest event there is.
    first_seq: int
    last_seq: int
    tag: Any = None


class FindHistory(Message, frozen=True):
    """edge -> fsm: what happened to a job. Answer: HistoryFound, or NotFound."""

    job_id: str


class HistoryFound(Message, frozen=True):
    events: list[NumberedEvent]
    complete: bool


class ExplainJob(Message, frozen=True):
    """edge -> fsm: what holds this job back? Answer: Explained, or NotFound."""

    job_id: str


class Explained(Message, frozen=True):
    job: Job
    reasons: list[Reason]
    ahead: int


class Recall(Message, frozen=True):
    """edge -> fsm: has this request been answered before? Answer: RecalledAnswer, or IdempotencyMismatch."""

    once: Once


class RecalledAnswer(Message, frozen=True):
    results: list[Any] | None


class LookDue(Message, frozen=True):
    """scheduler -> fsm: when is the next thing of this family due? Answer: DueFound."""

    family: bytes
    #: Of things that are kept up to a number: more than this many are due at once.
    kept_max: int = 0


class DueFound(Message, frozen=True):
    family: bytes
    at_ns: int | None
