"""Sessions: a person shows a key once and gets a cookie that stands for it (docs/reference/access.md)."""

import msgspec

from corvo.actors.access.messages import FindSessions, SessionsChanged
from corvo.core.access.session import IDLE_NS, LoginSession, csrf_of, hash_of_token
from corvo.core.errors import AccessRefused, AccessUnknown, CsrfRefused, NotFound, Stale, Unauthorized
from corvo.core.namespace import ALL
from corvo.core.times import format_time_ns
from corvo.http.api.routes.writing import OP_OVERHEAD_BYTES, WRITE_ERRORS
from corvo.http.api.schema import people as schema
from corvo.http.api.schema.access import Done
from corvo.http.serve.access.address import is_https
from corvo.http.serve.access.sessions import check_csrf, cookie_of, new_token, token_in
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.decode import decode
from corvo.http.serve.route import PUBLIC, route
from corvo.http.wire.message import Headers, Request, Response
from corvo.ops.people import DeleteSession, SetSession

_encode = msgspec.json.Encoder().encode
_SESSION_BYTES = 1_024
_AGENT_CHARS_MAX = 200
NO_STORE = (b"cache-control", b"no-store")


@route(
    "POST /api/v1/auth/login",
    needs=PUBLIC,
    body=schema.LoginRequest,
    returns=schema.LoginBody,
    errors=(*WRITE_ERRORS, AccessRefused, AccessUnknown, Unauthorized),
    tag="Access",
)
async def login(request: Request, ctx: EdgeContext) -> Response:
    """Begin a session with an API key: the answer sets a cookie for browsers."""
    body = decode(request, schema.LoginRequest)
    if ctx.access.is_open:
        raise AccessRefused("this server is open and needs no login; make a key to shut it")
    holder = ctx.access.holder_of(body.api_key.strip().encode())
    token = new_token()
    session = new_session(request, ctx, token, holder.principal.name, secret=holder.hash)
    await begin(request, ctx, session)
    answer = schema.LoginBody(
        session_id=session.id,
        principal=session.name,
        csrf=csrf_of(token.encode()),
        expires_at=format_time_ns(ctx.clock.now_ns() + IDLE_NS),
    )
    return Response(200, _encode(answer), headers=[NO_STORE, cookie_of(token, secure=is_https(request, ctx))])


def new_session(
    request: Request,
    ctx: EdgeContext,
    token: str,
    name: str,
    *,
    secret: bytes | None = None,
) -> LoginSession:
    now_ns = ctx.clock.now_ns()
    return LoginSession(
        id=ctx.ids.new("ses"),
        hash=hash_of_token(token.encode()),
        name=name,
        created_ns=now_ns,
        used_ns=now_ns,
        client=request.peer,
        agent=(request.header(b"user-agent") or "")[:_AGENT_CHARS_MAX],
        secret=secret,
    )


async def begin(request: Request, ctx: EdgeContext, session: LoginSession) -> None:
    # Never under an Idempotency-Key: what is remembered for it would not have the token.
    request.headers.pop(b"idempotency-key", None)
    _, written = await ctx.submit_one(request, SetSession(session), _SESSION_BYTES)
    assert not written.replayed


@route(
    "POST /api/v1/auth/logout",
    needs=PUBLIC,
    returns=Done,
    errors=(*WRITE_ERRORS, CsrfRefused),
    tag="Access",
)
async def logout(request: Request, ctx: EdgeContext) -> Response:
    """End the session of the request's cookie, and have the browser forget it."""
    session_id, token = request.principal.session_id, token_in(request)
    headers: Headers = [NO_STORE, cookie_of("", secure=is_https(request, ctx))]
    if session_id and token is not None:
        check_csrf(request, token)
        await _end(request, ctx, session_id)
    return Response(200, _encode(Done("ok")), headers=headers)


@route(
    "GET /api/v1/auth/sessions",
    needs="self:read",
    returns=list[schema.SessionBody],
    errors=(Stale,),
    tag="Access",
)
async def list_sessions(request: Request, ctx: EdgeContext) -> Response:
    """The caller's own sessions, newest first; an admin of all namespaces sees everybody's."""
    await ctx.await_index(request)
    now_ns = ctx.clock.now_ns()
    found = [
        session
        for session in await _sessions(ctx)
        if session.until_ns > now_ns and _may_end(request, ctx, session)
    ]
    found.sort(key=lambda session: session.id, reverse=True)
    current = request.principal.session_id
    return Response(200, _encode([schema.session_body(session, current) for session in found]))


@route(
    "DELETE /api/v1/auth/sessions/{session_id}",
    needs="self:read",
    returns=Done,
    errors=(*WRITE_ERRORS, NotFound, CsrfRefused),
    tag="Access",
)
async def delete_session(request: Request, ctx: EdgeContext) -> Response:
    """End a session, on every node."""
    session_id = request.params["session_id"]
    for session in await _sessions(ctx):
        if session.id == session_id and _may_end(request, ctx, session):
            await _end(request, ctx, session_id)
            return Response(200, _encode(Done("deleted")))
    raise NotFound(f"session {session_id[:80]} does not exist, or has ended already")


async def _sessions(ctx: EdgeContext) -> list[LoginSession]:
    found: SessionsChanged = await ctx.ask(ctx.actors.fsm, FindSessions())
    return [session for session in found.sessions.values() if session is not None]


def _may_end(request: Request, ctx: EdgeContext, session: LoginSession) -> bool:
    principal = request.principal
    if principal.namespace == ALL and principal.may("keys:write"):
        return True
    return session.owner == ctx.access.owner_of(request)


async def _end(request: Request, ctx: EdgeContext, session_id: str) -> None:
    await ctx.submit_one(request, DeleteSession(session_id), OP_OVERHEAD_BYTES)
