"""A job as clients see it (docs/reference/jobs.md). Members that are not set are left out."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from corvo.actors.state.questions import ErrorsFound
from corvo.core.backoff import Backoff
from corvo.core.job import DependencyFailure, Flow, Job, JobError, Step, UniqueUntil
from corvo.core.namespace import name_of
from corvo.core.priority import Priority
from corvo.core.states import LABELS, JobState
from corvo.core.times import format_duration, format_time_ns

_PRIORITY_NAMES = {priority: priority.label for priority in Priority}
_BACKOFF_NAMES = {strategy: strategy.label for strategy in Backoff}
_UNTIL_NAMES = {until: until.name.lower() for until in UniqueUntil}
_DEPENDENCY_FAILURE_NAMES = {mode: mode.name.lower() for mode in DependencyFailure}


class WorkerRef(msgspec.Struct, omit_defaults=True):
    id: str
    hostname: str | UnsetType = UNSET


class ErrorBody(msgspec.Struct, omit_defaults=True):
    """One failure of a job."""

    id: int
    job_id: str
    attempt: int
    error: str
    created_at: str
    at: str
    backtrace: str | UnsetType = UNSET


class StepBody(msgspec.Struct, omit_defaults=True):
    queue: str
    payload: Any = UNSET


class ChainBody(msgspec.Struct, omit_defaults=True):
    """The chain a job is part of, and what it depends on: one member for both, as older clients expect."""

    steps: list[StepBody] | UnsetType = UNSET
    on_failure: StepBody | UnsetType = UNSET
    on_exit: StepBody | UnsetType = UNSET
    depends_on: list[str] | UnsetType = UNSET


class JobBody(msgspec.Struct, omit_defaults=True):
    id: str
    queue: str
    state: str
    payload: Any
    priority: int
    priority_name: str
    attempt: int
    max_retries: int
    retry_backoff: str
    retry_base_delay_ms: int
    retry_max_delay_ms: int
    retry_base_delay: str
    retry_max_delay: str
    created_at: str
    retry_jitter: float | UnsetType = UNSET
    unique_key: str | UnsetType = UNSET
    unique_period: int | UnsetType = UNSET
    unique_until: str | UnsetType = UNSET
    worker_id: str | UnsetType = UNSET
    hostname: str | UnsetType = UNSET
    worker: WorkerRef | UnsetType = UNSET
    tags: dict[str, str] | UnsetType = UNSET
    progress: Any = UNSET
    checkpoint: Any = UNSET
    result: Any = UNSET
    lease_expires_at: str | UnsetType = UNSET
    lease_version: int | UnsetType = UNSET
    #: Leases lost in a row: at `--max-lease-expirations` of them the job is given up.
    lease_losses: int | UnsetType = UNSET
    scheduled_at: str | UnsetType = UNSET
    expire_at: str | UnsetType = UNSET
    parent_id: str | UnsetType = UNSET
    batch_id: str | UnsetType = UNSET
    chain_id: str | UnsetType = UNSET
    chain_step: int | UnsetType = UNSET
    chain_config: ChainBody | UnsetType = UNSET
    depends_on: list[str] | UnsetType = UNSET
    #: Of those, how many have not completed yet.
    waiting_for: int | UnsetType = UNSET
    on_dependency_failure: str | UnsetType = UNSET
    group: str | UnsetType = UNSET
    started_at: str | UnsetType = UNSET
    completed_at: str | UnsetType = UNSET
    failed_at: str | UnsetType = UNSET
    cancelled_at: str | UnsetType = UNSET
    hold_reason: str | UnsetType = UNSET
    last_error: str | UnsetType = UNSET
    #: The newest ones, oldest of them first; and how many there are in all.
    errors: list[ErrorBody] | UnsetType = UNSET
    errors_total: int | UnsetType = UNSET


def job_body(job: Job, payload: bytes, errors: list[JobError] | None = None) -> JobBody:
    body = JobBody(
        id=job.id,
        queue=name_of(job.queue),
        state=LABELS[job.state],
        payload=Raw(payload),
        priority=int(job.priority),
        priority_name=_PRIORITY_NAMES[job.priority],
        attempt=job.attempt,
        max_retries=job.max_retries,
        retry_backoff=_BACKOFF_NAMES[job.backoff],
        retry_base_delay_ms=job.retry_base_ms,
        retry_max_delay_ms=job.retry_max_ms,
        retry_base_delay=format_duration(job.retry_base_ms),
        retry_max_delay=format_duration(job.retry_max_ms),
        created_at=format_time_ns(job.created_ns),
    )
    if job.lease_version:
        _add_history(body, job)
    if job.retry_jitter:
        body.retry_jitter = job.retry_jitter
    if job.unique is not None:
        body.unique_key = job.unique.key
        body.unique_period = job.unique.period_s
        body.unique_until = _UNTIL_NAMES[job.unique.until]
    if job.tags:
        body.tags = job.tags
    if job.checkpoint is not None:
        body.checkpoint = Raw(job.checkpoint)
    body.scheduled_at = UNSET if job.scheduled_ns is None else format_time_ns(job.scheduled_ns)
    body.expire_at = UNSET if job.expire_ns is None else format_time_ns(job.expire_ns)
    body.failed_at = UNSET if job.failed_ns is None else format_time_ns(job.failed_ns)
    body.cancelled_at = UNSET if job.cancelled_ns is None else format_time_ns(job.cancelled_ns)
    body.parent_id = job.parent_id or UNSET
    body.group = job.group or UNSET
    body.hold_reason = job.hold_reason or UNSET
    body.last_error = job.last_error or UNSET
    if job.flow is not None:
        _add_flow(body, job.flow)
    if errors:
        body.errors = _error_bodies(job, errors, job.error_count - len(errors))
        body.errors_total = job.error_count
    return body


class ErrorsBody(msgspec.Struct, omit_defaults=True):
    #: Oldest first; the page after this one has those before them.
    errors: list[ErrorBody]
    total: int
    has_more: bool
    cursor: str | UnsetType = UNSET


def errors_body(found: ErrorsFound) -> ErrorsBody:
    body = ErrorsBody(
        errors=_error_bodies(found.job, found.errors, found.first),
        total=found.job.error_count,
        has_more=found.first > found.job.first_error,
    )
    if body.has_more:
        body.cursor = str(found.first)
    return body


def _add_history(body: JobBody, job: Job) -> None:
    """What only a job has that was claimed at least once."""
    body.lease_version = job.lease_version
    body.lease_losses = job.lease_losses or UNSET
    body.started_at = _time(job.started_ns)
    body.completed_at = _time(job.completed_ns)
    if job.progress is not None:
        body.progress = Raw(job.progress)
    if job.result is not None:
        body.result = Raw(job.result)
    if job.state is JobState.ACTIVE and job.lease is not None:
        worker_id = body.worker_id = name_of(job.lease.worker_id)
        body.hostname = job.lease.hostname or UNSET
        body.worker = WorkerRef(worker_id, job.lease.hostname or UNSET)
        body.lease_expires_at = format_time_ns(job.lease.expires_ns)


def _add_flow(body: JobBody, flow: Flow) -> None:
    body.batch_id = flow.batch_id or UNSET
    config = ChainBody()
    if flow.chain_id is not None:
        body.chain_id = flow.chain_id
        body.chain_step = flow.chain_step
    if flow.chain is not None:
        config.steps = [_step_body(step) for step in flow.chain.steps]
        config.on_failure = UNSET if flow.chain.on_failure is None else _step_body(flow.chain.on_failure)
        config.on_exit = UNSET if flow.chain.on_exit is None else _step_body(flow.chain.on_exit)
    if flow.depends_on:
        body.depends_on = config.depends_on = list(flow.depends_on)
        body.waiting_for = flow.unmet or UNSET
        body.on_dependency_failure = _DEPENDENCY_FAILURE_NAMES[flow.on_dependency_failure]
    if flow.chain is not None or flow.depends_on:
        body.chain_config = config


def _step_body(step: Step) -> StepBody:
    return StepBody(name_of(step.queue), UNSET if step.payload is None else Raw(step.payload))


def _error_bodies(job: Job, errors: list[JobError], first: int) -> list[ErrorBody]:
    return [_error_body(job, number, error) for number, error in enumerate(errors, first)]


def _error_body(job: Job, number: int, error: JobError) -> ErrorBody:
    at = format_time_ns(error.at_ns)
    return ErrorBody(
        id=number + 1,
        job_id=job.id,
        attempt=error.attempt,
        error=error.error,
        created_at=at,
        at=at,
        backtrace=error.backtrace or UNSET,
    )


def _time(time_ns: int | None) -> str | UnsetType:
    return UNSET if time_ns is None else format_time_ns(time_ns)
