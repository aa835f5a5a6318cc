"""Roles, and who one is."""

import msgspec

from corvo.actors.access.messages import AccessChanged, FindAccess
from corvo.core.access.role import named_by
from corvo.core.errors import AccessRefused, Forbidden, NotFound, Stale
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema import access as schema
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import PUBLIC, route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Request, Response
from corvo.ops.access import DeleteRole, SetRole

_encode = msgspec.json.Encoder().encode
_ROLE_BYTES = 1_024


@route("GET /api/v1/auth/status", needs=PUBLIC, returns=schema.AccessStatusBody, tag="Access")
async def access_status(request: Request, ctx: EdgeContext) -> Response:
    """Whether a credential is needed."""
    is_open = ctx.access.is_open
    body = schema.AccessStatusBody(
        admin_password_set=False, auth_required=not is_open, oidc=ctx.access.sso.has_oidc and not is_open
    )
    return Response(200, _encode(body))


@route("GET /api/v1/auth/whoami", needs="self:read", returns=schema.WhoBody, tag="Access")
async def whoami(request: Request, ctx: EdgeContext) -> Response:
    """Who the server takes the caller for, and what that one may do."""
    body = schema.who_body(
        request.principal, auth_required=not ctx.access.is_open, csrf=ctx.access.csrf_for(request)
    )
    return Response(200, _encode(body), headers=[(b"cache-control", b"no-store")])


@route(
    "GET /api/v1/auth/roles", needs="roles:read", returns=list[schema.RoleBody], errors=(Stale,), tag="Access"
)
async def list_roles(request: Request, ctx: EdgeContext) -> Response:
    """All roles: the built-in ones, then those that admins have made."""
    await ctx.await_index(request)
    found: AccessChanged = await ctx.ask(ctx.actors.fsm, FindAccess())
    return Response(200, _encode([*schema.built_in_bodies(), *map(schema.role_body, found.roles)]))


@route(
    "POST /api/v1/auth/roles",
    needs="roles:write",
    body=schema.RoleRequest,
    returns=schema.Done,
    errors=(*WRITE_ERRORS, AccessRefused, Forbidden),
    tag="Access",
)
def set_role(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Make a role, or change what it holds."""
    body = decode(request, schema.RoleRequest)
    permissions = schema.permissions_of_role(body)
    beyond = sorted(named_by(permissions) - request.principal.permissions)
    if beyond:
        # It may be a role of the caller's own.
        raise Forbidden(
            f"{request.principal.name} may not hand out what it lacks itself: {', '.join(beyond)}"
        )
    return WriteIntent((SetRole(body.name, permissions),), _ROLE_BYTES, _done)


@route(
    "DELETE /api/v1/auth/roles/{role}",
    needs="roles:write",
    returns=schema.Done,
    errors=(*WRITE_ERRORS, AccessRefused, NotFound),
    tag="Access",
)
def delete_role(request: Request, ctx: EdgeContext) -> WriteIntent:
    """Delete a role, also as a further role of keys. A role that is a key's own cannot be deleted."""
    return WriteIntent((DeleteRole(request.params["role"]),), OP_OVERHEAD_BYTES, _deleted)


def _done(written: Written) -> Response:
    assert written.result
    return written.response(200, _encode(schema.Done("ok")))


def _deleted(written: Written) -> Response:
    assert written.result
    return written.response(200, _encode(schema.Done("deleted")))
