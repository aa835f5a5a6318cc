"""The worker protocol: a claimed job, and what a worker says of it."""

from datetime import datetime
from typing import Any, TypeVar

import msgspec

from corvo_sdk.call import decode
from corvo_sdk.models.base import Model
from corvo_sdk.models.job import Job

T = TypeVar("T")


class ClaimedJob(Model, frozen=True, kw_only=True):
    """A job in a worker's hands, by the lease that `lease_token` stands for."""

    job_id: str
    queue: str
    attempt: int
    max_retries: int
    lease_token: str
    lease_version: int = 0
    #: Seconds the lease lasts without a heartbeat.
    lease_duration: int = 60
    lease_expires_at: datetime | None = None
    payload: Any = None
    #: What an earlier attempt saved.
    checkpoint: Any = None
    tags: dict[str, str] = msgspec.field(default_factory=dict)
    priority: int = 2
    parent_id: str | None = None
    group: str | None = None
    batch_id: str | None = None
    chain_id: str | None = None
    chain_step: int | None = None

    @property
    def id(self) -> str:
        return self.job_id

    def payload_as(self, kind: type[T]) -> T:
        """The payload as a dataclass, a Struct, a TypedDict; msgspec.ValidationError if it does not fit."""
        return msgspec.convert(self.payload, kind)


class UnreadableJob(ClaimedJob, frozen=True, kw_only=True):
    """A job whose payload or checkpoint is JSON, but such as Python cannot hold: 1e999, for example."""

    why: str


class UndecodedJob(ClaimedJob, frozen=True, kw_only=True):
    """A job that this worker's codec cannot decode; another worker may."""

    why: str


class _Envelope(Model, frozen=True, kw_only=True):
    """What has to be known of a job that cannot be read, to be able to say so."""

    job_id: str
    queue: str
    attempt: int
    max_retries: int
    lease_token: str
    lease_version: int = 0
    lease_duration: int = 60


class _Claims(Model, frozen=True, kw_only=True):
    jobs: list[ClaimedJob]


class _SealedClaims(Model, frozen=True, kw_only=True):
    jobs: list[msgspec.Raw]


def read_claims(data: bytes) -> list[ClaimedJob]:
    """The jobs of a fetch's answer. One that cannot be read does not take the others with it."""
    try:
        return decode(data, _Claims).jobs
    except msgspec.ValidationError:
        return open_one_by_one(decode(data, _SealedClaims).jobs)


def open_one_by_one(sealed: list[msgspec.Raw]) -> list[ClaimedJob]:
    """Jobs, those among them marked that cannot be read."""
    return [_open(bytes(raw)) for raw in sealed]


def _open(raw: bytes) -> ClaimedJob:
    try:
        return decode(raw, ClaimedJob)
    except msgspec.ValidationError as error:
        known = decode(raw, _Envelope)
        return UnreadableJob(**msgspec.structs.asdict(known), why=str(error))


class Ack(Model, frozen=True, kw_only=True):
    """This job is done."""

    job_id: str
    lease_token: str | None = None
    result: Any = msgspec.UNSET
    checkpoint: Any = msgspec.UNSET
    #: "hold": not completed but held for somebody to look at.
    ack_status: str | None = None
    hold_reason: str | None = None
    #: "exit": skip what is left of the chain.
    step_status: str | None = None
    exit_reason: str | None = None


class Acked(Model, frozen=True, kw_only=True):
    status: str
    state: str | None = None
    #: This lease had been acked before; nothing happened twice.
    duplicate: bool = False


class AckResult(Model, frozen=True, kw_only=True):
    job_id: str
    #: ok, stale (another claim owns it), skipped (not active) or not_found.
    status: str
    duplicate: bool = False


class AckedMany(Model, frozen=True, kw_only=True):
    acked: int
    results: list[AckResult] = msgspec.field(default_factory=list)


class _FailedJob(Model, frozen=True, kw_only=True):
    #: retrying or dead.
    status: str
    attempts_remaining: int = 0
    attempt: int = 0
    next_attempt_at: datetime | None = None
    duplicate: bool = False


class Failed(_FailedJob, frozen=True, kw_only=True):
    """What becomes of a job whose attempt failed."""

    #: None if it holds what Python cannot.
    job: Job | None = None


def read_failed(data: bytes) -> Failed:
    try:
        return decode(data, Failed)
    except msgspec.ValidationError:
        return Failed(**msgspec.structs.asdict(decode(data, _FailedJob)))


class Released(Model, frozen=True, kw_only=True):
    status: str
    state: str | None = None
    scheduled_at: datetime | None = None
    duplicate: bool = False


class Beat(Model, frozen=True, kw_only=True):
    """I still work on this job."""

    lease_token: str | None = None
    progress: Any = msgspec.UNSET
    checkpoint: Any = msgspec.UNSET


class Pulse(Model, frozen=True, kw_only=True):
    #: ok, or cancel: stop working on it.
    status: str
    reason: str | None = None


class Pulses(Model, frozen=True, kw_only=True):
    jobs: dict[str, Pulse]
    lease_expires_at: datetime | None = None
