"""Bodies of the bulk endpoints (docs/reference/bulk.md)."""

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from corvo.actors.mirror.messages import SearchRequest
from corvo.core.bulk import ENDED, BulkFailure, BulkStatus, BulkTask
from corvo.core.errors import BulkRefused, ValidationFailed
from corvo.core.namespace import Qualified, name_of
from corvo.core.priority import Priority
from corvo.core.times import format_time_ns
from corvo.http.api.schema.actions import ReasonText
from corvo.http.api.schema.enqueue import parse_priority
from corvo.http.api.schema.job import JobBody
from corvo.ops.job_admin import ON_JOBS, Action
from corvo.ops.results import ActFailure

#: Ids in one request; for more there is the filter.
IDS_MAX = 100_000
RATE_MAX = 1_000_000

_ACTIONS = {action.name.lower(): action for action in ON_JOBS}


class BulkRequest(msgspec.Struct, forbid_unknown_fields=True):
    #: With a mistyped member of the filter left out, all jobs there are would fit.
    STRICT: ClassVar[bool] = True

    action: str | None = None
    job_ids: list[Annotated[str, Meta(max_length=64)]] | None = None
    filter: SearchRequest | None = None
    move_to_queue: str | None = None
    priority: str | int | None = None
    reason: ReasonText | None = None
    is_async: bool | None = msgspec.field(name="async", default=None)
    #: Jobs per second, for those that run in the background.
    rate: Annotated[int, Meta(ge=0, le=RATE_MAX)] | None = None
    dry_run: bool | None = None


class Deed(msgspec.Struct, frozen=True):
    """What is to be done to each job."""

    action: Action
    queue: Qualified | None
    priority: Priority | None
    reason: str | None


def deed_of(body: BulkRequest, find: Callable[[str], Qualified]) -> Deed:
    action = _ACTIONS.get(body.action or "")
    if action is None:
        raise BulkRefused(f"action: {(body.action or '')[:40]!r} is none of {', '.join(_ACTIONS)}")
    queue = priority = None
    if action is Action.MOVE:
        if not body.move_to_queue:
            raise ValidationFailed("move_to_queue is required")
        queue = find(body.move_to_queue)
    if action is Action.CHANGE_PRIORITY:
        if body.priority is None or body.priority == "":
            raise ValidationFailed("priority is required")
        priority = parse_priority(body.priority)
    if action is Action.RESEAL:
        # Only the leader's bulk runner knows how.
        body.is_async = True
    if body.job_ids is None and body.filter is None:
        raise ValidationFailed("job_ids or filter is required")
    if body.filter is not None:
        _check_filter(body.filter)
    if len(body.job_ids or ()) > IDS_MAX:
        raise ValidationFailed(f"job_ids: at most {IDS_MAX} fit into one request; use a filter for more")
    return Deed(action, queue, priority, body.reason)


def _check_filter(wanted: SearchRequest) -> None:
    """A search shows too much if it is misunderstood; a bulk request would do too much."""
    if (wanted.limit, wanted.cursor) != (None, None):
        raise ValidationFailed("filter: a bulk request takes every job that fits, so no limit and no cursor")
    for name, value in msgspec.structs.asdict(wanted).items():
        if value in ("", [], {}):
            # A search takes it for a filter that was not filled in; here that might mean every job there is.
            raise ValidationFailed(f"filter.{name} is empty; leave it out if any will do")


class FailureBody(msgspec.Struct):
    job_id: str
    code: str
    error: str


def failure_bodies(failures: tuple[BulkFailure, ...] | list[ActFailure]) -> list[FailureBody]:
    return [FailureBody(failure.job_id, failure.code, failure.message) for failure in failures]


class BulkDoneBody(msgspec.Struct):
    affected: int
    errors: int
    #: Jobs left alone, because they are gone or in a state that does not fit.
    skipped: int
    duration_ms: int
    #: The first hundred of those left alone.
    failures: list[FailureBody]


class BulkPreviewBody(msgspec.Struct):
    """What a dry run answers: nothing was changed."""

    dry_run: bool
    count: int
    by_state: dict[str, int]
    sample: list[JobBody]


class BulkQueuedBody(msgspec.Struct):
    bulk_operation_id: str
    status: str
    estimated_total: int
    progress_url: str


def queued_body(task: BulkTask) -> BulkQueuedBody:
    return BulkQueuedBody(task.id, BulkStatus.QUEUED.label, _total(task), f"/api/v1/bulk/{task.id}/progress")


class BulkTaskBody(msgspec.Struct, omit_defaults=True):
    id: str
    status: str
    action: str
    total: int
    processed: int
    affected: int
    errors: int
    skipped: int
    created_at: str
    updated_at: str
    failures: list[FailureBody]
    move_to_queue: str | UnsetType = UNSET
    rate: int | UnsetType = UNSET
    filter: Any = UNSET
    error: str | UnsetType = UNSET
    finished_at: str | UnsetType = UNSET
    #: The principal that asked for it, if one is known.
    by: str | UnsetType = UNSET


def task_body(task: BulkTask) -> BulkTaskBody:
    body = BulkTaskBody(
        id=task.id,
        status=task.status.label,
        action=Action(task.action).name.lower(),
        total=_total(task),
        processed=task.processed,
        affected=task.affected,
        errors=0,
        skipped=task.skipped,
        created_at=format_time_ns(task.created_ns),
        updated_at=format_time_ns(task.updated_ns),
        failures=failure_bodies(task.failures),
        move_to_queue=name_of(task.queue) if task.queue else UNSET,
        rate=task.rate or UNSET,
        error=task.error or UNSET,
        by=task.by or UNSET,
    )
    if task.filter is not None:
        body.filter = msgspec.Raw(task.filter)
    if task.finished_ns is not None:
        body.finished_at = format_time_ns(task.finished_ns)
    return body


class BulkListBody(msgspec.Struct, omit_defaults=True):
    tasks: list[BulkTaskBody]
    has_more: bool
    cursor: str | UnsetType = UNSET


class BulkProgressBody(msgspec.Struct, omit_defaults=True):
    type: str
    task_id: str
    status: str
    total: int
    processed: int
    affected: int
    skipped: int
    percent: float
    created_at_ns: int
    error: str | UnsetType = UNSET


def progress_body(task: BulkTask) -> BulkProgressBody:
    total = _total(task)
    return BulkProgressBody(
        type=f"bulk.async.{_phase(task)}",
        task_id=task.id,
        status=task.status.label,
        total=total,
        processed=task.processed,
        affected=task.affected,
        skipped=task.skipped,
        percent=100.0 if not total else round(100 * task.processed / total, 2),
        created_at_ns=task.updated_ns,
        error=task.error or UNSET,
    )


def _phase(task: BulkTask) -> str:
    if task.status in ENDED:
        return task.status.label
    return "progress" if task.processed else "started"


def _total(task: BulkTask) -> int:
    """Counted once all jobs are written down; expected until then."""
    return max(task.total, task.expected) if task.status is BulkStatus.QUEUED else task.total
