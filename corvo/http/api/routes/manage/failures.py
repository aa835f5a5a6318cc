"""Failures, grouped by what their errors have in common. Answered by the mirror."""

import msgspec

from corvo.actors.mirror.messages import FailuresGrouped, GroupFailures, SearchRequest
from corvo.core.errors import Overloaded, Stale, ValidationFailed
from corvo.core.query.language import QueryRefused, parse
from corvo.http.api.routes.manage.search import query_of, staleness
from corvo.http.api.schema.failures import FailuresBody, failures_body
from corvo.http.api.unsearchable import unsearchable
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


@route(
    "GET /api/v1/failures",
    needs="jobs:search",
    returns=FailuresBody,
    errors=(ValidationFailed, Stale, Overloaded),
    tag="Jobs",
    query={
        "queue": "Only of this queue.",
        "q": "Only jobs that fit, in the language of the query bar.",
        "limit": "At most this many groups, up to 200.",
    },
)
async def failures(request: Request, ctx: EdgeContext) -> Response:
    """Dead and retrying jobs, grouped by error: numbers, ids and addresses in it do not count."""
    limit = request.int_query("limit", 50, least=1, most=200)
    now_ns = ctx.clock.now_ns()
    query = query_of(request, _wanted(request, now_ns))
    index = await ctx.read_index(request)
    unseen = await unsearchable(request, ctx, query)
    grouped: FailuresGrouped = await ctx.ask(
        ctx.actors.mirror_reader, GroupFailures(query, limit, now_ns, index)
    )
    headers = staleness(request, stale=grouped.stale)
    return Response(200, _encode(failures_body(grouped.found, unseen)), headers=headers)


def _wanted(request: Request, now_ns: int) -> SearchRequest:
    try:
        members = parse(request.query.get("q", ""), now_ns)
    except QueryRefused as refusal:
        raise ValidationFailed(f"q: {refusal}") from None
    queue = request.query.get("queue")
    if queue:
        if members.get("queue", queue) != queue:
            raise ValidationFailed("queue and q name two queues")
        members["queue"] = queue
    # A page, and the order of its jobs, mean nothing to groups.
    return SearchRequest(**{k: v for k, v in members.items() if k not in ("sort", "order", "limit")})
