"""Workers, as they are known from their fetches and heartbeats."""

import msgspec

from corvo.actors.state.questions import ListWorkers, WorkersListed
from corvo.http.api.schema.workers import WorkerBody, merge, worker_body
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


@route("GET /api/v1/workers", needs="workers:read", returns=list[WorkerBody], tag="Workers")
async def list_workers(request: Request, ctx: EdgeContext) -> Response:
    """Workers seen within the last day, latest first."""
    stored: WorkersListed = await ctx.ask(ctx.actors.fsm, ListWorkers(request.reach))
    polling: WorkersListed = await ctx.ask(ctx.actors.fetch_desk, ListWorkers(request.reach))
    now_ns = ctx.clock.now_ns()
    active = stored.active_jobs
    bodies = [worker_body(w, active.get(w.id, 0), now_ns) for w in merge(stored.workers, polling.workers)]
    return Response(200, _encode(bodies))
