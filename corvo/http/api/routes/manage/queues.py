"""Queues (SPEC 2.11). Their counters are kept by the state machine, never counted."""

import msgspec

from corvo.actors.events.throughput import GetRates, RatesFound
from corvo.actors.messages import AwaitDrained, Drained, ListQueues, QueuesListed
from corvo.core.errors import NotFound, Stale, ValidationFailed
from corvo.core.limits import UPKEEP_IDS_MAX
from corvo.http.api.routes.waiting import wait_ms
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema import queues as schema
from corvo.http.api.schema.actions import StatusBody
from corvo.http.api.schema.enqueue import queue_name
from corvo.http.serve.context import Context
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response
from corvo.ops.base import Op
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, LimitQueue, PauseQueue, ThrottleQueue

_encode = msgspec.json.Encoder().encode


@route(
    "GET /api/v1/queues", needs="queues:read", returns=list[schema.QueueBody], errors=(Stale,), tag="Queues"
)
async def list_queues(request: Request, ctx: Context) -> Response:
    """All queues with their settings and live counters, by name."""
    await ctx.await_index(request)
    return Response(200, _encode(await _bodies(ctx, None)))


async def _bodies(ctx: Context, names: tuple[str, ...] | None) -> list[schema.QueueBody]:
    listed: QueuesListed = await ctx.ask(ctx.actors.fsm, ListQueues(names))
    rates: RatesFound = await ctx.ask(ctx.actors.throughput, GetRates())
    bodies = [schema.queue_body(info) for info in listed.queues]
    for body in bodies:
        body.rates = schema.rates_body(rates.by_queue.get(body.name))
    return bodies


@route(
    "GET /api/v1/queues/{name}",
    needs="queues:read",
    returns=schema.QueueBody,
    errors=(NotFound, Stale),
    tag="Queues",
)
async def get_queue(request: Request, ctx: Context) -> Response:
    """One queue with its settings and live counters."""
    await ctx.await_index(request)
    name = request.params["name"]
    bodies = await _bodies(ctx, (name,))
    if not bodies:
        raise NotFound(f"queue {name} does not exist")
    return Response(200, _encode(bodies[0]))


async def _change(request: Request, ctx: Context, op: Op, status: str) -> Response:
    _, written = await ctx.submit_one(request, op, OP_OVERHEAD_BYTES)
    return written.response(200, _encode(StatusBody(status)))


def _name(request: Request) -> str:
    return queue_name(request.params["name"])


@route(
    "POST /api/v1/queues/{name}/pause",
    needs="queues:pause",
    returns=StatusBody,
    errors=WRITE_ERRORS,
    tag="Queues",
)
async def pause(request: Request, ctx: Context) -> Response:
    """Hand out no more jobs of this queue."""
    return await _change(request, ctx, PauseQueue(_name(request), paused=True), "paused")


@route(
    "POST /api/v1/queues/{name}/resume",
    needs="queues:resume",
    returns=StatusBody,
    errors=WRITE_ERRORS,
    tag="Queues",
)
async def resume(request: Request, ctx: Context) -> Response:
    """Hand out jobs of this queue again."""
    return await _change(request, ctx, PauseQueue(_name(request), paused=False), "resumed")


@route(
    "POST /api/v1/queues/{name}/drain",
    needs="queues:drain",
    returns=schema.DrainBody,
    errors=WRITE_ERRORS,
    tag="Queues",
    query={"wait": "How long to wait for active jobs to finish, such as 30s."},
)
async def drain(request: Request, ctx: Context) -> Response:
    """Hand out no more jobs and let active ones finish; with `wait`, answer when they have."""
    name = _name(request)
    patience_ms = wait_ms(request)
    _, written = await ctx.submit_one(request, PauseQueue(name, paused=True), OP_OVERHEAD_BYTES)
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
    errors=WRITE_ERRORS,
    tag="Queues",
)
async def concurrency(request: Request, ctx: Context) -> Response:
    """Limit how many jobs of this queue are active at once; nothing or 0 removes the limit."""
    most = decode(request.body, schema.ConcurrencyRequest).max
    limit = most if most and most > 0 else None
    return await _change(request, ctx, LimitQueue(_name(request), limit), "ok")


@route(
    "POST /api/v1/queues/{name}/throttle",
    needs="queues:write",
    body=schema.ThrottleRequest,
    returns=StatusBody,
    errors=WRITE_ERRORS,
    tag="Queues",
)
async def throttle(request: Request, ctx: Context) -> Response:
    """Limit how many jobs of this queue are handed out within any window of a given length."""
    rate, window_ms = schema.throttle(decode(request.body, schema.ThrottleRequest))
    return await _change(request, ctx, ThrottleQueue(_name(request), rate, window_ms), "ok")


@route(
    "DELETE /api/v1/queues/{name}/throttle",
    needs="queues:write",
    returns=StatusBody,
    errors=WRITE_ERRORS,
    tag="Queues",
)
async def unthrottle(request: Request, ctx: Context) -> Response:
    """Remove the limit on how fast jobs are handed out."""
    return await _change(request, ctx, ThrottleQueue(_name(request), None, None), "ok")


@route(
    "POST /api/v1/queues/{name}/clear",
    needs="queues:clear",
    returns=schema.ClearedBody,
    errors=(*WRITE_ERRORS, NotFound, Stale),
    tag="Queues",
)
async def clear(request: Request, ctx: Context) -> Response:
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
async def destroy(request: Request, ctx: Context) -> Response:
    """Remove this queue with all its jobs, active ones included."""
    if request.query.get("confirm") != "true":
        raise ValidationFailed("this removes the queue and all its jobs; add ?confirm=true if you mean it")
    op = DeleteQueue(_name(request), UPKEEP_IDS_MAX)
    deleted, written = await ctx.work_off(request, op, OP_OVERHEAD_BYTES)
    return written.response(200, _encode(schema.ClearedBody("deleted", deleted)))
