"""From a route and a request to a response with all its headers: the part both lanes share."""

from collections.abc import Callable

from corvo.core.clock import Clock
from corvo.core.errors import RateLimited
from corvo.http.serve.context import Context
from corvo.http.serve.errors import response_of
from corvo.http.serve.idempotency import once_of, what_was_covered
from corvo.http.serve.route import Route
from corvo.http.serve.write_intent import Intent, Written
from corvo.http.wire.message import Headers, Request, Response
from corvo.http.wire.response_headers import AnswerFields


class Responder:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._counters = context.counters
        self._clock: Clock = context.clock
        self._fields = AnswerFields(context.config.cors_origin)
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
            response = self._refusal(route, request, error)
        finally:
            self._counters.in_flight -= 1
        return self._counted(route, request, response)

    def begin(self, route: Route, request: Request, tell: Callable[[Response], None]) -> bool:
        """The same without a task, for writes that wait for the log only. False if this is none of them.

        The answer is told once: at once, or when the log has it.
        """
        headers = request.headers
        if (
            route.intend is None
            or self._limiter is not None
            or b"x-corvo-direct" in headers
            or (route.needs_room and not self._context.room.is_open)
        ):
            return False
        try:
            intent = route.intend(request, self._context)
            once = None if isinstance(intent, Response) else once_of(request, len(intent.ops))
        except Exception as error:
            intent, once = self._refusal(route, request, error), None
        if isinstance(intent, Response):
            tell(self._counted(route, request, intent))
        elif intent.answer_later is not None:
            return False
        else:
            self._counters.in_flight += 1
            ops = intent.ops if once is None else (once, *intent.ops)
            errand = _Errand(self, route, request, intent, once is not None, tell)
            self._context.intake.put(errand, ops, intent.size_bytes)
        return True

    def end(self, route: Route, request: Request, response: Response | Exception) -> Response:
        """The second half of what was begun."""
        self._counters.in_flight -= 1
        if isinstance(response, Exception):
            response = self._refusal(route, request, response)
        return self._counted(route, request, response)

    def _counted(self, route: Route, request: Request, response: Response) -> Response:
        if response.index is None:
            response.index = request.applied_index
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
        return self._fields.pairs(response, request_headers, self._duration_ms(started_ns))

    def lines(self, response: Response, request_headers: dict[bytes, bytes], started_ns: int) -> bytes:
        return self._fields.lines(response, request_headers, self._duration_ms(started_ns))

    def _duration_ms(self, started_ns: int) -> float:
        return (self._clock.monotonic_ns() - started_ns) / 1e6


class _Errand:
    """A write under way: whose it is, and what to do when it comes back."""

    __slots__ = ("_has_key", "_intent", "_request", "_responder", "_route", "_tell")

    def __init__(
        self,
        responder: Responder,
        route: Route,
        request: Request,
        intent: Intent,
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
            response = self._intent.answer(what_was_covered(written) if self._has_key else written)
        except Exception as error:
            response = error
        self._tell(self._responder.end(self._route, self._request, response))

    def failed(self, error: Exception) -> None:
        self._tell(self._responder.end(self._route, self._request, error))
