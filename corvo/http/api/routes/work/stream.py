"""The worker stream (docs/reference/stream.md): everything a worker says and hears, over one request."""

from functools import partial

import msgspec

from corvo.core.errors import Overloaded, QuotaExceeded, ShuttingDown, StreamLimit
from corvo.http.api.routes.writing import WRITE_ERRORS
from corvo.http.api.schema.connect import RpcAnswer, RpcRequest, answer_of, line_of
from corvo.http.api.schema.stream import StreamAnswer
from corvo.http.api.sse import STREAM_HEADERS
from corvo.http.api.stream import WorkerStream
from corvo.http.api.stream_line import StreamSession, fetched, shape, take_apart
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import Written
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


@route(
    "POST /api/v1/stream",
    needs="fetch:write",
    errors=(StreamLimit, Overloaded, ShuttingDown, QuotaExceeded),
    hot=True,
    duplex=True,
    tag="Workers",
)
async def stream(request: Request, ctx: EdgeContext) -> Response:
    """Heartbeats, acks, fails, releases, enqueues and fetches, one JSON object per line, both ways.

    Each line has a `request_id` and is answered by a line with the same, in order; up to 16 may be under way.
    The server puts in `{"cancel":[...]}` when a job is taken away, and `{"ping":true}` when nothing happens.
    """
    ctx.tenants.check_streams(request.namespace)
    if ctx.open_streams.is_full:
        raise StreamLimit("as many streams are open as this node takes", retry_after_ms=5_000)
    return Response(
        200,
        content_type=b"application/x-ndjson",
        headers=STREAM_HEADERS,
        stream=ctx.open_streams.hold(WorkerStream(ctx, request), partial(ctx.access.watch, request)),
    )


@route(
    "POST /corvo.v1.WorkerService/StreamLifecycle",
    needs="fetch:write",
    body=RpcRequest,
    returns=RpcAnswer,
    errors=WRITE_ERRORS,
    tag="Workers",
)
async def stream_lifecycle(request: Request, ctx: EdgeContext) -> Response:
    """One exchange of acks, enqueues and a fetch, as older RPC clients send it."""
    line = line_of(decode(request, RpcRequest))
    work = take_apart(line, StreamSession(), request, ctx)
    ctx.charge(request, work.jobs)
    answer = StreamAnswer(request_id=line.request_id)
    replayed = False
    if work.ops:
        written = await ctx.submit(request, work.ops, work.size_bytes)
        shape(answer, work, written.outcomes)
        replayed = written.replayed
    if work.wait is not None:
        handed = await ctx.wait_for_jobs(request, work.wait, part="fetch")
        answer.jobs = fetched(handed)
        replayed = replayed or handed.replayed
    return Written(0, [], replayed).response(200, _encode(answer_of(answer)))
