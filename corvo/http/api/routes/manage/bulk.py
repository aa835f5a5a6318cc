"""One action for many jobs (docs/reference/bulk.md): at once if they are few, else in the background."""

from collections import Counter
from functools import partial

import msgspec

from corvo.actors.mirror.messages import (
    CountByState,
    CountJobs,
    FindIds,
    Hit,
    IdsFound,
    JobsCounted,
    Query,
    SearchJobs,
    SearchPage,
    SearchRequest,
    StatesCounted,
)
from corvo.actors.state.questions import FindJobs, JobsFound, ListQueues, QueuesListed
from corvo.core.bulk import FAILURES_KEPT, STEP_JOBS_MAX, step_jobs
from corvo.core.clock import NS_PER_MS
from corvo.core.errors import BulkRefused, CorvoError, Stale, ValidationFailed
from corvo.core.ids import ID_BYTES
from corvo.core.limits import BULK_GET_IDS_MAX
from corvo.core.times import format_time_ns
from corvo.http.api.routes.manage.search import query_of
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema import bulk as schema
from corvo.http.api.schema.search import summary
from corvo.http.api.unsearchable import unsearchable
from corvo.http.serve.access.queue_access import queue_for
from corvo.http.serve.audit.note import answers, changes_nothing
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import Written
from corvo.http.wire.message import Request, Response
from corvo.ops.base import Op
from corvo.ops.bulk import AddBulkIds, CreateBulk, StartBulk
from corvo.ops.job_admin import ActMany
from corvo.ops.results import ActedMany, ActFailure, BulkChanged

_encode = msgspec.json.Encoder().encode

#: A client is not made to wait for more jobs than this: they are done in the background.
_AT_ONCE_MAX = 10_000
_IDS_PER_LOOK = 5_000
_SAMPLE = 5
#: How far an expected total is counted before the task begins.
_EXPECTED_MAX = 10_000_000


@route(
    "POST /api/v1/jobs/bulk",
    needs="jobs:bulk",
    body=schema.BulkRequest,
    returns=(schema.BulkDoneBody, schema.BulkQueuedBody, schema.BulkPreviewBody),
    also=(202,),
    errors=(*WRITE_ERRORS, BulkRefused, Stale),
    tag="Bulk",
)
async def bulk(request: Request, ctx: EdgeContext) -> Response:
    """Do one thing to many jobs, given by id or by filter; more than 10,000 in the background (202)."""
    body = decode(request, schema.BulkRequest)
    deed = schema.deed_of(body, partial(queue_for, request))
    if body.filter is not None and await unsearchable(request, ctx, query_of(request, body.filter)):
        raise ValidationFailed(
            "filter: it looks into texts that are sealed in some queues; name one that is not"
        )
    if body.dry_run:
        changes_nothing(request)
        return Response(200, _encode(await _preview(request, ctx, body)))
    async with ctx.alone(request):
        return await _act(request, ctx, body, deed)


async def _act(request: Request, ctx: EdgeContext, body: schema.BulkRequest, deed: schema.Deed) -> Response:
    recalled = await ctx.recall(request)
    if isinstance(recalled, ActedMany):
        return _done(request, ctx, recalled, Written(0, [], replayed=True))
    if recalled is not None:
        return Written(0, [], replayed=True).response(202, _encode(schema.queued_body(recalled.task)))
    if body.job_ids is not None:
        job_ids = list(dict.fromkeys(body.job_ids))
        if body.is_async or len(job_ids) > _AT_ONCE_MAX:
            return await _write_down(request, ctx, deed, body.rate, job_ids)
        return await _do_now(request, ctx, deed, job_ids)
    assert body.filter is not None
    index = await ctx.read_index(request)
    wanted = _existing(body.filter, await _next_birth_ns(ctx))
    query = query_of(request, wanted)
    counted: JobsCounted = await ctx.ask(
        ctx.actors.mirror_reader, CountJobs(query, _EXPECTED_MAX if body.is_async else _AT_ONCE_MAX, index)
    )
    if counted.stale:
        raise Stale("the search view is behind; try again in a moment")
    if body.is_async or counted.is_capped:
        return await _write_filter_down(request, ctx, deed, body.rate, wanted, counted)
    return await _do_now(request, ctx, deed, await _find_all(ctx, query, index))


async def _next_birth_ns(ctx: EdgeContext) -> int:
    """No job that is there now was created at this time or later."""
    listed: QueuesListed = await ctx.ask(ctx.actors.fsm, ListQueues(()))
    return listed.now_ns + 1


def _existing(wanted: SearchRequest, end_ns: int) -> SearchRequest:
    """The search without jobs that come while the others are being worked on."""
    before_ns = wanted.query().created.before_ns
    if before_ns is not None:
        end_ns = min(before_ns, end_ns)
    return msgspec.structs.replace(
        wanted, created_before=format_time_ns(end_ns), cursor=None, limit=None, sort=None, order=None
    )


# At once


async def _find_all(ctx: EdgeContext, query: Query, index: int) -> list[str]:
    job_ids: list[str] = []
    cursor = None
    while True:
        # Asked each time: a mirror that is rebuilt meanwhile may be behind the one that was counted.
        found: IdsFound = await ctx.ask(
            ctx.actors.mirror_reader, FindIds(query, cursor, _IDS_PER_LOOK, index)
        )
        if found.stale:
            raise Stale("the search view is behind; try again in a moment")
        job_ids += found.ids
        cursor = found.cursor
        if cursor is None or len(job_ids) > _AT_ONCE_MAX:
            return job_ids


async def _do_now(request: Request, ctx: EdgeContext, deed: schema.Deed, job_ids: list[str]) -> Response:
    affected = skipped = index = 0
    failures: list[ActFailure] = []
    for number, start in enumerate(range(0, len(job_ids), STEP_JOBS_MAX)):
        part = job_ids[start : start + STEP_JOBS_MAX]
        by = request.principal.by
        op = ActMany(deed.action, part, deed.queue, deed.priority, deed.reason, request.reach, by)
        size = OP_OVERHEAD_BYTES + len(part) * ID_BYTES
        acted, index = await ctx.submit_step(request, number, op, size)
        affected += acted.affected
        skipped += acted.skipped
        failures += acted.failures[: FAILURES_KEPT - len(failures)]
    result, written = await ctx.remember(request, ActedMany(affected, failures, skipped), index)
    return _done(request, ctx, result, written)


def _done(request: Request, ctx: EdgeContext, acted: ActedMany, written: Written) -> Response:
    body = schema.BulkDoneBody(
        affected=acted.affected,
        errors=0,
        skipped=acted.skipped,
        duration_ms=(ctx.clock.monotonic_ns() - request.started_ns) // NS_PER_MS,
        failures=schema.failure_bodies(acted.failures),
    )
    return written.response(200, _encode(body))


# In the background: the task is in the store before the answer is given.


async def _write_down(
    request: Request, ctx: EdgeContext, deed: schema.Deed, rate: int | None, job_ids: list[str]
) -> Response:
    create = _create(request, ctx, deed, rate, None, len(job_ids))
    size = step_jobs(create.rate)
    parts = [job_ids[start : start + size] for start in range(0, len(job_ids), size)]
    ops: list[Op] = [AddBulkIds(create.task_id, number, part) for number, part in enumerate(parts)]
    ops.append(StartBulk(create.task_id, len(parts)))
    return await _queued(request, ctx, (create, *ops), len(job_ids) * ID_BYTES)


async def _write_filter_down(
    request: Request,
    ctx: EdgeContext,
    deed: schema.Deed,
    rate: int | None,
    wanted: SearchRequest,
    counted: JobsCounted,
) -> Response:
    if counted.is_capped and counted.count < _EXPECTED_MAX:
        counted = await ctx.ask(ctx.actors.mirror_reader, CountJobs(query_of(request, wanted), _EXPECTED_MAX))
    search = msgspec.json.encode({k: v for k, v in msgspec.structs.asdict(wanted).items() if v is not None})
    create = _create(request, ctx, deed, rate, search, counted.count)
    return await _queued(request, ctx, (create,), len(search))


def _create(
    request: Request,
    ctx: EdgeContext,
    deed: schema.Deed,
    rate: int | None,
    search: bytes | None,
    expected: int,
) -> CreateBulk:
    return CreateBulk(
        task_id=ctx.ids.new("bulk"),
        action=deed.action,
        queue=deed.queue,
        priority=deed.priority,
        reason=deed.reason,
        rate=rate or None,
        filter=search,
        expected=expected,
        reach=request.reach,
        by=request.principal.by,
    )


async def _queued(request: Request, ctx: EdgeContext, ops: tuple[Op, ...], size_bytes: int) -> Response:
    answers(request, 202)
    # Submitted here, not returned as an intent: until it is written, a repetition has to wait.
    written = await ctx.submit(request, ops, OP_OVERHEAD_BYTES + size_bytes)
    first = written.outcomes[0]
    if isinstance(first, CorvoError):
        raise first
    assert isinstance(first, BulkChanged)
    return written.response(202, _encode(schema.queued_body(first.task)))


# Dry run


async def _preview(request: Request, ctx: EdgeContext, body: schema.BulkRequest) -> schema.BulkPreviewBody:
    index = await ctx.read_index(request)
    if body.job_ids is None:
        assert body.filter is not None
        wanted = msgspec.structs.replace(body.filter, limit=_SAMPLE, cursor=None)
        counted: StatesCounted = await ctx.ask(
            ctx.actors.mirror_reader, CountByState(query_of(request, wanted), index)
        )
        page: SearchPage = await ctx.ask(
            ctx.actors.mirror_reader, SearchJobs(query_of(request, wanted), index, 0)
        )
        if counted.stale or page.stale:
            raise Stale("the search view is behind; try again in a moment")
        by_state = {state.label: count for state, count in counted.counts.items() if count}
        return _preview_body(by_state, page.hits)
    job_ids = list(dict.fromkeys(body.job_ids))
    states: Counter[str] = Counter()
    hits: list[Hit] = []
    for start in range(0, len(job_ids), BULK_GET_IDS_MAX):
        found: JobsFound = await ctx.ask(
            ctx.actors.fsm, FindJobs(job_ids[start : start + BULK_GET_IDS_MAX], request.reach)
        )
        states.update(whole.job.state.label for whole in found.jobs)
        hits += [Hit(whole.job, whole.payload.decode()) for whole in found.jobs[: _SAMPLE - len(hits)]]
    return _preview_body(dict(states), hits)


def _preview_body(by_state: dict[str, int], hits: list[Hit]) -> schema.BulkPreviewBody:
    sample = [summary(hit) for hit in hits]
    return schema.BulkPreviewBody(
        dry_run=True, count=sum(by_state.values()), by_state=by_state, sample=sample
    )
