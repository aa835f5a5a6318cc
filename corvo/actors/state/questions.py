"""Questions to the state machine about jobs, queues, batches and workers, and their answers."""

from typing import Any

import msgspec

from corvo.actors.kernel.messages import Message
from corvo.core.batch import Batch
from corvo.core.job import Job, JobError
from corvo.core.namespace import Namespace, Qualified, Reach
from corvo.core.queue import Queue
from corvo.core.worker import Worker
from corvo.ops.idempotency import Once

# Jobs


class FindJob(Message, frozen=True):
    """edge -> fsm: everything about one job. Answer: JobFound, or NotFound."""

    job_id: str
    reach: Reach | None = None


class FindJobs(Message, frozen=True):
    """edge -> fsm: the documents of these jobs. Answer: JobsFound, in order, without the missing."""

    job_ids: list[str]
    reach: Reach | None = None


class FindQueues(Message, frozen=True):
    """edge -> fsm: in which queues are these jobs? Answer: QueuesFound, without the missing."""

    job_ids: list[str]


class QueuesFound(Message, frozen=True):
    #: By job id.
    queues: dict[str, str]


class JobFound(Message, frozen=True):
    job: Job
    payload: bytes
    #: The newest ones, oldest of them first.
    errors: list[JobError]


class JobsFound(Message, frozen=True):
    jobs: list[JobFound]


class FindErrors(Message, frozen=True):
    """edge -> fsm: errors of a job before this number, newest first. Answer: ErrorsFound, or NotFound."""

    job_id: str
    before: int | None
    limit: int
    reach: Reach | None = None


class ErrorsFound(Message, frozen=True):
    job: Job
    #: Oldest first, and the number of the first.
    errors: list[JobError]
    first: int


# Why a job is not running


class ExplainJob(Message, frozen=True):
    """edge -> fsm: what holds this job back? Answer: Explained, or NotFound."""

    job_id: str
    reach: Reach | None = None


class Reason(msgspec.Struct, frozen=True):
    code: str
    text: str
    #: When it will no longer hold, if that is known.
    until_ns: int | None = None


class Explained(Message, frozen=True):
    job: Job
    reasons: list[Reason]
    ahead: int


# What a job hangs together with


class FindRelatives(Message, frozen=True):
    """edge -> fsm: a job with everything it hangs together with. Answer: Graph, or NotFound."""

    job_id: str
    reach: Reach | None = None


class GraphNode(msgspec.Struct, frozen=True):
    id: str
    #: "job", "batch", or "step" for one of a chain that has not come to be a job yet.
    kind: str
    #: None if it is no longer there.
    job: Job | None = None
    batch: Batch | None = None
    queue: Qualified | None = None
    step: int | None = None


class GraphEdge(msgspec.Struct, frozen=True):
    """From what comes first to what comes of it."""

    source: str
    target: str
    #: "parent", "chain", "batch", "callback" or "dependency".
    kind: str


class Graph(Message, frozen=True):
    job_id: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool


# Queues


class ListQueues(Message, frozen=True):
    """edge -> fsm: the first of all queues, or these. Answer: QueuesListed."""

    names: tuple[Qualified, ...] | None = None
    reach: Reach | None = None


class QueueInfo(Message, frozen=True):
    queue: Queue
    oldest_pending_ns: int | None


class QueuesListed(Message, frozen=True):
    queues: list[QueueInfo]
    now_ns: int
    #: If all were asked for: the names of those that are not here, so that nobody waits for all at once.
    rest: tuple[Qualified, ...] = ()


class SumStates(Message, frozen=True):
    """edge -> fsm: how many jobs are in each state, in this queue or in all. Answer: StatesSummed."""

    queue: Qualified | None = None
    reach: Reach | None = None


class StatesSummed(Message, frozen=True):
    counts: list[int]


class AwaitDrained(Message, frozen=True):
    """edge -> fsm: answer with Drained when no job of the queue is active, or when the wait is over."""

    queue: Qualified
    wait_ms: int


class Drained(Message, frozen=True):
    #: Jobs that are still active.
    active: int


# Batches


class FindBatch(Message, frozen=True):
    """edge -> fsm: a batch. Answer: BatchFound, or NotFound."""

    batch_id: str
    reach: Reach | None = None


class BatchFound(Message, frozen=True):
    batch: Batch


class ListBatches(Message, frozen=True):
    """edge -> fsm: batches that are older than this one, newest first. Answer: BatchesListed."""

    before_id: str | None
    limit: int
    reach: Reach | None = None


class BatchesListed(Message, frozen=True):
    batches: list[Batch]
    has_more: bool


# Namespaces


class FindNamespace(Message, frozen=True):
    """edge -> fsm: a namespace that was set up or is used. Answer: NamespaceFound, or NotFound."""

    name: str


class ListNamespaces(Message, frozen=True):
    """edge -> fsm: namespaces that were set up or have a queue, by name. Answer: NamespacesListed."""


class NamespaceFound(Message, frozen=True):
    #: Of one that is merely used: as if it had been set up without quotas, with its oldest queue.
    namespace: Namespace
    is_set_up: bool
    queues: int
    #: In any state, and the bytes of their payloads.
    jobs: int
    payload_bytes: int


class NamespacesListed(Message, frozen=True):
    namespaces: list[NamespaceFound]


# Workers


class ListWorkers(Message, frozen=True):
    """edge -> fsm, desk: the workers you know of. Answer: WorkersListed."""

    reach: Reach | None = None


class WorkersListed(Message, frozen=True):
    workers: list[Worker]
    #: Active jobs by worker id.
    active_jobs: dict[Qualified, int] = msgspec.field(default_factory=dict)


# How far the node is


class AwaitIndex(Message, frozen=True):
    """edge -> fsm: answer with IndexReached when this entry has been applied, or Stale after the wait."""

    index: int
    wait_ms: int


class IndexReached(Message, frozen=True):
    index: int


# Requests that are repeated


class Recall(Message, frozen=True):
    """edge -> fsm: has this request been answered before? Answer: RecalledAnswer, or IdempotencyMismatch."""

    once: Once


class RecalledAnswer(Message, frozen=True):
    results: list[Any] | None
