"""What an op answers. Structs that can be stored: a repeated request gets the first answer from the store."""

from typing import Any

import msgspec

from corvo.core.access.audit import AuditPlace
from corvo.core.batch import Batch
from corvo.core.bulk import BulkTask
from corvo.core.errors import REGISTRY, CorvoError
from corvo.core.job import Job
from corvo.core.namespace import Namespace, Qualified
from corvo.core.queue import Queue
from corvo.core.schedule import Schedule
from corvo.core.states import JobState


class Result(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Base of all answers; each has a number so that stored ones can be told apart."""


#: What an op comes to: its answer, or the reason it was refused.
Outcome = Result | CorvoError


class Enqueued(Result, frozen=True, tag=1):
    #: Of the new job, or of the one that holds the unique lock.
    job_id: str
    #: None for a duplicate: nothing was created.
    job: Job | None


class EnqueuedItem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    job_id: str
    queue: Qualified
    state: JobState
    duplicate: bool


class EnqueuedMany(Result, frozen=True, tag=2):
    items: list[EnqueuedItem]
    batch_id: str | None = None


class WholeJob(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A job with its payload, wherever that is stored."""

    job: Job
    payload: bytes


class Fetched(Result, frozen=True, tag=3):
    #: One list per claim, in the order of the claims.
    claims: list[list[WholeJob]]


class Claimed(Result, frozen=True, tag=15):
    """What is remembered of Fetched: not the jobs, which may be large and go on living, but their leases."""

    #: One list per claim: job id and lease token.
    leases: list[list[tuple[str, int]]]


class Finished(Result, frozen=True, tag=4):
    """Answer to ack, fail and release. A duplicate is the same answer given a second time."""

    state: JobState
    attempt: int
    next_attempt_ns: int | None
    duplicate: bool
    #: The job afterwards, which the answer to a fail shows.
    whole: WholeJob | None = None


class Pulse(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a heartbeat learned about one job; `lost` says why it must be dropped."""

    job_id: str
    expires_ns: int | None
    lost: str | None = None


class Beaten(Result, frozen=True, tag=5):
    pulses: list[Pulse]


class Upkept(Result, frozen=True, tag=6):
    """How many things an upkeep op touched, and whether its limit kept it from finishing."""

    count: int
    more: bool


class Refusal(Result, frozen=True, tag=7):
    """An expected failure, in a form that can be stored."""

    code: str
    message: str
    facts: bytes

    @classmethod
    def of(cls, error: CorvoError) -> "Refusal":
        return cls(error.code, error.message, msgspec.msgpack.encode(error.facts))

    def error(self) -> CorvoError:
        facts: dict[str, Any] = msgspec.msgpack.decode(self.facts)
        return REGISTRY[self.code](self.message, **facts)


class Recalled(Result, frozen=True, tag=8):
    """Answer to Once: whether what follows it was answered from memory."""

    replayed: bool


class Acted(Result, frozen=True, tag=9):
    was: JobState
    #: None if the job is gone.
    state: JobState | None


class ActFailure(msgspec.Struct, frozen=True, array_like=True, gc=False):
    job_id: str
    code: str
    message: str


class ActedMany(Result, frozen=True, tag=10):
    affected: int
    failures: list[ActFailure]
    #: How many were left alone; `failures` may list only the first of them.
    skipped: int = 0


class BatchOpened(Result, frozen=True, tag=11):
    batch_id: str


class BatchSealed(Result, frozen=True, tag=12):
    batch: Batch
    #: The callback, if sealing made it.
    callback: WholeJob | None


class QueueChanged(Result, frozen=True, tag=13):
    queue: Queue


class BulkChanged(Result, frozen=True, tag=14):
    task: BulkTask


class ScheduleChanged(Result, frozen=True, tag=35):
    """The schedule as it is now; one that was deleted, as it was."""

    schedule: Schedule


class ScheduleFired(Result, frozen=True, tag=36):
    """How many jobs were made, and how many fire times got none. Both 0: there was nothing left to do."""

    fired: int
    skipped: int


class WebhookChanged(Result, frozen=True, tag=20):
    """Only the id: what is remembered for repeated requests must not hold a secret."""

    webhook_id: Qualified


class KeyChanged(Result, frozen=True, tag=70):
    """Only the id: what is remembered for repeated requests must not hold a secret."""

    key_id: str


class RoleSet(Result, frozen=True, tag=71):
    name: str


class SessionChanged(Result, frozen=True, tag=85):
    session_id: str


class SsoSet(Result, frozen=True, tag=88):
    at_ns: int


class NamespaceChanged(Result, frozen=True, tag=60):
    """The namespace as it is now; one that was deleted, as it was."""

    namespace: Namespace


class Recorded(Result, frozen=True, tag=80):
    #: None if there was nothing to write down.
    place: AuditPlace | None


AnyResult = (
    Enqueued
    | EnqueuedMany
    | Fetched
    | Claimed
    | Finished
    | Beaten
    | Upkept
    | Refusal
    | Acted
    | ActedMany
    | BatchOpened
    | BatchSealed
    | QueueChanged
    | BulkChanged
    | ScheduleChanged
    | ScheduleFired
    | WebhookChanged
    | KeyChanged
    | RoleSet
    | NamespaceChanged
    | SessionChanged
    | SsoSet
    | Recorded
)

_decoder = msgspec.msgpack.Decoder(AnyResult)
encode_result = msgspec.msgpack.Encoder().encode


def decode_result(data: bytes) -> AnyResult:
    result: AnyResult = _decoder.decode(data)
    return result
