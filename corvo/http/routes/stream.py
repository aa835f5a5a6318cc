"""The worker stream (SPEC 9.3): everything a worker says and hears, over one request."""

from corvo.core.errors import Overloaded, ShuttingDown, StreamLimit
from corvo.http.context import Context
from corvo.http.message import Request, Response
from corvo.http.route import route
from corvo.http.sse import STREAM_HEADERS
from corvo.http.stream import Conversation


@route(
    "POST /api/v1/stream",
    needs="fetch:write",
    errors=(StreamLimit, Overloaded, ShuttingDown),
    hot=True,
    duplex=True,
    tag="Workers",
)
async def stream(request: Request, ctx: Context) -> Response:
    """Heartbeats, acks, fails, releases, enqueues and fetches, one JSON object per line, both ways.

    Each line has a `request_id` and is answered by a line with the same, in order; up to 16 may be under way.
    The server puts in `{"cancel":[...]}` when a job is taken away, and `{"ping":true}` when nothing happens.
    """
    if ctx.conversations.is_full:
        raise StreamLimit("as many streams are open as this node takes", retry_after_ms=5_000)
    assert request.incoming is not None
    assert request.gone is not None
    return Response(
        200,
        content_type=b"application/x-ndjson",
        headers=STREAM_HEADERS,
        stream=ctx.conversations.hold(Conversation(ctx, request.incoming, request.gone)),
    )
