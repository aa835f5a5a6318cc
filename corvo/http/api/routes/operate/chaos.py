"""Debug calls that break the node on purpose. They exist only under `corvo serve --chaos`; otherwise 404.

Not in the table of the API: no client, document or test of the API need know of them.
"""

import msgspec

from corvo.core.errors import NotFound
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import Handler, Route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


class KillRequest(msgspec.Struct, forbid_unknown_fields=True):
    actor: str


class ActorsBody(msgspec.Struct):
    """How the node's actors are, by name, and how often any of them crashed and was made anew."""

    actors: dict[str, str]
    crashes: int
    restarts: int


async def _list_actors(request: Request, ctx: EdgeContext) -> Response:
    """Which actors there are."""
    stats = ctx.system.stats()
    states = {name: actor.state for name, actor in stats.actors.items()}
    return Response(200, _encode(ActorsBody(states, stats.crashes, stats.restarts)))


async def _kill_actor(request: Request, ctx: EdgeContext) -> Response:
    """Have an actor crash when its turn comes. What becomes of it is for its supervisor to say."""
    wanted = decode(request, KillRequest)
    if not ctx.system.order_crash(wanted.actor):
        names = ", ".join(sorted(ctx.system.stats().actors))
        raise NotFound(f"there is no actor {wanted.actor!r}; there are {names}")
    return Response(202, _encode({"actor": wanted.actor}))


def _route(method: str, path: str, handler: Handler) -> Route:
    return Route(method=method, path=path, handler=handler, needs="admin:write", tag="Chaos")


CHAOS_ROUTES = (
    _route("GET", "/api/v1/debug/actors", _list_actors),
    _route("POST", "/api/v1/debug/kill-actor", _kill_actor),
)
