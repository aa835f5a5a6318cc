"""Namespaces: what belongs to one is not there for the others, and none may have more than its quotas."""

from functools import partial

import msgspec

from corvo.actors.access.messages import AccessChanged, FindAccess
from corvo.actors.state.questions import FindNamespace, ListNamespaces, NamespaceFound, NamespacesListed
from corvo.core.errors import BulkRefused, Conflict, CorvoError, NotFound, Stale, ValidationFailed
from corvo.core.namespace import ALL, DEFAULT, Namespace
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema import namespaces as schema
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.access import DeleteKey
from corvo.ops.namespaces import DeleteNamespace, SetNamespace
from corvo.ops.results import BulkChanged

_encode = msgspec.json.Encoder().encode


@route(
    "GET /api/v1/namespaces",
    needs="namespaces:read",
    returns=list[schema.NamespaceBody],
    errors=(Stale,),
    tag="Access",
)
async def list_namespaces(request: Request, ctx: EdgeContext) -> Response:
    """Namespaces by name, with their quotas and how much of them is used. A client of one sees its own."""
    await ctx.await_index(request)
    if request.principal.namespace != ALL:
        own = await _own(request, ctx)
        return Response(200, _encode([_body(ctx, own)]))
    listed: NamespacesListed = await ctx.ask(ctx.actors.fsm, ListNamespaces())
    return Response(200, _encode([_body(ctx, found) for found in listed.namespaces]))


@route(
    "POST /api/v1/namespaces",
    needs="namespaces:write",
    body=schema.NamespaceRequest,
    returns=schema.NamespaceCreated,
    status=201,
    errors=(*WRITE_ERRORS, Conflict),
    tag="Access",
)
def create_namespace(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Set a namespace up. One that is merely used needs no setting up; it has no quotas then."""
    body = decode(request, schema.NamespaceRequest)
    name = schema.namespace_name(body.name)
    op = SetNamespace(name, schema.quotas_of(body.quotas), is_new=True)

    def created(written: Written) -> Response:
        written.check()
        return written.response(201, _encode(schema.NamespaceCreated(name, "created")))

    return WriteIntent((op,), OP_OVERHEAD_BYTES, created)


@route(
    "GET /api/v1/namespaces/{namespace}",
    needs="namespaces:read",
    returns=schema.NamespaceBody,
    errors=(NotFound, Stale),
    tag="Access",
)
async def get_namespace(request: Request, ctx: EdgeContext) -> Response:
    """One namespace, with its quotas and how much of them is used."""
    await ctx.await_index(request)
    return Response(200, _encode(_body(ctx, await _visible(request, ctx))))


@route(
    "PUT /api/v1/namespaces/{namespace}/quotas",
    needs="namespaces:write",
    body=schema.QuotasBody,
    returns=schema.NamespaceDone,
    errors=(*WRITE_ERRORS, NotFound),
    tag="Access",
)
def set_quotas(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Set all quotas of a namespace that was set up or is used; what is left out has no limit.

    What it has beyond a quota stays; it only gets nothing more.
    """
    quotas = schema.quotas_of(decode(request, schema.QuotasBody))
    op = SetNamespace(schema.namespace_name(request.params["namespace"]), quotas)
    return WriteIntent((op,), OP_OVERHEAD_BYTES, _updated)


@route(
    "GET /api/v1/namespaces/{namespace}/rate-limit",
    needs="namespaces:read",
    returns=schema.RatesBody,
    errors=(NotFound, Stale),
    tag="Access",
)
async def get_rates(request: Request, ctx: EdgeContext) -> Response:
    """How fast clients of a namespace may send requests to each node."""
    await ctx.await_index(request)
    found = await _visible(request, ctx)
    return Response(200, _encode(schema.rates_body(found.namespace.quotas)))


@route(
    "PUT /api/v1/namespaces/{namespace}/rate-limit",
    needs="namespaces:write",
    body=schema.RatesRequest,
    returns=schema.NamespaceDone,
    errors=(*WRITE_ERRORS, Conflict, NotFound),
    tag="Access",
)
async def set_rates(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Set how fast clients of a namespace may send requests to each node; null, or left out, for any rate."""
    body = decode(request, schema.RatesRequest)
    found = await _find(ctx, request.params["namespace"])
    op = SetNamespace(found.namespace.name, schema.with_rates(found.namespace.quotas, body))
    return WriteIntent((op,), OP_OVERHEAD_BYTES, _updated)


def _updated(written: Written) -> Response:
    written.check()
    return written.response(200, _encode(schema.NamespaceDone("updated")))


@route(
    "DELETE /api/v1/namespaces/{namespace}",
    needs="namespaces:write",
    returns=schema.NamespaceDone,
    also=(202,),
    errors=(*WRITE_ERRORS, Conflict, NotFound, BulkRefused),
    tag="Access",
    query={
        "force": "true: also if it has queues; a bulk task empties it, and nothing new comes in meanwhile."
    },
)
async def delete_namespace(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Delete a namespace that is empty; with `force` all that it has, its keys too, by a bulk task (202)."""
    name = schema.namespace_name(request.params["namespace"])
    if name == DEFAULT:
        raise ValidationFailed("the namespace default cannot be deleted")
    task_id = ctx.ids.new("bulk") if request.query.get("force") in ("1", "true") else None
    found: AccessChanged = await ctx.ask(ctx.actors.fsm, FindAccess())
    keys = [key for key in found.keys if key.namespace == name]
    if keys and task_id is None:
        names = ", ".join(key.name for key in keys[:5])
        raise Conflict(f"namespace {name} has {len(keys)} API keys: {names}; delete them, or use force")
    ops = (DeleteNamespace(name, task_id, request.reach), *(DeleteKey(key.id) for key in keys))
    return WriteIntent(ops, len(ops) * OP_OVERHEAD_BYTES, partial(_deleted, bool(keys)))


def _deleted(has_keys: bool, written: Written) -> Response:
    result = written.outcomes[0]
    if isinstance(result, CorvoError) and not (has_keys and isinstance(result, NotFound)):
        raise result
    if isinstance(result, BulkChanged):
        task_id = result.task.id
        done = schema.NamespaceDone("deleting", task_id, f"/api/v1/bulk/{task_id}/progress")
        return written.response(202, _encode(done))
    return written.response(200, _encode(schema.NamespaceDone("deleted")))


async def _visible(request: Request, ctx: EdgeContext) -> NamespaceFound:
    """The namespace of this name, if the client may know of it."""
    name = request.params["namespace"]
    if request.principal.namespace not in (ALL, name):
        raise NotFound(f"namespace {name[:70]} does not exist")
    return await _find(ctx, name) if request.principal.namespace == ALL else await _own(request, ctx)


async def _own(request: Request, ctx: EdgeContext) -> NamespaceFound:
    """The namespace of the client, also if it was never used."""
    name = request.principal.namespace
    try:
        return await _find(ctx, name)
    except NotFound:
        unused = Namespace(name, ctx.clock.now_ns())
        return NamespaceFound(unused, is_set_up=False, queues=0, jobs=0, payload_bytes=0)


async def _find(ctx: EdgeContext, name: str) -> NamespaceFound:
    found: NamespaceFound = await ctx.ask(ctx.actors.fsm, FindNamespace(name))
    return found


def _body(ctx: EdgeContext, found: NamespaceFound) -> schema.NamespaceBody:
    used = ctx.tenants.used(found.namespace.name)
    return schema.namespace_body(found, used.streams, used.waiting_fetches)
