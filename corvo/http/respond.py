"""From a route and a request to a response with all its headers: the part both lanes share."""

from corvo.core.clock import Clock
from corvo.core.errors import RateLimited
from corvo.http.context import Context
from corvo.http.errors import response_of
from corvo.http.message import Headers, Request, Response
from corvo.http.route import Route

_ALLOW_METHODS = b"GET, POST, PUT, DELETE, OPTIONS"
_ALLOW_HEADERS = (
    b"Content-Type, Authorization, X-API-Key, X-Corvo-Namespace, Last-Event-ID, X-Corvo-Lease-Token, "
    b"Idempotency-Key, X-Corvo-Min-Index, X-Corvo-Direct"
)
_EXPOSE_HEADERS = b"X-Corvo-Index, Server-Timing, Retry-After, Idempotency-Replayed"


class Responder:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._counters = context.counters
        self._clock: Clock = context.clock
        self._origin = context.config.cors_origin.encode()
        self._limiter = context.limiter

    async def respond(self, route: Route, request: Request) -> Response:
        self._counters.in_flight += 1
        try:
            if self._limiter is not None and route.limited:
                self._limiter.charge(request)
            if b"x-corvo-direct" in request.headers and request.method != "GET":
                await self._context.check_leading()
            response = await route.handler(request, self._context)
        except Exception as error:
            if isinstance(error, RateLimited):
                self._counters.of(route).throttled += 1
            response = self.error(error, request.header(b"x-request-id"))
        finally:
            self._counters.in_flight -= 1
        if response.index is None:
            response.index = request.applied_index
        duration_ns = self._clock.monotonic_ns() - request.started_ns
        self._counters.of(route).count(response.status, duration_ns)
        return response

    def error(self, error: Exception, request_id: str | None = None) -> Response:
        return response_of(error, request_id or self._context.ids.new("req"))

    def headers(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int) -> Headers:
        duration_ms = (self._clock.monotonic_ns() - started_ns) / 1e6
        headers: Headers = [(b"server-timing", b"proc;dur=%.3f" % duration_ms)]
        if response.status != 204:
            headers.append((b"content-type", response.content_type))
            if response.stream is None:
                headers.append((b"content-length", b"%d" % len(response.body)))
        if response.index is not None:
            headers.append((b"x-corvo-index", b"%d" % response.index))
        if self._origin:
            headers.append((b"access-control-allow-origin", self._origin))
            if b"origin" in request_headers:
                headers.append((b"access-control-allow-methods", _ALLOW_METHODS))
                headers.append((b"access-control-allow-headers", _ALLOW_HEADERS))
                headers.append((b"access-control-expose-headers", _EXPOSE_HEADERS))
        headers.extend(response.headers)
        return headers
