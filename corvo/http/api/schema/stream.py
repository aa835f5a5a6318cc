"""Lines of the worker stream: several requests of one worker in one object, and their answers.

The protocol is described in docs/reference/stream.md.
"""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo.core.errors import ValidationFailed
from corvo.core.limits import ACK_BATCH_ITEMS_MAX, FETCH_BATCH_JOBS_MAX, FETCH_QUEUES_MAX, FETCH_WAIT_S_MAX
from corvo.http.api.schema.enqueue import EnqueueRequest
from corvo.http.api.schema.worker import (
    AckItem,
    AckResult,
    BeatItem,
    BeatRequest,
    FailRequest,
    FetchedJob,
    JobId,
    PulseBody,
    ReleaseRequest,
)

STREAM_ENQUEUES_MAX = 1_000


class FailItem(FailRequest):
    job_id: JobId | None = None


class ReleaseItem(ReleaseRequest):
    job_id: JobId | None = None


class NumberedLine(msgspec.Struct):
    """As much of a line as its answer needs."""

    request_id: int


class StreamLine(NumberedLine, forbid_unknown_fields=True):
    """What a worker says. Queues, worker and host are remembered for the lines that follow."""

    queues: Annotated[list[str], Meta(max_length=FETCH_QUEUES_MAX)] | None = None
    worker_id: Annotated[str, Meta(max_length=256)] | None = None
    hostname: Annotated[str, Meta(max_length=256)] | None = None
    lease_duration: Annotated[int, Meta(ge=1, le=3_600)] | None = None
    fetch_count: Annotated[int, Meta(ge=0, le=FETCH_BATCH_JOBS_MAX)] | None = None
    wait_ms: Annotated[int, Meta(ge=0, le=FETCH_WAIT_S_MAX * 1_000)] | None = None
    heartbeats: dict[JobId, BeatRequest | None] | list[BeatItem] | None = None
    acks: Annotated[list[AckItem], Meta(max_length=ACK_BATCH_ITEMS_MAX)] | None = None
    fails: Annotated[list[FailItem], Meta(max_length=ACK_BATCH_ITEMS_MAX)] | None = None
    releases: Annotated[list[ReleaseItem], Meta(max_length=ACK_BATCH_ITEMS_MAX)] | None = None
    enqueues: Annotated[list[EnqueueRequest], Meta(max_length=STREAM_ENQUEUES_MAX)] | None = None


class FailResult(msgspec.Struct, omit_defaults=True):
    job_id: str
    #: retrying or dead; else refused, with the code of the reason.
    status: str
    attempts_remaining: int | UnsetType = UNSET
    next_attempt_at: str | UnsetType = UNSET
    code: str | UnsetType = UNSET


class ReleaseResult(msgspec.Struct, omit_defaults=True):
    job_id: str
    #: released, or refused with the code of the reason.
    status: str
    code: str | UnsetType = UNSET


class EnqueueResult(msgspec.Struct, omit_defaults=True):
    job_id: str | UnsetType = UNSET
    #: The state the job is in, duplicate, or refused with the code of the reason.
    status: str = ""
    unique_existing: bool | UnsetType = UNSET
    error: str | UnsetType = UNSET
    code: str | UnsetType = UNSET


class StreamAnswer(msgspec.Struct, omit_defaults=True):
    """What the server says: to a line, or without one if it has a `cancel` or a `ping`."""

    request_id: int | UnsetType = UNSET
    heartbeats: dict[str, PulseBody] | UnsetType = UNSET
    cancel: list[str] | UnsetType = UNSET
    acked: int | UnsetType = UNSET
    ack_results: list[AckResult] | UnsetType = UNSET
    failed: list[FailResult] | UnsetType = UNSET
    released: list[ReleaseResult] | UnsetType = UNSET
    enqueued_job_ids: list[str] | UnsetType = UNSET
    enqueue_results: list[EnqueueResult] | UnsetType = UNSET
    jobs: list[FetchedJob] | UnsetType = UNSET
    error: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    retry_after_ms: int | UnsetType = UNSET
    leader_addr: str | UnsetType = UNSET
    #: Members of the line that were ignored.
    warnings: list[str] | UnsetType = UNSET
    ping: bool | UnsetType = UNSET


def job_id_of(item: Any, place: str) -> str:
    if not item.job_id:
        raise ValidationFailed(f"{place}: job_id is required")
    job_id: str = item.job_id
    return job_id
