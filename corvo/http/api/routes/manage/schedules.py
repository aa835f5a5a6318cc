"""Schedules: jobs that come by the clock (docs/reference/cron.md)."""

from functools import partial
from urllib.parse import quote

import msgspec
from msgspec import UNSET

from corvo.actors.time.messages import FindSchedule, ListSchedules, ScheduleFound, SchedulesListed
from corvo.core.errors import Conflict, NotFound, ParseError, Stale, ValidationFailed
from corvo.core.firing import first_ns
from corvo.core.limits import PREVIEW_TIMES_DEFAULT, PREVIEW_TIMES_MAX, SCHEDULES_PAGE_MAX
from corvo.core.namespace import name_of
from corvo.core.schedule import Plan, Schedule
from corvo.core.times import parse_time_ns
from corvo.http.api.routes.writing import JOB_OVERHEAD_BYTES, OP_OVERHEAD_BYTES, WRITE_ERRORS, maker_of
from corvo.http.api.schema import schedules as schema
from corvo.http.api.schema.actions import StatusBody
from corvo.http.api.schema.enqueue import EnqueueResponse
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.off_loop import off_loop
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.cron import DeleteSchedule, RunSchedule, SetSchedule
from corvo.ops.results import Enqueued, ScheduleChanged

_encode = msgspec.json.Encoder().encode

#: A change is computed from what was read; if another client was faster it is computed anew.
_TRIES_MAX = 5


@route(
    "GET /api/v1/schedules",
    needs="schedules:read",
    returns=list[schema.ScheduleBody],
    errors=(ValidationFailed, Stale),
    tag="Schedules",
    query={
        "limit": "How many, up to 1000 (the default).",
        "after": "Begin after this name: the X-Corvo-Next of the page before.",
    },
)
async def list_schedules(request: Request, ctx: EdgeContext) -> Response:
    """All schedules by name. If there are more, the header X-Corvo-Next says where the next page begins."""
    limit = request.int_query("limit", SCHEDULES_PAGE_MAX, least=1, most=SCHEDULES_PAGE_MAX)
    await ctx.await_index(request)
    question = ListSchedules(request.query.get("after", ""), limit, request.reach)
    listed: SchedulesListed = await ctx.ask(ctx.actors.fsm, question)
    response = Response(200, _encode([schema.schedule_body(found) for found in listed.schedules]))
    if listed.more:
        response.headers = [(b"x-corvo-next", quote(name_of(listed.schedules[-1].plan.name)).encode())]
    return response


@route(
    "POST /api/v1/schedules",
    needs="schedules:write",
    body=schema.ScheduleRequest,
    returns=schema.ScheduleBody,
    status=201,
    errors=(*WRITE_ERRORS, Conflict),
    tag="Schedules",
)
def create_schedule(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Make a schedule: from now on jobs like this come by the clock."""
    body = decode(request, schema.ScheduleRequest)
    plan = schema.new_plan(body, maker_of(request, ctx))
    op = _op(request, ctx, None, None, plan)
    return WriteIntent((op,), _size(op), partial(_changed, 201))


@route(
    "POST /api/v1/schedules/preview",
    needs="schedules:read",
    body=schema.PreviewRequest,
    returns=schema.PreviewBody,
    errors=(ParseError, ValidationFailed),
    tag="Schedules",
)
async def preview(request: Request, ctx: EdgeContext) -> Response:
    """The next fire times of a cron expression, without making a schedule of it."""
    body = decode(request, schema.PreviewRequest)
    count = PREVIEW_TIMES_DEFAULT if body.n is None else min(max(body.n, 1), PREVIEW_TIMES_MAX)
    times = partial(schema.preview_body, schema.timing(body), _after_ns(body.after, ctx), count)
    return _preview(await off_loop(times))


@route(
    "GET /api/v1/schedules/{schedule_id}",
    needs="schedules:read",
    returns=schema.ScheduleBody,
    errors=(NotFound, Stale),
    tag="Schedules",
)
async def get_schedule(request: Request, ctx: EdgeContext) -> Response:
    """One schedule, by its id or its name, with its latest runs."""
    return Response(200, _encode(schema.schedule_body(await _read(request, ctx))))


@route(
    "PUT /api/v1/schedules/{schedule_id}",
    needs="schedules:write",
    body=schema.ScheduleRequest,
    returns=schema.ScheduleBody,
    errors=(*WRITE_ERRORS, NotFound, Conflict, Stale),
    tag="Schedules",
)
async def change_schedule(request: Request, ctx: EdgeContext) -> Response:
    """Change a schedule: members that are given replace the old ones.

    With `version`, only if it has not been changed since that version was read.
    """
    return await _change(request, ctx, decode(request, schema.ScheduleRequest))


@route(
    "POST /api/v1/schedules/{schedule_id}/enable",
    needs="schedules:write",
    returns=schema.ScheduleBody,
    errors=(*WRITE_ERRORS, NotFound, Conflict, Stale),
    tag="Schedules",
)
async def enable_schedule(request: Request, ctx: EdgeContext) -> Response:
    """Let a schedule fire again, from now on: what it would have done meanwhile is not made up for."""
    return await _change(request, ctx, schema.ScheduleRequest(enabled=True))


@route(
    "POST /api/v1/schedules/{schedule_id}/disable",
    needs="schedules:write",
    returns=schema.ScheduleBody,
    errors=(*WRITE_ERRORS, NotFound, Conflict, Stale),
    tag="Schedules",
)
async def disable_schedule(request: Request, ctx: EdgeContext) -> Response:
    """Keep a schedule from firing; it can still be run by hand."""
    return await _change(request, ctx, schema.ScheduleRequest(enabled=False))


@route(
    "DELETE /api/v1/schedules/{schedule_id}",
    needs="schedules:write",
    returns=StatusBody,
    errors=(*WRITE_ERRORS, NotFound, Stale),
    tag="Schedules",
)
async def delete_schedule(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Remove a schedule. Jobs it has made stay."""
    return WriteIntent((DeleteSchedule(await _id(request, ctx), request.reach),), OP_OVERHEAD_BYTES, _deleted)


def _deleted(written: Written) -> Response:
    written.check()
    return written.response(200, _encode(StatusBody("deleted")))


@route(
    "POST /api/v1/schedules/{schedule_id}/run",
    needs="schedules:write",
    returns=EnqueueResponse,
    status=201,
    also=(200,),
    errors=(*WRITE_ERRORS, NotFound, Stale),
    tag="Schedules",
)
async def run_schedule(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Make one job of the schedule now, whether it is enabled or not; its fire times stay as they are.

    Answers 201, or 200 with the id of the job that holds the unique lock.
    """
    return WriteIntent((RunSchedule(await _id(request, ctx), request.reach),), OP_OVERHEAD_BYTES, _born)


def _born(written: Written) -> Response:
    born = written.result
    assert isinstance(born, Enqueued)
    if born.job is None:
        answer = EnqueueResponse(born.job_id, "duplicate", unique_existing=True, unique_job_id=born.job_id)
        return written.response(200, _encode(answer))
    answer = EnqueueResponse(born.job_id, born.job.state.label, unique_existing=False)
    return written.response(201, _encode(answer))


@route(
    "GET /api/v1/schedules/{schedule_id}/preview",
    needs="schedules:read",
    returns=schema.PreviewBody,
    errors=(NotFound, ValidationFailed, Stale),
    tag="Schedules",
    query={
        "n": "How many, up to 100; 20 if left out.",
        "after": "Fire times after this, such as 2026-03-08T00:00:00Z; after now if left out.",
    },
)
async def preview_schedule(request: Request, ctx: EdgeContext) -> Response:
    """The next fire times of a schedule; of one that is disabled, what they would be."""
    count = request.int_query("n", PREVIEW_TIMES_DEFAULT, least=1, most=PREVIEW_TIMES_MAX)
    after_ns = _after_ns(request.query.get("after"), ctx)
    found = await _read(request, ctx)
    return _preview(await off_loop(partial(schema.preview_body, found.plan.timing, after_ns, count)))


# Reading


async def _read(request: Request, ctx: EdgeContext) -> Schedule:
    await ctx.await_index(request)
    found: ScheduleFound = await ctx.ask(
        ctx.actors.fsm, FindSchedule(request.params["schedule_id"], request.reach)
    )
    return found.schedule


async def _id(request: Request, ctx: EdgeContext) -> str:
    """The id of the schedule. One that is gone is not found by its name, but a repeated request is known."""
    given = request.params["schedule_id"]
    if given.startswith("sched_"):
        return given
    try:
        return (await _read(request, ctx)).id
    except NotFound:
        if await ctx.recall(request) is None:
            raise
        return given


def _after_ns(text: str | None, ctx: EdgeContext) -> int:
    return parse_time_ns(text, "after") if text else ctx.clock.now_ns()


def _preview(body: schema.PreviewBody) -> Response:
    return Response(200, _encode(body))


# Writing


async def _change(request: Request, ctx: EdgeContext, body: schema.ScheduleRequest) -> Response:
    tries = 0
    while True:
        try:
            found = await _read(request, ctx)
        except NotFound:
            # It may have another name since, by this very request.
            recalled = await ctx.recall(request)
            if not isinstance(recalled, ScheduleChanged):
                raise
            replayed = Written(0, [], replayed=True)
            return replayed.response(200, _encode(schema.schedule_body(recalled.schedule)))
        plan = schema.changed_plan(found.plan, body, maker_of(request, ctx))
        version = body.version if isinstance(body.version, int) else found.version
        try:
            op = _op(request, ctx, found, version, plan)
            return _changed(200, await ctx.submit(request, (op,), _size(op)))
        except Conflict as error:
            tries += 1
            if not _may_try_again(request, body, error) or tries == _TRIES_MAX:
                raise


def _may_try_again(request: Request, body: schema.ScheduleRequest, error: Conflict) -> bool:
    """Not if the name is taken, if the client named a version, or if the refusal is kept for repetitions."""
    return (
        "version" in error.facts
        and body.version in (UNSET, None)
        and request.header(b"idempotency-key") is None
    )


def _op(
    request: Request, ctx: EdgeContext, was: Schedule | None, version: int | None, plan: Plan
) -> SetSchedule:
    at_ns = first_ns(was, plan.timing, ctx.clock.now_ns()) if plan.enabled else None
    if was is None:
        return SetSchedule(ctx.ids.new("sched"), None, plan, at_ns, reach=request.reach)
    return SetSchedule(was.id, version, plan, at_ns, was.dealt_ns, request.reach)


def _size(op: SetSchedule) -> int:
    return JOB_OVERHEAD_BYTES + OP_OVERHEAD_BYTES + len(op.plan.pattern.payload)


def _changed(status: int, written: Written) -> Response:
    changed = written.result
    assert isinstance(changed, ScheduleChanged)
    return written.response(status, _encode(schema.schedule_body(changed.schedule)))
