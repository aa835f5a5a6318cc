"""Login by an OpenID provider: the authorization code flow with PKCE, in the server.

    browser -> start -> provider -> callback -> session

What start has chosen at random travels in a cookie of ten minutes, so that any node can take the callback
and only the browser that began can end it.
"""

import secrets
from base64 import urlsafe_b64encode
from hashlib import sha256
from hmac import compare_digest
from typing import Final
from urllib.parse import quote, unquote, urlencode

import structlog
from msgspec.structs import replace

from corvo.core.errors import AccessRefused, CorvoError, SignOnFailed, Unauthorized
from corvo.http.api.routes.access.sessions import NO_STORE, begin, new_session
from corvo.http.serve.access.address import is_https, own_url
from corvo.http.serve.access.sessions import cookie_in, cookie_of, new_token
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.route import PUBLIC, route
from corvo.http.wire.message import Request, Response

log = structlog.get_logger()

CALLBACK: Final = "/api/v1/auth/oidc/callback"
_COOKIE: Final = "corvo_login"
_COOKIE_S: Final = 600
#: From the callback to the UI, wherever a proxy has put the two.
_UI: Final = "../../../../ui/"
_NEXT_CHARS_MAX: Final = 1_000


@route(
    "GET /api/v1/auth/oidc/start",
    needs=PUBLIC,
    status=302,
    tag="Access",
    query={"next": "The page of the UI to show after the login, such as jobs?q=state:dead."},
)
async def start(request: Request, ctx: EdgeContext) -> Response:
    """Send a browser to the OpenID provider, to log in there."""
    try:
        if not ctx.access.sso.has_oidc or ctx.access.is_open:
            raise AccessRefused("single sign-on is not set up")
        description = await ctx.sign_on.provider().describe()
    except CorvoError as error:
        return _back_to_login("provider", error)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    sso = ctx.access.sso
    asked = {
        "response_type": "code",
        "client_id": sso.client_id,
        "redirect_uri": callback_url(request, ctx),
        "scope": sso.scopes,
        "state": state,
        "nonce": nonce,
        "code_challenge": urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    where = str(description["authorization_endpoint"])
    there = where + ("&" if "?" in where else "?") + urlencode(asked)
    kept = ".".join((state, nonce, verifier, quote(_next(request.query.get("next", "")), safe="")))
    return _redirect(there, _login_cookie(kept, _COOKIE_S, secure=is_https(request, ctx)))


@route(
    f"GET {CALLBACK}",
    needs=PUBLIC,
    status=302,
    tag="Access",
    query={"code": "What the provider gave the browser.", "state": "What start gave the provider."},
)
async def callback(request: Request, ctx: EdgeContext) -> Response:
    """Where the provider sends a browser back to: begin its session, and show the UI."""
    secure = is_https(request, ctx)
    forget = _login_cookie("", 0, secure=secure)
    try:
        state, nonce, verifier, next_page = _kept(request)
        _check_state(request, ctx, state)
        code = request.query["code"]
        verified = await ctx.sign_on.redeem(code, verifier, callback_url(request, ctx), nonce)
        identity = verified.identity
        token = new_token()
        session = new_session(request, ctx, token, f"oidc:{identity.name}")
        await begin(request, ctx, replace(session, identity=identity))
    except Unauthorized as error:
        return _back_to_login("refused", error, forget)
    except CorvoError as error:
        return _back_to_login("provider", error, forget)
    log.info("sign_on.begun", principal=session.name, session=session.id)
    return _redirect(_UI + next_page, cookie_of(token, secure=secure), forget)


def callback_url(request: Request, ctx: EdgeContext) -> str:
    return ctx.access.sso.redirect_url or own_url(request, ctx, CALLBACK)


def _kept(request: Request) -> tuple[str, str, str, str]:
    """State, nonce, verifier and the page to show, as start has put them into the cookie."""
    cookie = cookie_in(request, _COOKIE.encode())
    parts = (cookie or b"").decode("ascii", "replace").split(".")
    if len(parts) < 4:
        raise Unauthorized("the login took longer than ten minutes, or began in another browser")
    # The page may have dots itself. It is used as it was quoted by start, so it is no address of its own.
    return parts[0], parts[1], parts[2], _unquoted(".".join(parts[3:]))


def _check_state(request: Request, ctx: EdgeContext, state: str) -> None:
    if not state or not compare_digest(request.query.get("state", "").encode(), state.encode()):
        raise Unauthorized("the answer belongs to another login")
    if "error" in request.query:
        raise Unauthorized(f"the provider refused: {request.query['error'][:100]}")
    if request.query.get("iss", ctx.access.sso.issuer) != ctx.access.sso.issuer:
        raise Unauthorized("the answer is from another provider")
    if not request.query.get("code"):
        raise SignOnFailed("the provider sent no code")


def _next(page: str) -> str:
    """A page of the UI, never another site."""
    path = page.partition("?")[0]
    is_page = len(page) <= _NEXT_CHARS_MAX and page.isprintable() and page.isascii()
    return (
        page
        if is_page and not set(path) & set(":\\") and not path.startswith("/") and ".." not in path
        else ""
    )


def _unquoted(page: str) -> str:
    return _next(unquote(page))


def _login_cookie(value: str, life_s: int, *, secure: bool) -> tuple[bytes, bytes]:
    # Lax, not Strict: the provider's page is another site, and it is from there that the browser comes back.
    text = f"{_COOKIE}={value}; Path=/; Max-Age={life_s}; HttpOnly; SameSite=Lax"
    return b"set-cookie", (text + "; Secure" if secure else text).encode()


def _back_to_login(problem: str, error: CorvoError, *cookies: tuple[bytes, bytes]) -> Response:
    """The page says what went wrong; the details are for the log, since whoever is here is not known yet."""
    say = log.warning if isinstance(error, SignOnFailed) else log.info
    say("sign_on.failed", problem=problem, reason=error.message)
    return _redirect(f"{_UI}login?problem={problem}", *cookies)


def _redirect(where: str, *cookies: tuple[bytes, bytes]) -> Response:
    headers = [(b"location", where.encode("ascii", "replace")), NO_STORE, *cookies]
    return Response(302, content_type=b"text/plain", headers=headers)
