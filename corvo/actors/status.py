"""Status: what each actor answers when it is asked for status pages and metrics.

edge --GetStatus--> any actor --a kind of Status--> edge
"""

from msgspec import Struct, field

from corvo.actors.kernel.messages import Message
from corvo.consensus.api import ConsensusStatus
from corvo.observe.histogram import Histogram


class GetStatus(Message, frozen=True):
    """edge -> any actor: how are you doing? Answer: the actor's kind of Status."""


class Status(Message, frozen=True):
    """any actor -> edge: answers GetStatus. Each actor has a subclass of its own."""


# The write path


class BatcherStatus(Status, frozen=True):
    #: Ops accepted and not yet applied, and how many there may be.
    pending: int
    pending_max: int
    overload_total: int
    queue_time: Histogram


class ProposerStatus(Status, frozen=True):
    consensus: ConsensusStatus


class ForwarderStatus(Status, frozen=True):
    #: Writes kept until a leader is known, and writes that the leader has.
    waiting: int
    under_way: int
    relayed_total: int
    served_total: int


class ReplicaCheckStatus(Status, frozen=True):
    agreed_index: int
    mismatches_total: int


class FsmStatus(Status, frozen=True):
    index: int
    term: int
    #: Entries, not ops.
    applied_total: int
    #: Entries applied that are not in LevelDB yet.
    landing: int
    first_seq: int
    last_seq: int
    queues: int
    #: Whether there is no room on the disk.
    full: bool
    apply_time: Histogram


# Waiting, and what time brings


class FetchDeskStatus(Status, frozen=True):
    waiting: int
    claiming: int
    given_back_total: int


class JobWaitStatus(Status, frozen=True):
    waiting: int


class TaskStatus(Struct, frozen=True):
    done_total: int
    errors_total: int
    last_ns: int
    skipped_total: int = 0


class SchedulerStatus(Status, frozen=True):
    tasks: dict[str, TaskStatus]


class ScheduleFirerStatus(Status, frozen=True):
    cron: TaskStatus


# What is told to others


class ThroughputStatus(Status, frozen=True):
    enqueued: int
    completed: int
    failed: int


class EventHubStatus(Status, frozen=True):
    listening: int
    streams_total: int
    dropped_total: int


class WebhooksStatus(Status, frozen=True):
    webhooks: int
    in_flight: int
    waiting: int
    delivered_total: int
    failed_total: int


# The mirror


class MirrorFigures(Struct, frozen=True):
    """`sqlite_mirror` of /cluster/status."""

    queued: int
    applied: int
    lag: int
    behind_ms: float
    queue_depth: int
    queue_capacity: int
    stale: bool
    gaps: int
    failures: int
    flushes: int
    flush_ms_last: float
    flush_ms_max: float
    is_async: bool = field(name="async", default=True)
    #: Kept for clients that know the field: nothing is ever dropped.
    dropped: int = 0


class RebuildFigures(Struct, frozen=True):
    """`sqlite_rebuild` of /cluster/status."""

    ran: int
    running: bool
    jobs: int
    jobs_expected: int
    last_started_at: str | None
    last_duration_ms: int
    last_success: bool | None
    last_error: str | None


class MirrorWriterStatus(Status, frozen=True):
    #: The last entry that is in the mirror.
    index: int
    mirror: MirrorFigures
    rebuild: RebuildFigures


class MirrorReaderStatus(Status, frozen=True):
    answered: int
    waiting: int
    busy: int
    late: int
    cut_short: int
