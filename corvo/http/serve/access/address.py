"""At which address a browser has reached this node, as far as it can be known."""

from corvo.http.serve.context import EdgeContext
from corvo.http.wire.message import Request


def is_https(request: Request, ctx: EdgeContext) -> bool:
    """Whether nobody on the way could read along: TLS here, or at a proxy that is trusted to say so."""
    return ctx.config.scheme == "https" or _forwarded(request, ctx, b"x-forwarded-proto") == "https"


def own_url(request: Request, ctx: EdgeContext, path: str) -> str:
    host = _forwarded(request, ctx, b"x-forwarded-host") or request.header(b"host") or ""
    return f"{'https' if is_https(request, ctx) else 'http'}://{host}{path}"


def _forwarded(request: Request, ctx: EdgeContext, name: bytes) -> str:
    value = request.header(name)
    return value.strip() if value and ctx.access.proxies.is_trusted(request.peer) else ""
