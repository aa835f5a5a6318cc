"""Searching jobs (docs/reference/search.md). Answered by the mirror, which is brought up to date first."""

import msgspec

from corvo.actors.mirror.messages import (
    FullText,
    FullTextFound,
    Query,
    SearchJobs,
    SearchPage,
    SearchRequest,
)
from corvo.actors.state.questions import StatesSummed, SumStates
from corvo.core.clock import NS_PER_MS
from corvo.core.errors import Overloaded, ParseError, Stale, ValidationFailed
from corvo.core.states import JobState
from corvo.http.api.schema.search import FullTextBody, SearchBody, full_text_body, search_body
from corvo.http.api.unsearchable import sealed_queues, unsearchable
from corvo.http.serve.access.queue_access import check_scope
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.off_loop import off_loop
from corvo.http.serve.redaction import PAYLOAD_READ, check_search
from corvo.http.serve.route import route
from corvo.http.wire.message import Headers, Request, Response

_encode = msgspec.json.Encoder().encode

_FULL_TEXT_RESULTS_MAX = 500


@route(
    "POST /api/v1/jobs/search",
    needs="jobs:search",
    body=SearchRequest,
    returns=SearchBody,
    errors=(ParseError, ValidationFailed, Stale, Overloaded),
)
async def search(request: Request, ctx: EdgeContext) -> Response:
    """Jobs that fit all filters, page by page."""
    return await _answer(request, ctx, query_of(request, decode(request, SearchRequest)))


@route(
    "GET /api/v1/dead",
    needs="jobs:search",
    returns=SearchBody,
    errors=(ValidationFailed, Stale, Overloaded),
    query={
        "queue": "Only of this queue.",
        "limit": "At most this many, up to 1000.",
        "cursor": "From the page before.",
        "order": "asc for the oldest first.",
    },
)
async def dead(request: Request, ctx: EdgeContext) -> Response:
    """Jobs that have failed for good, newest first."""
    wanted = SearchRequest(
        state=[JobState.DEAD.label],
        queue=request.query.get("queue"),
        cursor=request.query.get("cursor"),
        order=request.query.get("order"),
        limit=request.int_query("limit", 50, least=1, most=1_000),
    )
    return await _answer(request, ctx, query_of(request, wanted))


def query_of(request: Request, wanted: SearchRequest) -> Query:
    """The search, confined to what the client may see. A queue out of its scope is refused by name."""
    check_search(request, wanted)
    if wanted.queue and request.reach is not None:
        check_scope(request, wanted.queue)
    return wanted.query(request.reach)


async def _answer(request: Request, ctx: EdgeContext, query: Query) -> Response:
    index = await ctx.read_index(request)
    unseen = await unsearchable(request, ctx, query)
    total = await _known_total(ctx, query)
    page: SearchPage = await ctx.ask(ctx.actors.mirror_reader, SearchJobs(query, index, total))
    took_ms = (ctx.clock.monotonic_ns() - request.started_ns) / NS_PER_MS
    body = await off_loop(lambda: _encode(search_body(page, round(took_ms, 3), unseen)), len(page.hits))
    return Response(200, body, headers=staleness(request, stale=page.stale))


async def _known_total(ctx: EdgeContext, query: Query) -> int | None:
    """Queues count their jobs by state, so some totals need no counting."""
    if not query.is_counted():
        return None
    counted: StatesSummed = await ctx.ask(ctx.actors.fsm, SumStates(query.queue, query.reach))
    states = query.states or tuple(JobState)
    return sum(counted.counts[state] for state in states) if counted.counts else 0


def staleness(request: Request, *, stale: bool) -> Headers:
    """A client that asked for an index gets it or an error; others are told that the view is behind."""
    if not stale:
        return []
    if request.header(b"x-corvo-min-index") is not None:
        raise Stale("the search view has not reached the index asked for")
    return [(b"x-corvo-stale", b"true")]


@route(
    "GET /api/v1/search/fulltext",
    needs="jobs:search",
    returns=FullTextBody,
    errors=(ValidationFailed, Stale, Overloaded),
    query={"q": "Words that must all occur; the last may be incomplete.", "limit": "At most this many."},
)
async def full_text(request: Request, ctx: EdgeContext) -> Response:
    """Jobs by the words of their payload, tags, queue and id, newest first."""
    q = request.query.get("q", "").strip()
    if not q:
        raise ValidationFailed("q is required")
    ctx.access.may(request, PAYLOAD_READ)
    limit = request.int_query("limit", 50, least=1, most=_FULL_TEXT_RESULTS_MAX)
    index = await ctx.read_index(request)
    found: FullTextFound = await ctx.ask(
        ctx.actors.mirror_reader, FullText(q, limit, min_index=index, reach=request.reach)
    )
    unseen = await sealed_queues(request, ctx)
    return Response(
        200, _encode(full_text_body(q, found, unseen)), headers=staleness(request, stale=found.stale)
    )
