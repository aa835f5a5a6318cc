"""Enqueue requests: what producers may say of a job, and how it becomes a NewJob (docs/reference/jobs.md)."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from corvo.core import backoff
from corvo.core.backoff import Backoff
from corvo.core.clock import NS_PER_MS
from corvo.core.errors import Forbidden, PayloadTooLarge, ValidationFailed
from corvo.core.job import Chain, DependencyFailure, Step, Unique, UniqueUntil
from corvo.core.limits import (
    CHAIN_STEPS_MAX,
    DEPENDENCIES_MAX,
    DURATION_MS_MAX,
    ENQUEUE_BATCH_JOBS_MAX,
    MAX_RETRIES_DEFAULT,
    MAX_RETRIES_MAX,
    RETRY_BASE_DELAY_MS_DEFAULT,
    RETRY_MAX_DELAY_MS_DEFAULT,
    TAG_BYTES_MAX,
    TAGS_MAX,
    UNIQUE_KEY_CHARS_MAX,
    UNIQUE_PERIOD_S_DEFAULT,
    UNIQUE_PERIOD_S_MAX,
)
from corvo.core.namespace import Qualified, Reach, name_of
from corvo.core.priority import Priority, priority_of
from corvo.core.times import format_time_ns, parse_duration_ms, parse_time_ns
from corvo.http.api.schema.job import JobBody
from corvo.http.serve.access.queue_access import within
from corvo.http.serve.readable_numbers import check_numbers
from corvo.ops.enqueue import NewBatch, NewFlow, NewJob

_UNTIL = {until.name.lower(): until for until in UniqueUntil}
_DEPENDENCY_FAILURES = {mode.name.lower(): mode for mode in DependencyFailure}

#: Makes a new id with this prefix.
MakeId = Callable[[str], str]

Milliseconds = Annotated[int, Meta(ge=0, le=DURATION_MS_MAX)]


class StepRequest(msgspec.Struct, forbid_unknown_fields=True):
    """One step of a chain, or one of its handlers."""

    queue: str | None = None
    payload: Raw | UnsetType = UNSET


class ChainRequest(msgspec.Struct, forbid_unknown_fields=True):
    """Jobs that follow one another. A handler may be given by the name of its queue alone."""

    steps: Annotated[list[StepRequest], Meta(max_length=CHAIN_STEPS_MAX)] | None = None
    on_failure: str | StepRequest | None = None
    on_exit: str | StepRequest | None = None


class CallbackRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The job that follows when all jobs of a batch have ended."""

    callback_queue: str | None = None
    callback_payload: Raw | UnsetType = UNSET


class EnqueueRequest(msgspec.Struct, forbid_unknown_fields=True):
    """One job. Unknown members are ignored with a warning, or refused to a strict client; null is absent."""

    queue: str | None = None
    payload: Raw | UnsetType = UNSET
    priority: str | int | None = None
    unique_key: Annotated[str, Meta(max_length=UNIQUE_KEY_CHARS_MAX)] | None = None
    unique_period: Annotated[int, Meta(le=UNIQUE_PERIOD_S_MAX)] | None = None
    unique_until: str | None = None
    max_retries: Annotated[int, Meta(ge=0, le=MAX_RETRIES_MAX)] | None = None
    retry_backoff: str | None = None
    retry_base_delay: str | None = None
    retry_base_delay_ms: Milliseconds | None = None
    retry_max_delay: str | None = None
    retry_max_delay_ms: Milliseconds | None = None
    retry_jitter: Annotated[float, Meta(ge=0, le=1)] | None = None
    scheduled_at: str | None = None
    #: Like `scheduled_at`, but counted from now by the server's clock.
    delay: str | None = None
    expire_after: str | None = None
    expire_after_ms: Milliseconds | None = None
    tags: dict[str, str] | None = None
    checkpoint: Raw | UnsetType = UNSET
    parent_id: Annotated[str, Meta(max_length=64)] | None = None
    group: Annotated[str, Meta(max_length=256)] | None = None
    batch_id: Annotated[str, Meta(max_length=64)] | None = None
    chain: ChainRequest | None = None
    depends_on: Annotated[list[str], Meta(max_length=DEPENDENCIES_MAX)] | None = None
    allow_missing: bool | None = None
    on_dependency_failure: str | None = None


class EnqueueOrBatchRequest(EnqueueRequest):
    """One job; or, with `jobs`, a batch, which newer clients send to the same address."""

    jobs: list[EnqueueRequest] | None = None
    batch: CallbackRequest | None = None


class EnqueueBatchRequest(msgspec.Struct, forbid_unknown_fields=True):
    jobs: list[EnqueueRequest] | None = None
    batch: CallbackRequest | None = None


class EnqueueResponse(msgspec.Struct, omit_defaults=True):
    job_id: str
    status: str
    unique_existing: bool | UnsetType = UNSET
    unique_job_id: str | UnsetType = UNSET
    job: JobBody | UnsetType = UNSET


class BatchItem(msgspec.Struct, omit_defaults=True):
    id: str
    queue: str
    state: str
    unique_existing: bool | UnsetType = UNSET


class EnqueueBatchResponse(msgspec.Struct, omit_defaults=True):
    job_ids: list[str]
    jobs: list[BatchItem]
    batch_id: str | UnsetType = UNSET


# From request to op


class Maker(NamedTuple):
    """What jobs of one client are made with."""

    new_id: MakeId
    payload_max: int
    namespace: str
    reach: Reach | None

    def queue(self, name: str | None) -> Qualified:
        """The queue that the client means, if it may touch it."""
        return within(self.namespace, self.reach, name)


def set_time(request: EnqueueRequest, now_ns: int, where: str = "") -> None:
    """A delay becomes a time."""
    if request.delay:
        if request.scheduled_at is not None:
            raise ValidationFailed(f"{where}delay and scheduled_at exclude each other")
        due_ns = now_ns + parse_duration_ms(request.delay, f"{where}delay") * NS_PER_MS
        request.scheduled_at = format_time_ns(due_ns)


def set_times(requests: list[EnqueueRequest] | None, now_ns: int, member: str = "jobs") -> None:
    for number, request in enumerate(requests or ()):
        set_time(request, now_ns, f"{member}[{number}]: ")


def new_job(request: EnqueueRequest, maker: Maker) -> NewJob:
    """Every field checked; what is not allowed is refused by name."""
    payload_max = maker.payload_max
    return NewJob(
        job_id=maker.new_id("job"),
        queue=maker.queue(request.queue),
        payload=json_bytes(request.payload, "payload", payload_max) or b"{}",
        priority=parse_priority(request.priority),
        max_retries=MAX_RETRIES_DEFAULT if request.max_retries is None else request.max_retries,
        backoff=_backoff(request.retry_backoff),
        retry_base_ms=_duration(
            request.retry_base_delay,
            request.retry_base_delay_ms,
            "retry_base_delay",
            RETRY_BASE_DELAY_MS_DEFAULT,
        ),
        retry_max_ms=_duration(
            request.retry_max_delay, request.retry_max_delay_ms, "retry_max_delay", RETRY_MAX_DELAY_MS_DEFAULT
        ),
        retry_jitter=request.retry_jitter or 0.0,
        unique=_unique(request) if request.unique_key or request.unique_until else None,
        scheduled_ns=None
        if request.scheduled_at is None
        else parse_time_ns(request.scheduled_at, "scheduled_at"),
        expire_after_ms=_duration(request.expire_after, request.expire_after_ms, "expire_after", None),
        tags=_tags(request.tags) if request.tags else None,
        checkpoint=json_bytes(request.checkpoint, "checkpoint", payload_max),
        parent_id=request.parent_id or None,
        group=request.group or None,
        flow=_flow(request, maker),
    )


def new_jobs(requests: list[EnqueueRequest] | None, maker: Maker) -> list[NewJob]:
    if not requests:
        raise ValidationFailed("jobs must hold at least one job")
    if len(requests) > ENQUEUE_BATCH_JOBS_MAX:
        raise ValidationFailed(
            f"jobs holds {len(requests)} jobs; at most {ENQUEUE_BATCH_JOBS_MAX} go into one request"
        )
    made = []
    for number, request in enumerate(requests):
        try:
            made.append(new_job(request, maker))
        except (ValidationFailed, PayloadTooLarge, Forbidden) as error:
            raise type(error)(f"jobs[{number}]: {error.message}") from None
    return made


def json_bytes(raw: Raw | UnsetType, field: str, most: int) -> bytes | None:
    """A client's own JSON, kept as it came; null counts as absent."""
    if raw is UNSET:
        return None
    data = bytes(raw)
    if most and len(data) > most:
        raise PayloadTooLarge(f"{field} has {len(data)} bytes; at most {most} are accepted")
    check_numbers(data, field)
    return None if data == b"null" else data


def new_batch(request: CallbackRequest, maker: Maker) -> NewBatch:
    return NewBatch(
        batch_id=maker.new_id("batch"),
        callback_queue=maker.queue(request.callback_queue) if request.callback_queue else None,
        callback_payload=json_bytes(request.callback_payload, "callback_payload", maker.payload_max),
        namespace=maker.namespace,
    )


def _flow(request: EnqueueRequest, maker: Maker) -> NewFlow | None:
    """What ties the job to other jobs; None for the many that have no such ties."""
    mode = DependencyFailure.FAIL
    if request.on_dependency_failure:
        found = _DEPENDENCY_FAILURES.get(request.on_dependency_failure)
        if found is None:
            raise ValidationFailed(f"on_dependency_failure is not one of {', '.join(_DEPENDENCY_FAILURES)}")
        mode = found
    if not (request.batch_id or request.chain or request.depends_on):
        return None
    ids = (job_id.strip() for job_id in request.depends_on or ())
    return NewFlow(
        batch_id=request.batch_id or None,
        chain_id=maker.new_id("chn") if request.chain else None,
        chain=_chain(request.chain, request.queue, maker) if request.chain else None,
        depends_on=tuple(dict.fromkeys(job_id for job_id in ids if job_id)),
        on_dependency_failure=mode,
        allow_missing=bool(request.allow_missing),
    )


def _chain(request: ChainRequest, queue: str | None, maker: Maker) -> Chain:
    steps = tuple(_step(step, f"chain.steps[{n}]", maker) for n, step in enumerate(request.steps or ()))
    if len(steps) < 2:
        raise ValidationFailed("chain.steps must hold at least two steps")
    if steps[0].queue != maker.queue(queue):
        first = name_of(steps[0].queue)
        raise ValidationFailed(f"chain.steps[0].queue is {first!r} but the job's queue is {queue!r}")
    return Chain(
        steps=steps,
        on_failure=_handler(request.on_failure, "chain.on_failure", maker),
        on_exit=_handler(request.on_exit, "chain.on_exit", maker),
    )


def _handler(given: str | StepRequest | None, field: str, maker: Maker) -> Step | None:
    """Some clients write a word here: stop and continue mean that there is no handler."""
    if given is None or given in ("", "stop", "continue"):
        return None
    return _step(StepRequest(given) if isinstance(given, str) else given, field, maker)


def _step(request: StepRequest, field: str, maker: Maker) -> Step:
    try:
        queue = maker.queue(request.queue)
    except (ValidationFailed, Forbidden) as error:
        raise type(error)(f"{field}: {error.message}") from None
    return Step(queue, json_bytes(request.payload, f"{field}.payload", maker.payload_max))


def parse_priority(given: str | int | None) -> Priority:
    if given is None or given == "":
        return Priority.NORMAL
    return priority_of(given)


def _backoff(given: str | None) -> Backoff:
    if not given:
        return Backoff.EXPONENTIAL
    found = backoff.BY_LABEL.get(given)
    if found is None:
        raise ValidationFailed(f"retry_backoff: {given[:40]!r} is not one of {', '.join(backoff.BY_LABEL)}")
    return found


def _duration(text: str | None, ms: int | None, field: str, default: Any) -> Any:
    if text:
        return parse_duration_ms(text, field)
    return default if ms is None else ms


def _unique(request: EnqueueRequest) -> Unique | None:
    until = UniqueUntil.SUCCESS
    if request.unique_until:
        found = _UNTIL.get(request.unique_until)
        if found is None:
            raise ValidationFailed(
                f"unique_until: {request.unique_until[:40]!r} is not one of {', '.join(_UNTIL)}"
            )
        until = found
    if not request.unique_key:
        return None
    period = request.unique_period or 0
    return Unique(request.unique_key, period if period > 0 else UNIQUE_PERIOD_S_DEFAULT, until)


def _tags(tags: dict[str, str]) -> dict[str, str]:
    if len(tags) > TAGS_MAX:
        raise ValidationFailed(f"tags holds {len(tags)} pairs; at most {TAGS_MAX} are accepted")
    for key, value in tags.items():
        if len(key.encode()) > TAG_BYTES_MAX or len(value.encode()) > TAG_BYTES_MAX:
            raise ValidationFailed(f"tags: a key and a value may have {TAG_BYTES_MAX} bytes each")
    return tags
