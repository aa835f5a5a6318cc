"""Bodies of the worker protocol: fetch, ack, fail, heartbeat, release (docs/reference/leases.md)."""

from collections.abc import Callable
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from corvo.core.errors import ValidationFailed
from corvo.core.limits import (
    ACK_BATCH_ITEMS_MAX,
    FETCH_BATCH_JOBS_MAX,
    FETCH_QUEUES_MAX,
    FETCH_WAIT_S_DEFAULT,
    FETCH_WAIT_S_MAX,
    HEARTBEAT_JOBS_MAX,
    HOSTNAME_CHARS_MAX,
    LEASE_S_DEFAULT,
    LEASE_S_MAX,
    REASON_CHARS_MAX,
    WORKER_ID_CHARS_MAX,
)
from corvo.core.namespace import Qualified, name_of
from corvo.core.times import format_time_ns
from corvo.http.api.schema.job import JobBody
from corvo.ops.results import WholeJob

#: Tokens are below 2^63 and travel as decimal text, because JavaScript would round the number.
Token = str | int | None
_TOKEN_DIGITS_MAX = 19
JobId = Annotated[str, Meta(max_length=64)]


class FetchRequest(msgspec.Struct, forbid_unknown_fields=True):
    queues: Annotated[list[str], Meta(max_length=FETCH_QUEUES_MAX)] | None = None
    worker_id: Annotated[str, Meta(max_length=WORKER_ID_CHARS_MAX)] | None = None
    hostname: Annotated[str, Meta(max_length=HOSTNAME_CHARS_MAX)] | None = None
    timeout: int | None = None
    lease_duration: Annotated[int, Meta(ge=1, le=LEASE_S_MAX)] | None = None


class FetchBatchRequest(FetchRequest):
    count: int | None = None


class FetchedJob(msgspec.Struct, omit_defaults=True):
    job_id: str
    queue: str
    payload: Any
    attempt: int
    max_retries: int
    lease_duration: int
    lease_token: str
    lease_version: int
    lease_expires_at: str
    priority: int
    checkpoint: Any = UNSET
    tags: dict[str, str] | UnsetType = UNSET
    parent_id: str | UnsetType = UNSET
    group: str | UnsetType = UNSET
    batch_id: str | UnsetType = UNSET
    chain_id: str | UnsetType = UNSET
    chain_step: int | UnsetType = UNSET


class FetchBatchResponse(msgspec.Struct):
    jobs: list[FetchedJob]


def fetched_job(claimed: WholeJob) -> FetchedJob:
    job = claimed.job
    lease = job.lease
    assert lease is not None
    body = FetchedJob(
        job_id=job.id,
        queue=name_of(job.queue),
        payload=Raw(claimed.payload),
        attempt=job.attempt,
        max_retries=job.max_retries,
        lease_duration=lease.length_ms // 1_000,
        lease_token=str(lease.token),
        lease_version=job.lease_version,
        lease_expires_at=format_time_ns(lease.expires_ns),
        priority=int(job.priority),
        checkpoint=UNSET if job.checkpoint is None else Raw(job.checkpoint),
        tags=job.tags or UNSET,
        parent_id=job.parent_id or UNSET,
        group=job.group or UNSET,
    )
    if job.flow is not None:
        body.batch_id = job.flow.batch_id or UNSET
        if job.flow.chain_id is not None:
            body.chain_id = job.flow.chain_id
            body.chain_step = job.flow.chain_step
    return body


class AckRequest(msgspec.Struct, forbid_unknown_fields=True):
    result: Raw | UnsetType = UNSET
    checkpoint: Raw | UnsetType = UNSET
    ack_status: str | None = None
    #: What older clients say of agent jobs, which this server does not have.
    agent_status: str | None = None
    hold_reason: Annotated[str, Meta(max_length=REASON_CHARS_MAX)] | None = None
    step_status: str | None = None
    exit_reason: Annotated[str, Meta(max_length=REASON_CHARS_MAX)] | None = None
    lease_token: Token = None


class AckItem(AckRequest):
    job_id: JobId | None = None


class AckBatchRequest(msgspec.Struct, forbid_unknown_fields=True):
    acks: list[AckItem] | None = None


class AckResponse(msgspec.Struct, omit_defaults=True):
    status: str
    state: str
    duplicate: bool | UnsetType = UNSET


class AckResult(msgspec.Struct, omit_defaults=True):
    job_id: str
    status: str
    duplicate: bool | UnsetType = UNSET


class AckBatchResponse(msgspec.Struct):
    acked: int
    results: list[AckResult]


class FailRequest(msgspec.Struct, forbid_unknown_fields=True):
    error: str | None = None
    backtrace: str | None = None
    retry: bool | None = None
    retry_after: str | None = None
    lease_token: Token = None


class FailResponse(msgspec.Struct, omit_defaults=True):
    status: str
    attempts_remaining: int
    attempt: int
    job: JobBody
    next_attempt_at: str | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET


class ReleaseRequest(msgspec.Struct, forbid_unknown_fields=True):
    checkpoint: Raw | UnsetType = UNSET
    delay: str | None = None
    lease_token: Token = None


class ReleaseResponse(msgspec.Struct, omit_defaults=True):
    status: str
    state: str
    scheduled_at: str | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET


class BeatRequest(msgspec.Struct, forbid_unknown_fields=True):
    progress: Raw | UnsetType = UNSET
    checkpoint: Raw | UnsetType = UNSET
    lease_token: Token = None


class BeatItem(BeatRequest):
    job_id: JobId | None = None


class HeartbeatRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Jobs by id, or as a list whose JSON members arrive as text."""

    jobs: dict[JobId, BeatRequest | None] | list[BeatItem] | None = None


class PulseBody(msgspec.Struct, omit_defaults=True):
    status: str
    reason: str | UnsetType = UNSET


class HeartbeatResponse(msgspec.Struct, omit_defaults=True):
    jobs: dict[str, PulseBody]
    acked: list[str]
    unknown: list[str]
    canceled: list[str]
    lease_expires_at: str | UnsetType = UNSET


# Checks


def fetch_queues(request: FetchRequest, find: Callable[[str], Qualified]) -> tuple[Qualified, ...]:
    if not request.queues:
        raise ValidationFailed("queues must name at least one queue")
    # A queue that is named twice counts once: the fetch must not wait in its line twice.
    return tuple(dict.fromkeys(map(find, request.queues)))


def wait_ms(request: FetchRequest) -> int:
    """How long to wait; a second less than asked, so that the answer is there before the client gives up."""
    asked = request.timeout if request.timeout and request.timeout > 0 else FETCH_WAIT_S_DEFAULT
    seconds = min(asked, FETCH_WAIT_S_MAX)
    return (seconds - 1 if seconds >= 5 else seconds) * 1_000


def lease_ms(request: FetchRequest) -> int:
    return (request.lease_duration or LEASE_S_DEFAULT) * 1_000


def fetch_count(request: FetchBatchRequest) -> int:
    return min(max(request.count or 1, 1), FETCH_BATCH_JOBS_MAX)


def ack_items(request: AckBatchRequest) -> list[AckItem]:
    if not request.acks:
        raise ValidationFailed("acks must hold at least one item")
    if len(request.acks) > ACK_BATCH_ITEMS_MAX:
        raise ValidationFailed(f"acks holds {len(request.acks)} items; at most {ACK_BATCH_ITEMS_MAX} fit")
    for number, item in enumerate(request.acks):
        if not item.job_id:
            raise ValidationFailed(f"acks[{number}]: job_id is required")
    return request.acks


def beats(request: HeartbeatRequest) -> list[tuple[str, BeatRequest, bool]]:
    """Job id, what is said of it, and whether its JSON came as text."""
    if request.jobs is None:
        raise ValidationFailed("jobs is required")
    if len(request.jobs) > HEARTBEAT_JOBS_MAX:
        raise ValidationFailed(f"jobs holds {len(request.jobs)} jobs; at most {HEARTBEAT_JOBS_MAX} fit")
    if isinstance(request.jobs, dict):
        # A fixed order, whatever order a client's map came in.
        return [(job_id, beat or BeatRequest(), False) for job_id, beat in sorted(request.jobs.items())]
    found: list[tuple[str, BeatRequest, bool]] = []
    for number, item in enumerate(request.jobs):
        if not item.job_id:
            raise ValidationFailed(f"jobs[{number}]: job_id is required")
        found.append((item.job_id, item, True))
    return found


def lease_token(given: Token, header: str | None, *, required: bool) -> int | None:
    """The token from the body, else from the header X-Corvo-Lease-Token."""
    token = given if given is not None and given != "" else header
    if token in (None, "", 0):
        if required:
            raise ValidationFailed("lease_token is required on this server")
        return None
    text = str(token)
    # Plain digits only: int() would also take signs, spaces and the digits of other scripts.
    if not (text.isascii() and text.isdigit()):
        raise ValidationFailed("lease_token is not a number")
    # Looked at before it is read: Python refuses to read numbers of thousands of digits.
    if len(text) > _TOKEN_DIGITS_MAX or not 0 < (number := int(text)) < 1 << 63:
        raise ValidationFailed("lease_token is out of range")
    return number
