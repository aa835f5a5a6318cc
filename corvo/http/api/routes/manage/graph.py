"""The graph of a job and its relatives."""

import msgspec

from corvo.actors.state.questions import FindRelatives, Graph
from corvo.core.errors import NotFound, Stale
from corvo.http.api.schema.graph import GraphBody, graph_body
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


@route(
    "GET /api/v1/jobs/{job_id}/graph",
    needs="jobs:read",
    returns=GraphBody,
    errors=(NotFound, Stale),
)
async def job_graph(request: Request, ctx: EdgeContext) -> Response:
    """A job with its relatives: parent and children, chain, batch, dependencies and dependents.

    Everything that is tied to the job, nearest first, up to 200 nodes and 1,000 edges.
    """
    await ctx.await_index(request)
    found: Graph = await ctx.ask(ctx.actors.fsm, FindRelatives(request.params["job_id"], request.reach))
    return Response(200, _encode(graph_body(found)))
