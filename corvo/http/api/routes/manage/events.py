"""Events as they happen, and the history of a job."""

from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial

import msgspec

from corvo.actors.channel import Channel
from corvo.actors.events.messages import Filter, FindHistory, HistoryFound, Listen, Listening, StopListening
from corvo.core.errors import NotFound, Overloaded, Stale, ValidationFailed
from corvo.core.events import BY_LABEL
from corvo.http.api.schema.events import EventBody, event_bodies
from corvo.http.api.sse import STREAM_HEADERS, revoke
from corvo.http.serve.access.queue_access import queue_for
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


class HistoryBody(msgspec.Struct):
    events: list[EventBody]
    #: False if the oldest part of the history is no longer kept.
    complete: bool


@route(
    "GET /api/v1/events",
    needs="events:read",
    errors=(ValidationFailed, Overloaded),
    tag="Events",
    query={
        "last_event_id": "Number of the last event seen; 0 for all there are. Also as Last-Event-ID.",
        "queues": 'Only of these queues, separated by commas; or as JSON: ["a,b","c"].',
        "job_ids": "Only of these jobs.",
        "types": "Only of these types.",
        "counters": "true: also changed queue counters, at most four times a second; only: nothing else.",
    },
)
async def events(request: Request, ctx: EdgeContext) -> Response:
    """A stream of lifecycle events (server-sent events), from now on or from where you were.

    Without last_event_id it begins with the number of the last event there is, as an `id` without an event:
    a client that loses the connection before the first event can go on from there.
    """
    counters = request.query.get("counters", "")
    if counters not in ("", "true", "false", "only"):
        raise ValidationFailed("counters is not one of true, false, only")
    channel = Channel()
    listen = Listen(
        channel=channel,
        filter=_filter(request),
        after_seq=_after_seq(request),
        events=counters != "only",
        counters=counters in ("true", "only"),
    )
    answer: Listening = await ctx.ask(ctx.actors.event_hub, listen)
    if not answer.accepted:
        raise Overloaded("too many streams are open", retry_after_ms=1_000)
    return Response(
        200,
        content_type=b"text/event-stream",
        headers=STREAM_HEADERS,
        stream=_stream(request, ctx, channel),
    )


async def _stream(request: Request, ctx: EdgeContext, channel: Channel) -> AsyncIterator[bytes]:
    try:
        with ctx.access.watch(request, partial(revoke, channel)):
            # A first line at once, so that clients and proxies know that they are connected.
            yield b":connected\n\n"
            async for chunk in channel.read():
                yield chunk
    finally:
        ctx.system.tell(ctx.actors.event_hub, StopListening(channel))


def _after_seq(request: Request) -> int | None:
    text = request.query.get("last_event_id") or request.header(b"last-event-id")
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise ValidationFailed("last_event_id is not a number")
    # Cut before it is read: Python refuses to read numbers of thousands of digits.
    return min(int(text.lstrip("0")[:20] or 0), 2**63)


def _filter(request: Request) -> Filter:
    types = _list(request, "types")
    for name in types or ():
        if name not in BY_LABEL:
            raise ValidationFailed(f"types: {name[:40]!r} is not a type of event")
    queues = _list(request, "queues")
    named = None if queues is None else frozenset(queue_for(request, name) for name in queues)
    return Filter(queues=named, job_ids=_list(request, "job_ids"), types=types, reach=request.reach)


def _list(request: Request, name: str) -> frozenset[str] | None:
    text = request.query.get(name, "")
    if text.startswith("["):
        # As JSON, for names with a comma in them. A name that only begins like that is none.
        with suppress(msgspec.DecodeError):
            return frozenset(msgspec.json.decode(text, type=list[str])) or None
    return frozenset(part.strip() for part in text.split(",") if part.strip()) or None


@route(
    "GET /api/v1/jobs/{job_id}/events",
    needs="jobs:read",
    returns=HistoryBody,
    errors=(NotFound, Stale),
    tag="Jobs",
)
async def job_events(request: Request, ctx: EdgeContext) -> Response:
    """What happened to a job, oldest first."""
    await ctx.await_index(request)
    found: HistoryFound = await ctx.ask(ctx.actors.fsm, FindHistory(request.params["job_id"], request.reach))
    return Response(200, _encode(HistoryBody(event_bodies(found.events), found.complete)))
