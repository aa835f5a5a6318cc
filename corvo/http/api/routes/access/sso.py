"""Settings of single sign-on (docs/sso.md). They are the cluster's: every node goes by them at once."""

import msgspec

from corvo.actors.access.messages import AccessChanged, FindAccess
from corvo.core.errors import AccessRefused, Stale
from corvo.http.api.routes.access.oidc import callback_url
from corvo.http.api.routes.writing import WRITE_ERRORS
from corvo.http.api.schema import people as schema
from corvo.http.api.schema.access import Done
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response
from corvo.ops.people import SetSso

_encode = msgspec.json.Encoder().encode
_SSO_BYTES = 4_096


@route("GET /api/v1/settings/sso", needs="sso:read", returns=schema.SsoBody, errors=(Stale,), tag="Access")
async def get_sso(request: Request, ctx: EdgeContext) -> Response:
    """How people sign on."""
    await ctx.await_index(request)
    found = await _access(ctx)
    return Response(200, _encode(schema.sso_body(found.sso, callback_url(request, ctx))))


@route(
    "POST /api/v1/settings/sso",
    needs="sso:write",
    body=schema.SsoRequest,
    returns=Done,
    errors=(*WRITE_ERRORS, AccessRefused),
    tag="Access",
)
async def set_sso(request: Request, ctx: EdgeContext) -> Response:
    """Change how people sign on, on every node at once. What is left out is set back."""
    body = decode(request, schema.SsoRequest)
    found = await _access(ctx)
    settings = schema.sso_settings(body, found.roles)
    if not found.is_shut and (settings.has_oidc or settings.saml_enabled):
        raise AccessRefused(
            "this server is open to everybody who reaches it: make the first key, then set this"
        )
    _, written = await ctx.submit_one(request, SetSso(settings), _SSO_BYTES)
    return written.response(200, _encode(Done("ok")))


async def _access(ctx: EdgeContext) -> AccessChanged:
    found: AccessChanged = await ctx.ask(ctx.actors.fsm, FindAccess())
    return found
