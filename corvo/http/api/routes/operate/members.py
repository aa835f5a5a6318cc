"""Members of the cluster and its leader. Any node takes these requests; the leader carries them out."""

import msgspec

from corvo.actors.cluster.messages import ChangeMembers
from corvo.actors.cluster.node_messages import (
    ChangeDone,
    ForgetKey,
    JoinCluster,
    MembershipChange,
    RemoveNode,
    TransferLead,
)
from corvo.core.errors import MembershipBusy, MembershipRefused, NotLeader, ParseError, ValidationFailed
from corvo.core.hosts import HttpAddress, NodeAddress, NodeId
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response

_encode = msgspec.json.Encoder().encode

#: The registrar answers sooner than this.
_WAIT_MS = 10_000
_ERRORS = (ParseError, ValidationFailed, MembershipRefused, MembershipBusy, NotLeader)


class JoinRequest(msgspec.Struct, forbid_unknown_fields=True):
    node_id: NodeId
    #: Where the node's link listens: host:port.
    addr: NodeAddress
    #: Where its HTTP API listens.
    http_addr: HttpAddress = ""


class JoinBody(msgspec.Struct):
    status: str
    added: bool
    node_id: str
    addr: str


class RemoveRequest(msgspec.Struct, forbid_unknown_fields=True):
    node_id: NodeId


class RemoveBody(msgspec.Struct):
    status: str
    removed: bool
    node_id: str


class ForgetKeyRequest(msgspec.Struct, forbid_unknown_fields=True):
    node_id: NodeId


class ForgetKeyBody(msgspec.Struct):
    status: str
    forgotten: bool
    node_id: str


class TransferRequest(msgspec.Struct, forbid_unknown_fields=True):
    #: The node that is to lead; the one that is furthest if none is named.
    node_id: NodeId | None = None


class TransferBody(msgspec.Struct):
    status: str
    transferred: bool


async def _change(ctx: EdgeContext, question: MembershipChange) -> ChangeDone:
    done: ChangeDone = await ctx.ask_patiently(ctx.actors.registrar, ChangeMembers(question), _WAIT_MS)
    return done


@route(
    "POST /api/v1/cluster/join",
    needs="cluster:write",
    body=JoinRequest,
    returns=JoinBody,
    errors=_ERRORS,
    tag="Cluster",
    recorded_first=True,
)
async def join(request: Request, ctx: EdgeContext) -> Response:
    """Take a node in that answers at this address with the cluster's secret, or note its new address. It gets
    a vote once it has caught up."""
    wanted = decode(request, JoinRequest)
    question = JoinCluster(0, wanted.node_id, wanted.addr, wanted.http_addr, {}, is_visit=False)
    done = await _change(ctx, question)
    return Response(200, _encode(JoinBody("ok", done.changed, wanted.node_id, wanted.addr)))


@route(
    "POST /api/v1/cluster/remove",
    needs="cluster:write",
    body=RemoveRequest,
    returns=RemoveBody,
    errors=_ERRORS,
    tag="Cluster",
    recorded_first=True,
)
async def remove(request: Request, ctx: EdgeContext) -> Response:
    """Take a node out. It stops by itself if it hears of it."""
    wanted = decode(request, RemoveRequest)
    done = await _change(ctx, RemoveNode(0, wanted.node_id))
    return Response(200, _encode(RemoveBody("ok", done.changed, wanted.node_id)))


@route(
    "POST /api/v1/cluster/leave",
    needs="cluster:write",
    returns=RemoveBody,
    errors=_ERRORS,
    tag="Cluster",
    recorded_first=True,
)
async def leave(request: Request, ctx: EdgeContext) -> Response:
    """Have this node leave the cluster, and stop."""
    node_id = ctx.config.node_id
    done = await _change(ctx, RemoveNode(0, node_id))
    return Response(200, _encode(RemoveBody("ok", done.changed, node_id)))


@route(
    "POST /api/v1/cluster/forget-key",
    needs="cluster:write",
    body=ForgetKeyRequest,
    returns=ForgetKeyBody,
    errors=_ERRORS,
    tag="Cluster",
    recorded_first=True,
)
async def forget_key(request: Request, ctx: EdgeContext) -> Response:
    """Forget by which key a member is known, because it has lost it. The key it shows next is its own."""
    wanted = decode(request, ForgetKeyRequest)
    done = await _change(ctx, ForgetKey(0, wanted.node_id))
    return Response(200, _encode(ForgetKeyBody("ok", done.changed, wanted.node_id)))


@route(
    "POST /api/v1/cluster/transfer",
    needs="cluster:write",
    body=TransferRequest,
    returns=TransferBody,
    errors=_ERRORS,
    tag="Cluster",
    recorded_first=True,
)
async def transfer(request: Request, ctx: EdgeContext) -> Response:
    """Have another node lead. Clients notice nothing but a short pause."""
    wanted = decode(request, TransferRequest)
    done = await _change(ctx, TransferLead(0, wanted.node_id))
    return Response(200, _encode(TransferBody("ok", done.changed)))
