"""API keys: who may come in. A key's secret is shown once, when it is made."""

from typing import Any

import msgspec

from corvo.actors.access.messages import AccessChanged, FindAccess
from corvo.core.access.api_key import ApiKey, hash_of, new_key
from corvo.core.access.principal import Principal
from corvo.core.access.role import CustomRole, permissions_of
from corvo.core.clock import NS_PER_MS
from corvo.core.errors import AccessRefused, Forbidden, NotFound, Stale, ValidationFailed
from corvo.core.limits import KEY_OVERLAP_MS_DEFAULT
from corvo.core.namespace import ALL
from corvo.core.times import format_time_ns, parse_duration_ms
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema import access as schema
from corvo.http.serve.access.credentials import digest_of_certificate
from corvo.http.serve.audit.note import belongs_to
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response
from corvo.ops.access import DeleteKey, GrantRole, RotateKey, SetKey

_encode = msgspec.json.Encoder().encode
_KEY_BYTES = 512


@route(
    "GET /api/v1/auth/keys",
    needs="keys:read",
    returns=list[schema.KeyBody],
    errors=(ValidationFailed, Stale),
    tag="Access",
    query={
        "after": "Only those after the key with this id.",
        "limit": "At most so many, 1,000 if not given.",
    },
)
async def list_keys(request: Request, ctx: EdgeContext) -> Response:
    """The API keys of the caller's namespace, oldest first, without their secrets."""
    await ctx.await_index(request)
    found = await _access(ctx)
    limit = request.int_query("limit", 1_000, least=1, most=10_000)
    after = request.query.get("after", "")
    listed = [key for key in found.keys if key.id > after and _is_within(request.principal, key.namespace)]
    now_ns = ctx.clock.now_ns()
    return Response(200, _encode([schema.key_body(key, now_ns) for key in listed[:limit]]))


@route(
    "POST /api/v1/auth/keys",
    needs="keys:write",
    body=schema.KeyRequest,
    returns=schema.KeyMade,
    errors=(*WRITE_ERRORS, AccessRefused, Forbidden, NotFound),
    tag="Access",
)
async def set_key(request: Request, ctx: EdgeContext) -> Response:
    """Make an API key, or change the one with this id.

    The answer to a new one has `api_key`, which is never shown again. With the first key the server is shut:
    from then on every request needs one.
    """
    body = decode(request, schema.KeyRequest)
    found = await _access(ctx)
    known = None if body.id is None else _find(found, request.principal, body.id)
    made = None if known is not None or body.key or body.certificate else new_key()
    op = _set_op(body, known, made, ctx, request.principal)
    _check_grant(request.principal, op, found, known)
    belongs_to(request, op.namespace)
    result, written = await ctx.submit_one(request, op, _KEY_BYTES)
    shown = msgspec.UNSET if made is None or written.replayed else made
    return written.response(200, _encode(schema.KeyMade("ok", result.key_id, shown)))


def _set_op(
    body: schema.KeyRequest, known: ApiKey | None, made: str | None, ctx: EdgeContext, principal: Principal
) -> SetKey:
    now_ns = ctx.clock.now_ns()
    if known is not None:
        return SetKey(
            key_id=known.id,
            name=body.name or known.name,
            namespace=schema.namespace_of_key(body.namespace or known.namespace),
            role=body.role or known.role,
            scope=known.scope if body.queue_scope is None else schema.scope_of(body.queue_scope),
            hash=None,
            enabled=known.enabled if body.enabled is None else body.enabled,
            expires_ns=known.expires_ns
            if body.expires_at is None
            else schema.expiry_of(body.expires_at, now_ns),
            made_by=principal.name,
            existing=True,
        )
    if not body.name:
        raise ValidationFailed("name is required: what the key is for")
    if body.certificate:
        digest = digest_of_certificate(body.certificate)
    else:
        digest = hash_of(made or schema.own_key(body.key or ""))
    return SetKey(
        key_id=ctx.ids.new("key"),
        name=body.name,
        namespace=schema.namespace_of_key(body.namespace or _home(principal)),
        role=body.role or "readonly",
        scope=schema.scope_of(body.queue_scope),
        hash=digest,
        enabled=body.enabled is not False,
        expires_ns=schema.expiry_of(body.expires_at, now_ns),
        made_by=principal.name,
    )


def _home(principal: Principal) -> str:
    """The namespace of a key for which none is named."""
    return "default" if principal.namespace == ALL else principal.namespace


def _check_grant(principal: Principal, op: SetKey, found: AccessChanged, known: ApiKey | None) -> None:
    """Nobody hands out more than they have, and the first key must not lock everybody out. Who has shown a
    credential, such as that of --api-key-file, goes on with it."""
    roles = {role.name: role for role in found.roles}
    if principal.is_anonymous and (op.role != "admin" or op.namespace != ALL or op.scope or op.expires_ns):
        raise AccessRefused(
            "the first key shuts the server, so it has to be an admin's: role admin, namespace *, no scope, "
            "no expiry"
        )
    further = () if known is None else known.roles
    if known is not None:
        _check_power(principal, known.namespace, known.scope, (known.role, *known.roles), roles)
    _check_power(principal, op.namespace, op.scope, (op.role, *further), roles)


def _check_power(
    principal: Principal,
    namespace: str,
    scope: tuple[str, ...],
    names: tuple[str, ...],
    roles: dict[str, CustomRole],
) -> None:
    """A key of this namespace, with this scope and these roles, must not be more than its maker is."""
    if principal.namespace not in (ALL, namespace):
        raise Forbidden(
            f"{principal.name} belongs to the namespace {principal.namespace}, not to {namespace}"
        )
    if principal.scope and not (scope and set(scope) <= set(principal.scope)):
        raise Forbidden(
            f"{principal.name} may touch {', '.join(principal.scope)} only, and so may the keys it makes or "
            "changes; name some of these as queue_scope"
        )
    beyond = permissions_of(names, roles) - principal.permissions
    if beyond:
        raise Forbidden(
            f"the key would allow more than {principal.name} may itself: {', '.join(sorted(beyond))}"
        )


@route(
    "POST /api/v1/auth/keys/{key}/rotate",
    needs="keys:write",
    body=schema.RotateRequest,
    returns=schema.KeyMade,
    errors=(*WRITE_ERRORS, Forbidden, NotFound),
    tag="Access",
)
async def rotate_key(request: Request, ctx: EdgeContext) -> Response:
    """Give a key a new secret. The former one goes on counting for `overlap`, a day if not given."""
    body = decode(request, schema.RotateRequest)
    overlap_ms = (
        KEY_OVERLAP_MS_DEFAULT if body.overlap is None else parse_duration_ms(body.overlap, "overlap")
    )
    key = await _power_over(request, ctx, request.params["key"])
    made, until_ns = new_key(), ctx.clock.now_ns() + overlap_ms * NS_PER_MS
    result, written = await ctx.submit_one(request, RotateKey(key.id, hash_of(made), until_ns), _KEY_BYTES)
    shown = msgspec.UNSET if written.replayed else made
    answer = schema.KeyMade("ok", result.key_id, shown, format_time_ns(until_ns))
    return written.response(200, _encode(answer))


@route(
    "DELETE /api/v1/auth/keys",
    needs="keys:write",
    body=schema.DeleteKeyRequest,
    returns=schema.Done,
    errors=(*WRITE_ERRORS, Forbidden, NotFound),
    tag="Access",
)
async def delete_key_by_body(request: Request, ctx: EdgeContext) -> Response:
    """Delete a key, named by its id or its hash. It counts no longer on any node within two seconds."""
    body = decode(request, schema.DeleteKeyRequest)
    if not (body.id or body.key_hash):
        raise ValidationFailed("id or key_hash is required")
    return await _delete(request, ctx, body.id or body.key_hash or "")


@route(
    "DELETE /api/v1/auth/keys/{key}",
    needs="keys:write",
    returns=schema.Done,
    errors=(*WRITE_ERRORS, Forbidden, NotFound),
    tag="Access",
)
async def delete_key(request: Request, ctx: EdgeContext) -> Response:
    """Delete a key, named by its id or its hash."""
    return await _delete(request, ctx, request.params["key"])


async def _delete(request: Request, ctx: EdgeContext, name: str) -> Response:
    key = await _power_over(request, ctx, name)
    _, written = await ctx.submit_one(request, DeleteKey(key.id), OP_OVERHEAD_BYTES)
    return written.response(200, _encode(schema.Done("deleted")))


@route(
    "GET /api/v1/auth/keys/{key}/roles",
    needs="keys:read",
    returns=schema.KeyRolesBody,
    errors=(NotFound, Stale),
    tag="Access",
)
async def list_key_roles(request: Request, ctx: EdgeContext) -> Response:
    """The further roles of a key, beside its own."""
    await ctx.await_index(request)
    key = _find(await _access(ctx), request.principal, request.params["key"])
    return Response(200, _encode(schema.KeyRolesBody(key.hash, list(key.roles))))


@route(
    "POST /api/v1/auth/keys/{key}/roles",
    needs="keys:write",
    body=schema.GrantRequest,
    returns=schema.Done,
    errors=(*WRITE_ERRORS, AccessRefused, Forbidden, NotFound),
    tag="Access",
)
async def grant_role(request: Request, ctx: EdgeContext) -> Response:
    """Give a key a further role."""
    role = decode(request, schema.GrantRequest).role
    found = await _access(ctx)
    key = _find(found, request.principal, request.params["key"])
    roles = {made.name: made for made in found.roles}
    _check_power(request.principal, key.namespace, key.scope, (key.role, *key.roles, role), roles)
    belongs_to(request, key.namespace)
    _, written = await ctx.submit_one(request, GrantRole(key.id, role, granted=True), OP_OVERHEAD_BYTES)
    return written.response(200, _encode(schema.Done("ok")))


@route(
    "DELETE /api/v1/auth/keys/{key}/roles/{role}",
    needs="keys:write",
    returns=schema.Done,
    errors=(*WRITE_ERRORS, Forbidden, NotFound),
    tag="Access",
)
async def revoke_role(request: Request, ctx: EdgeContext) -> Response:
    """Take a further role away from a key."""
    key = await _power_over(request, ctx, request.params["key"])
    op = GrantRole(key.id, request.params["role"], granted=False)
    _, written = await ctx.submit_one(request, op, OP_OVERHEAD_BYTES)
    return written.response(200, _encode(schema.Done("deleted")))


async def _access(ctx: EdgeContext) -> AccessChanged:
    found: Any = await ctx.ask(ctx.actors.fsm, FindAccess())
    assert isinstance(found, AccessChanged)
    return found


async def _power_over(request: Request, ctx: EdgeContext, name: str) -> ApiKey:
    """The key of this name, which the caller may change."""
    found = await _access(ctx)
    key = _find(found, request.principal, name)
    roles = {role.name: role for role in found.roles}
    _check_power(request.principal, key.namespace, key.scope, (key.role, *key.roles), roles)
    belongs_to(request, key.namespace)
    return key


def _find(found: AccessChanged, principal: Principal, name: str) -> ApiKey:
    """By id or hash. A key of another namespace is not there."""
    for key in found.keys:
        if name in (key.id, key.hash) and _is_within(principal, key.namespace):
            return key
    raise NotFound(f"key {name[:80]} does not exist")


def _is_within(principal: Principal, namespace: str) -> bool:
    return principal.namespace in (ALL, namespace)
