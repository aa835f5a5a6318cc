"""Responder: from a route and a request to a response with all its headers, shared by every way in."""

from collections.abc import Awaitable, Callable
from typing import cast

import msgspec

from corvo.core.clock import Clock
from corvo.core.errors import RateLimited
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.errors import response_of
from corvo.http.serve.idempotency import once_of, what_was_covered
from corvo.http.serve.route import Made, Route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import Headers, Request, Response
from corvo.http.wire.response_headers import ResponseHeaders
from corvo.ops.results import Finished

_encode = msgspec.json.Encoder().encode


class Responder:
    """Implements wire.protocols.Responding."""

    def __init__(self, context: EdgeContext) -> None:
        self._context = context
        self._counters = context.counters
        self._clock: Clock = context.clock
        self._headers = ResponseHeaders(context.config.origins())
        self._limiter = context.limiter
        self._access = context.access
        self._sealing = context.sealing
        self._is_draining = False

    def drain(self) -> None:
        """The node stops. A request that came in time is answered; the next one on its connection would not
        be, so the answer is the last of it."""
        self._is_draining = True

    async def respond(self, route: Route, request: Request) -> Response:
        self._counters.in_flight += 1
        try:
            if not self._access.is_settled:
                await self._access.until_settled(self._context.config.leader_wait / 1_000)
            self._access.admit(route.needs, request)
            if self._limiter is not None and route.limited:
                self._limiter.charge_address(request)
                self._limiter.charge(request)
            if b"x-corvo-direct" in request.headers and request.method != "GET":
                await self._context.check_leading()
            if route.needs_room:
                await self._context.admission.admit_request(request.gone)
            made = route.handler(request, self._context)
            if route.is_async:
                generation = self._access.generation
                made = await cast("Awaitable[Made]", made)
                if generation != self._access.generation and route.method == "GET":
                    # What was found out meanwhile is not for a client whose key was revoked meanwhile.
                    self._access.admit(route.needs, request)
            response = await self._written(request, cast("Made", made))
        except Exception as error:
            response = self._refusal(route, request, error)
        finally:
            self._counters.in_flight -= 1
        return self._finished(route, request, response)

    async def _written(self, request: Request, made: Made) -> Response:
        """The answer of the handler, after what it wants written has been written."""
        if isinstance(made, Response):
            return made
        written = await self._context.submit(request, made.ops, made.size_bytes)
        answer = made.answer(written)
        return await cast("Awaitable[Response]", answer) if made.waits else cast("Response", answer)

    def begin(self, route: Route, request: Request, tell: Callable[[Response], None]) -> bool:
        """Answer without a task, if the request waits for the log only. False if it may wait for anything
        else; then nothing has happened, though the handler may have run: a plain one has no effect.

        `tell` is called once with the answer: at once, or when the write is applied.
        """
        if (
            route.is_async
            or self._limiter is not None
            or not self._access.is_settled
            or self._sealing.is_active
            or b"x-corvo-direct" in request.headers
            or (route.needs_room and not self._context.admission.is_open)
        ):
            return False
        try:
            self._access.admit(route.needs, request)
            made = cast("Made", route.handler(request, self._context))
            if isinstance(made, WriteIntent):
                if made.waits:
                    return False
                once = once_of(request, len(made.ops))
        except Exception as error:
            made = self._refusal(route, request, error)
        if isinstance(made, Response):
            tell(self._finished(route, request, made))
        else:
            self._counters.in_flight += 1
            ops = made.ops if once is None else (once, *made.ops)
            under_way = _UnderWay(self, route, request, made, once is not None, tell)
            self._context.write_gather.put(under_way, ops, made.size_bytes)
        return True

    def opened(self, written: Written) -> Written:
        return Written(written.index, self._sealing.open_outcomes(written.outcomes), written.replayed)

    def end(self, route: Route, request: Request, response: Response | Exception) -> Response:
        """The response to a write that `begin` has started."""
        self._counters.in_flight -= 1
        if isinstance(response, Exception):
            response = self._refusal(route, request, response)
        return self._finished(route, request, response)

    def _finished(self, route: Route, request: Request, response: Response) -> Response:
        if response.index is None:
            response.index = request.applied_index
        if request.warnings:
            warn(response, request.warnings)
        if self._is_draining and request.is_http1:
            response.close_after()
        duration_ns = self._clock.monotonic_ns() - request.started_ns
        self._counters.of(route).count(response.status, duration_ns)
        return response

    def _refusal(self, route: Route, request: Request, error: Exception) -> Response:
        if isinstance(error, RateLimited):
            self._counters.of(route).throttled += 1
        return self.error(error, request.header(b"x-request-id"))

    def error(self, error: Exception, request_id: str | None = None) -> Response:
        return response_of(error, request_id or self._context.ids.new("req"))

    def headers(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int) -> Headers:
        return self._headers.pairs(response, request_headers, self._duration_ms(started_ns))

    def lines(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int) -> bytes:
        return self._headers.lines(response, request_headers, self._duration_ms(started_ns))

    def _duration_ms(self, started_ns: int) -> float:
        return (self._clock.monotonic_ns() - started_ns) / 1e6


def warn(response: Response, warnings: list[str]) -> None:
    """Tell the client what was ignored: in a header, and as a member of an answer that is an object."""
    text = "; ".join(warnings).encode("ascii", "backslashreplace")
    response.headers = [*response.headers, (b"x-corvo-warning", text)]
    if response.body[:1] == b"{" and response.content_type == b"application/json":
        comma = b"" if response.body == b"{}" else b","
        response.body = b'%b%b"warnings":%b}' % (response.body[:-1], comma, _encode(warnings))


class _UnderWay:
    """A write under way without a task: what to do when it comes back."""

    __slots__ = ("_has_key", "_intent", "_request", "_responder", "_route", "_tell")

    def __init__(
        self,
        responder: Responder,
        route: Route,
        request: Request,
        intent: WriteIntent,
        has_key: bool,
        tell: Callable[[Response], None],
    ) -> None:
        self._responder = responder
        self._route = route
        self._request = request
        self._intent = intent
        self._has_key = has_key
        self._tell = tell

    def written(self, written: Written) -> None:
        response: Response | Exception
        try:
            covered = what_was_covered(written) if self._has_key else written
            if self._has_key or (covered.outcomes and type(covered.outcomes[0]) is Finished):
                # What it shows may have been sealed when this node had keys, or by one that has.
                covered = self._responder.opened(covered)
            response = cast("Response", self._intent.answer(covered))
        except Exception as error:
            response = error
        self._tell(self._responder.end(self._route, self._request, response))

    def failed(self, error: Exception) -> None:
        self._tell(self._responder.end(self._route, self._request, error))
