"""About the server itself: health, version, its API description and the page that shows it."""

from functools import cache

import msgspec
from msgspec import UNSET, UnsetType

from corvo import __version__
from corvo.actors.status import FsmStatus, GetStatus, ProposerStatus
from corvo.core.errors import Unhealthy
from corvo.http.api.openapi import document
from corvo.http.api.routes.operate.docs_files import docs_file
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import PUBLIC, ROUTES, route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode


class HealthBody(msgspec.Struct, omit_defaults=True):
    status: str
    #: For those who may look at the cluster.
    raft_state: str | UnsetType = UNSET
    leader: bool | UnsetType = UNSET


class InfoBody(msgspec.Struct):
    server_version: str
    api_version: str


@route("GET /healthz", needs=PUBLIC, returns=HealthBody, errors=(Unhealthy,), tag="Server")
async def healthz(request: Request, ctx: EdgeContext) -> Response:
    """Whether the node is up and its storage answers. Without a credential it says nothing else."""
    fsm: FsmStatus = await ctx.ask(ctx.actors.fsm, GetStatus())
    proposer: ProposerStatus = await ctx.ask(ctx.actors.proposer, GetStatus())
    if fsm.full:
        raise Unhealthy("the disk is full: reads work, writes are refused")
    body = HealthBody("ok")
    if request.principal.may("cluster:read"):
        role = proposer.consensus.role.value
        body = HealthBody("ok", role.capitalize(), leader=role == "leader")
    return Response(200, _encode(body))


@route("GET /api/v1/info", needs="self:read", returns=InfoBody, tag="Server")
async def info(request: Request, ctx: EdgeContext) -> Response:
    """The version of the server and of its API."""
    return Response(200, _encode(InfoBody(__version__, __version__)))


@cache
def _description() -> bytes:
    return _encode(document(ROUTES, __version__))


@route("GET /openapi.json", needs=PUBLIC, tag="Docs")
async def openapi(request: Request, ctx: EdgeContext) -> Response:
    """This API, as an OpenAPI 3.1 document."""
    return Response(200, _description(), headers=[(b"cache-control", b"public, max-age=300")])


@route("GET /docs", needs=PUBLIC, tag="Docs")
async def docs(request: Request, ctx: EdgeContext) -> Response:
    """This API, as a page to read and try."""
    return Response(200, docs_file("index.html"), content_type=b"text/html; charset=utf-8")
