"""Admin: what operators have a node check or rebuild."""

import asyncio

import msgspec

from corvo.actors.mirror.messages import CheckConsistency, ConsistencyChecked, MirrorRebuilt, RebuildMirror
from corvo.core.errors import Overloaded, Unhealthy
from corvo.core.wording import count as number_of
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode

#: Checking a million jobs takes the better part of a minute.
_CHECK_S_MAX = 600


class RebuildBody(msgspec.Struct):
    status: str
    jobs: int
    duration_ms: int


class CheckBody(msgspec.Struct):
    status: str
    index: int
    problems: list[str]
    duration_ms: int
    #: By the id of each key of `--seal-keys` that is in use: how many values are sealed with it.
    seal_keys: dict[str, int]


@route("POST /api/v1/admin/check", needs="admin:read", returns=CheckBody, errors=(Overloaded,), tag="Server")
async def check(request: Request, ctx: EdgeContext) -> Response:
    """Check everything that must always hold; what `corvo doctor` asks of a running node."""
    async with asyncio.timeout(_CHECK_S_MAX):
        found: ConsistencyChecked = await ctx.system.ask(ctx.actors.consistency_check, CheckConsistency())
    problems = [
        *found.problems,
        *(
            f"{number_of(count, 'value')} cannot be opened: this node does not have the seal key {key_id!r}"
            for key_id, count in sorted(found.seal_keys.items())
            if key_id not in ctx.sealing.keyring.key_ids
        ),
    ]
    body = CheckBody(
        status="ok" if not problems else "damaged",
        index=found.index,
        problems=problems,
        seal_keys=found.seal_keys,
        duration_ms=(ctx.clock.monotonic_ns() - request.started_ns) // 1_000_000,
    )
    return Response(200, _encode(body))


@route(
    "POST /api/v1/admin/rebuild-sqlite",
    needs="admin:write",
    returns=RebuildBody,
    errors=(Unhealthy,),
    tag="Server",
)
async def rebuild_sqlite(request: Request, ctx: EdgeContext) -> Response:
    """Build the search view anew from the store. It stays usable meanwhile, and loses nothing."""
    async with asyncio.timeout(_CHECK_S_MAX):
        rebuilt: MirrorRebuilt = await ctx.system.ask(ctx.actors.mirror_writer, RebuildMirror())
    return Response(200, _encode(RebuildBody("ok", rebuilt.jobs, rebuilt.duration_ms)))
