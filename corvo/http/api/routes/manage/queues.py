"""Queues. Their counters are kept by the state machine, never counted."""

from functools import partial

import msgspec

from corvo.actors.events.messages import GetRates, Rates, RatesFound
from corvo.actors.state.questions import AwaitDrained, Drained, ListQueues, QueueInfo, QueuesListed
from corvo.core.errors import NotFound, QueueQuotaExceeded, Stale, ValidationFailed
from corvo.core.limits import QUEUES_AT_ONCE, UPKEEP_IDS_MAX
from corvo.core.namespace import Qualified
from corvo.http.api.routes.waiting import wait_ms
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema import queues as schema
from corvo.http.api.schema.actions import StatusBody
from corvo.http.api.stats import every_queue
from corvo.http.serve.access.queue_access import queue_for
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.off_loop import off_loop
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.base import Op
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, LimitQueue, PauseQueue, ThrottleQueue

_encode = msgspec.json.Encoder().encode


@route(
    "GET /api/v1/queues", needs="queues:read", returns=list[schema.QueueBody], errors=(Stale,), tag="Queues"
)
async def list_queues(request: Request, ctx: EdgeContext) -> Response:
    """All queues with their settings and live counters, by name."""
    await ctx.await_index(request)
    queues = await every_queue(ctx, request.reach)
    rates = await _rates(request, ctx, queues)
    return Response(200, await off_loop(lambda: _encode(_bodies(queues, rates)), len(queues)))


async def _rates(request: Request, ctx: EdgeContext, queues: list[QueueInfo]) -> dict[Qualified, Rates]:
    names = tuple(info.queue.name for info in queues)
    rates: dict[Qualified, Rates] = {}
    for at in range(0, len(names), QUEUES_AT_ONCE):
        some = GetRates(request.reach, names[at : at + QUEUES_AT_ONCE])
        found: RatesFound = await ctx.ask(ctx.actors.throughput, some)
        rates |= found.by_queue
    return rates


def _bodies(queues: list[QueueInfo], rates: dict[Qualified, Rates]) -> list[schema.QueueBody]:
    bodies = []
    for info in queues:
        body = schema.queue_body(info)
        body.rates = schema.rates_body(rates.get(info.queue.name))
        bodies.append(body)
    return bodies


@route(
    "GET /api/v1/queues/{name}",
    needs="queues:read",
    returns=schema.QueueBody,
    errors=(NotFound, ValidationFailed, Stale),
    tag="Queues",
)
async def get_queue(request: Request, ctx: EdgeContext) -> Response:
    """One queue with its settings and live counters."""
    await ctx.await_index(request)
    listed: QueuesListed = await ctx.ask(ctx.actors.fsm, ListQueues((_name(request),), request.reach))
    if not listed.queues:
        raise NotFound(f"queue {request.params['name']} does not exist")
    rates = await _rates(request, ctx, listed.queues)
    return Response(200, _encode(_bodies(listed.queues, rates)[0]))


def _change(op: Op, status: str) -> WriteIntent:
    return WriteIntent((op,), OP_OVERHEAD_BYTES, partial(_changed, status))


def _changed(status: str, written: Written) -> Response:
    written.check()
    return written.response(200, _encode(StatusBody(status)))


def _name(request: Request) -> Qualified:
    return queue_for(request, request.params["name"])


#: Settings may come before the first job of a queue; a client that means an existing queue says so.
_EXISTING = {"existing": "true: answer 404 if there is no such queue, instead of making it."}
_SETTING_ERRORS = (*WRITE_ERRORS, NotFound, QueueQuotaExceeded)


def _existing(request: Request) -> bool:
    return request.query.get("existing") in ("1", "true")


@route(
    "POST /api/v1/queues/{name}/pause",
    needs="queues:pause",
    returns=StatusBody,
    errors=_SETTING_ERRORS,
    tag="Queues",
    query=_EXISTING,
)
def pause(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Hand out no more jobs of this queue."""
    return _change(PauseQueue(_name(request), paused=True, existing=_existing(request)), "paused")


@route(
    "POST /api/v1/queues/{name}/resume",
    needs="queues:resume",
    returns=StatusBody,
    errors=_SETTING_ERRORS,
    tag="Queues",
    query=_EXISTING,
)
def resume(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Hand out jobs of this queue again."""
    return _change(PauseQueue(_name(request), paused=False, existing=_existing(request)), "resumed")


@route(
    "POST /api/v1/queues/{name}/drain",
    needs="queues:drain",
    returns=schema.DrainBody,
    errors=_SETTING_ERRORS,
    tag="Queues",
    query={"wait": "How long to wait for active jobs to finish, such as 30s.", **_EXISTING},
)
def drain(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Hand out no more jobs and let active ones finish; with `wait`, answer when they have."""
    op = PauseQueue(_name(request), paused=True, existing=_existing(request))
    drained = partial(_drained, ctx, op.queue, wait_ms(request))
    return WriteIntent((op,), OP_OVERHEAD_BYTES, drained, waits=True)


async def _drained(ctx: EdgeContext, name: Qualified, patience_ms: int, written: Written) -> Response:
    written.check()
    drained: Drained = await ctx.ask_patiently(ctx.actors.fsm, AwaitDrained(name, patience_ms), patience_ms)
    status = "draining" if drained.active else "drained"
    if not patience_ms:
        status = "draining"
    return written.response(200, _encode(schema.DrainBody(status, drained.active)))


@route(
    "POST /api/v1/queues/{name}/concurrency",
    needs="queues:write",
    body=schema.ConcurrencyRequest,
    returns=StatusBody,
    errors=_SETTING_ERRORS,
    tag="Queues",
    query=_EXISTING,
)
def concurrency(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Limit how many jobs of this queue are active at once; nothing or 0 removes the limit."""
    most = decode(request, schema.ConcurrencyRequest).max
    limit = most if most and most > 0 else None
    return _change(LimitQueue(_name(request), limit, _existing(request)), "ok")


@route(
    "POST /api/v1/queues/{name}/throttle",
    needs="queues:write",
    body=schema.ThrottleRequest,
    returns=StatusBody,
    errors=_SETTING_ERRORS,
    tag="Queues",
    query=_EXISTING,
)
def throttle(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Limit how many jobs of this queue are handed out within any window of a given length."""
    rate, window_ms = schema.throttle(decode(request, schema.ThrottleRequest))
    return _change(ThrottleQueue(_name(request), rate, window_ms, _existing(request)), "ok")


@route(
    "DELETE /api/v1/queues/{name}/throttle",
    needs="queues:write",
    returns=StatusBody,
    errors=_SETTING_ERRORS,
    tag="Queues",
    query=_EXISTING,
)
def unthrottle(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Remove the limit on how fast jobs are handed out."""
    return _change(ThrottleQueue(_name(request), None, None, _existing(request)), "ok")


@route(
    "POST /api/v1/queues/{name}/clear",
    needs="queues:clear",
    returns=schema.ClearedBody,
    errors=(*WRITE_ERRORS, NotFound, Stale),
    tag="Queues",
)
async def clear(request: Request, ctx: EdgeContext) -> Response:
    """Remove the pending and scheduled jobs of this queue."""
    op = ClearQueue(_name(request), UPKEEP_IDS_MAX)
    deleted, written = await ctx.work_off(request, op, OP_OVERHEAD_BYTES)
    return written.response(200, _encode(schema.ClearedBody("cleared", deleted)))


@route(
    "DELETE /api/v1/queues/{name}",
    needs="queues:delete",
    returns=schema.ClearedBody,
    errors=(*WRITE_ERRORS, NotFound, Stale),
    tag="Queues",
    query={"confirm": "Must be true."},
)
async def destroy(request: Request, ctx: EdgeContext) -> Response:
    """Remove this queue with all its jobs, active ones included."""
    if request.query.get("confirm") != "true":
        raise ValidationFailed("this removes the queue and all its jobs; add ?confirm=true if you mean it")
    op = DeleteQueue(_name(request), UPKEEP_IDS_MAX)
    deleted, written = await ctx.work_off(request, op, OP_OVERHEAD_BYTES)
    return written.response(200, _encode(schema.ClearedBody("deleted", deleted)))
