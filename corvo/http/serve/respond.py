"""Responder: from a route and a request to a response with all its headers, shared by every way in."""

from collections.abc import Awaitable, Callable
from typing import cast

import msgspec
import structlog

from corvo.core.clock import Clock
from corvo.core.errors import CorvoError, Forbidden, RateLimited
from corvo.http.serve.audit.note import RECORD_BYTES, AuditNote
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.errors import response_of
from corvo.http.serve.idempotency import once_of, what_was_covered
from corvo.http.serve.redaction import PAYLOAD_READ, Redactor
from corvo.http.serve.route import READS, Made, Route
from corvo.http.serve.write_intent import WriteIntent, Written
from corvo.http.wire.message import REPLAYED, Headers, Request, Response
from corvo.http.wire.response_headers import ResponseHeaders
from corvo.ops.results import Finished

_encode = msgspec.json.Encoder().encode
log = structlog.get_logger()


class Responder:
    """Implements wire.protocols.Responding."""

    def __init__(self, context: EdgeContext) -> None:
        self._context = context
        self._counters = context.counters
        self._clock: Clock = context.clock
        self._headers = ResponseHeaders(context.config.origins())
        self._limiter = context.limiter
        self._access = context.access
        self._tenants = context.tenants
        self._redactor = Redactor(context.config.redact_fields)
        self._sealing = context.sealing
        self._is_draining = False

    def drain(self) -> None:
        """The node stops. A request that came in time is answered; the next one on its connection would not
        be, so the answer is the last of it."""
        self._is_draining = True

    async def respond(self, route: Route, request: Request) -> Response:
        self._counters.in_flight += 1
        try:
            await self._let_in(route, request)
            if b"x-corvo-direct" in request.headers and request.method != "GET":
                await self._context.check_leading()
            if not route.is_async:
                size = len(request.body)
                request.share = await self._tenants.shares.turn(request.namespace, size, request.gone)
            if route.needs_room:
                await self._context.admission.admit_request(request.gone)
            if route.recorded_first:
                await self._context.record(request.audit, 0)
            made = route.handler(request, self._context)
            if route.is_async:
                generation = self._access.generation
                made = await cast("Awaitable[Made]", made)
                if generation != self._access.generation and route.method == "GET":
                    # What was found out meanwhile is not for a client whose key was revoked meanwhile.
                    self._access.admit(route.needs, request)
            response = await self._written(request, cast("Made", made))
            if request.audit is not None:
                await self._put_on_record(route, request, response)
        except Exception as error:
            response = self._refusal(route, request, error)
        finally:
            self._counters.in_flight -= 1
            self._leave(request)
        return self._finished(route, request, response)

    async def _let_in(self, route: Route, request: Request) -> None:
        """Raises unless the client may send this request now. By its address first, so that nobody can try
        out credentials as fast as they like."""
        limiter = self._limiter if route.limited else None
        if limiter is not None:
            limiter.charge_address(request)
        if route.audited:
            request.audit = self._context.audit_note(route, request)
        if not self._access.is_settled:
            await self._access.until_settled(self._context.config.leader_wait / 1_000)
        if (token := self._access.unverified(request)) is not None:
            await self._context.sign_on.verify(token)
        self._access.admit(route.needs, request)
        if limiter is not None:
            limiter.charge(request)
        if self._tenants.has_rates and route.limited:
            self._tenants.charge(request)

    def _leave(self, request: Request) -> None:
        """The request is no longer under way, as far as its namespace's share goes."""
        if request.share:
            self._tenants.shares.end(request.namespace, request.share)
            request.share = 0

    async def _written(self, request: Request, made: Made) -> Response:
        """The answer of the handler, after what it wants written has been written."""
        if isinstance(made, Response):
            return made
        written = await self._context.submit(request, made.ops, made.size_bytes)
        self._leave(request)
        answer = made.answer(written)
        return await cast("Awaitable[Response]", answer) if made.waits else cast("Response", answer)

    async def _put_on_record(self, route: Route, request: Request, response: Response) -> None:
        """If its ops have not done so: what it changes is not in the log, but whoever asks for it is."""
        note: AuditNote = request.audit
        if route.recorded_first:
            self._context.record_later(note.alone(response.status))
        elif not note.is_handed_in and REPLAYED not in response.headers:
            try:
                await self._context.record(note, response.status)
            except CorvoError as error:
                log.warning("audit.not_recorded", path=request.path, error=error.message)

    def begin(self, route: Route, request: Request, tell: Callable[[Response], None]) -> bool:
        """Answer without a task, if the request waits for the log only. False if it may wait for anything
        else; then nothing has happened, though the handler may have run: a plain one has no effect.

        `tell` is called once with the answer: at once, or when the write is applied.
        """
        if (
            route.is_async
            or self._limiter is not None
            or self._tenants.has_rates
            or not self._access.is_settled
            or self._access.unverified(request) is not None
            or self._sealing.is_active
            or b"x-corvo-direct" in request.headers
            or (route.needs_room and not self._context.admission.is_open)
        ):
            return False
        try:
            if route.audited:
                request.audit = self._context.audit_note(route, request)
            self._access.admit(route.needs, request)
            request.share = self._tenants.shares.begin(request.namespace, len(request.body))
            if not request.share:
                return False
            made = cast("Made", route.handler(request, self._context))
            if isinstance(made, WriteIntent):
                if made.waits:
                    self._leave(request)
                    return False
                once = once_of(request, len(made.ops))
            elif route.audited:
                self._leave(request)
                return False
        except Exception as error:
            made = self._refusal(route, request, error)
        if isinstance(made, Response):
            self._leave(request)
            tell(self._finished(route, request, made))
        else:
            self._counters.in_flight += 1
            ops = made.ops if once is None else (once, *made.ops)
            size_bytes = made.size_bytes
            if request.audit is not None:
                ops, size_bytes = (*ops, request.audit.op(ops)), size_bytes + RECORD_BYTES
            under_way = _UnderWay(self, route, request, made, once is not None, tell)
            self._context.write_gather.put(under_way, ops, size_bytes)
        return True

    def opened(self, written: Written) -> Written:
        return Written(written.index, self._sealing.open_outcomes(written.outcomes), written.replayed)

    def end(self, route: Route, request: Request, response: Response | Exception) -> Response:
        """The response to a write that `begin` has started."""
        self._counters.in_flight -= 1
        self._leave(request)
        if isinstance(response, Exception):
            response = self._refusal(route, request, response)
        return self._finished(route, request, response)

    def _finished(self, route: Route, request: Request, response: Response) -> Response:
        if response.index is None:
            response.index = request.applied_index
        if route.shows_data and PAYLOAD_READ not in request.principal.permissions:
            self._redactor.redact(response)
        if request.warnings:
            warn(response, request.warnings)
        if self._is_draining and request.is_http1:
            response.close_after()
        if request.audit is not None:
            identity = (b"x-request-id", request.audit.request_id.encode())
            response.headers = [*response.headers, identity]
        duration_ns = self._clock.monotonic_ns() - request.started_ns
        self._counters.of(route).count(response.status, duration_ns)
        return response

    def _refusal(self, route: Route, request: Request, error: Exception) -> Response:
        if isinstance(error, RateLimited):
            self._counters.of(route).throttled += 1
        note: AuditNote | None = request.audit
        if isinstance(error, CorvoError):
            note = self._note_refusal(route, request, error)
        return self.error(error, request.header(b"x-request-id") if note is None else note.request_id)

    def _note_refusal(self, route: Route, request: Request, error: CorvoError) -> AuditNote | None:
        """That somebody may not do something goes on record for every route by which things are changed."""
        note: AuditNote | None = request.audit
        if note is None and isinstance(error, Forbidden) and request.method not in READS:
            note = self._context.audit_note(route, request)
        if note is None:
            return None
        if route.recorded_first:
            failed = note.failed(error.status, error.code)
            if failed is not None:
                self._context.record_later(failed)
                return note
        if not note.is_handed_in:
            self._context.refusals.note(route, request, note, error)
        return note

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
            if self._request.audit is not None:
                written = self._request.audit.heard(written)
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
