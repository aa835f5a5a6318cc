"""Queues. Their counters are kept by the state machine, never counted."""

import msgspec

from corvo.actors.messages import ListQueues, QueuesListed
from corvo.core.errors import Stale
from corvo.http.context import Context
from corvo.http.message import Request, Response
from corvo.http.route import route
from corvo.http.schema.queues import QueueBody, queue_body

_encode = msgspec.json.Encoder().encode


@route("GET /api/v1/queues", needs="queues:read", returns=list[QueueBody], errors=(Stale,), tag="Queues")
async def list_queues(request: Request, ctx: Context) -> Response:
    """All queues with their settings and live counters, by name."""
    await ctx.await_index(request)
    listed: QueuesListed = await ctx.ask(ctx.actors.fsm, ListQueues())
    return Response(200, _encode([queue_body(info) for info in listed.queues]))
