"""Bulk tasks: what runs in the background, how it gets on, and how to stop it."""

from collections.abc import AsyncIterator
from functools import partial

import msgspec

from corvo.actors.bulk.messages import (
    BulkListed,
    BulkMoved,
    BulkWording,
    FindBulk,
    ListBulk,
    StopWatching,
    WatchBulk,
    Watching,
)
from corvo.actors.channel import Channel
from corvo.core.bulk import BulkTask
from corvo.core.errors import BulkRefused, NotFound, Overloaded, Stale, ValidationFailed
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema.bulk import BulkListBody, BulkTaskBody, progress_body, task_body
from corvo.http.api.sse import KEEP_ALIVE, STREAM_HEADERS, frame, revoke
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.bulk import CancelBulk
from corvo.ops.results import BulkChanged

_encode = msgspec.json.Encoder().encode


def _moved(task: BulkTask) -> bytes:
    body = progress_body(task)
    return frame(body.type, body)


WORDING = BulkWording(moved=_moved, keep_alive=KEEP_ALIVE)


@route(
    "GET /api/v1/bulk",
    needs="bulk:read",
    returns=BulkListBody,
    errors=(ValidationFailed, Stale),
    tag="Bulk",
    query={"limit": "At most this many, up to 200.", "cursor": "From the page before."},
)
async def list_bulk(request: Request, ctx: EdgeContext) -> Response:
    """Bulk tasks of the last day, newest first."""
    await ctx.await_index(request)
    limit = request.int_query("limit", 50, least=1, most=200)
    question = ListBulk(request.query.get("cursor") or None, limit, request.reach)
    listed: BulkListed = await ctx.ask(ctx.actors.fsm, question)
    body = BulkListBody([task_body(task) for task in listed.tasks], listed.has_more)
    if listed.has_more:
        body.cursor = listed.tasks[-1].id
    return Response(200, _encode(body))


@route(
    "GET /api/v1/bulk/{task_id}",
    needs="bulk:read",
    returns=BulkTaskBody,
    errors=(NotFound, ValidationFailed, Stale),
    tag="Bulk",
)
async def get_bulk(request: Request, ctx: EdgeContext) -> Response:
    """How a bulk task stands, with the first hundred jobs it left alone."""
    await ctx.await_index(request)
    found: BulkMoved = await ctx.ask(ctx.actors.fsm, FindBulk(request.params["task_id"], request.reach))
    return Response(200, _encode(task_body(found.task)))


@route(
    "POST /api/v1/bulk/{task_id}/cancel",
    needs="jobs:bulk",
    returns=BulkTaskBody,
    errors=(*WRITE_ERRORS, NotFound, BulkRefused),
    tag="Bulk",
)
def cancel_bulk(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Stop a bulk task after the step under way. What it has done stays done."""
    return WriteIntent(
        (CancelBulk(request.params["task_id"], reach=request.reach),), OP_OVERHEAD_BYTES, _cancelled
    )


def _cancelled(written: Written) -> Response:
    changed = written.result
    assert isinstance(changed, BulkChanged)
    return written.response(200, _encode(task_body(changed.task)))


@route(
    "GET /api/v1/bulk/{task_id}/progress",
    needs="bulk:read",
    errors=(NotFound, Overloaded),
    tag="Bulk",
)
async def bulk_progress(request: Request, ctx: EdgeContext) -> Response:
    """How a bulk task gets on (server-sent events), until it ends."""
    task_id = request.params["task_id"]
    await ctx.ask(ctx.actors.fsm, FindBulk(task_id, request.reach))
    channel = Channel()
    answer: Watching = await ctx.ask(ctx.actors.bulk_watch, WatchBulk(task_id, channel))
    if not answer.accepted:
        raise Overloaded("too many streams are open", retry_after_ms=1_000)
    return Response(
        200,
        content_type=b"text/event-stream",
        headers=STREAM_HEADERS,
        stream=_stream(request, ctx, task_id, channel),
    )


async def _stream(request: Request, ctx: EdgeContext, task_id: str, channel: Channel) -> AsyncIterator[bytes]:
    try:
        with ctx.access.watch(request, partial(revoke, channel)):
            async for chunk in channel.read():
                yield chunk
    finally:
        ctx.system.tell(ctx.actors.bulk_watch, StopWatching(task_id, channel))
