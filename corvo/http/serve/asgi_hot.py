"""Hot routes as plain ASGI, in front of Quart: the way in for whatever a whole HTTP server has read.

    Hypercorn, Granian, an edge process -> [asgi hot] -> handler            hot routes and every OPTIONS
                                                      -> Quart -> handler   everything else

Quart does more for a request than hot routes need; without it the same server answers more than twice as
many. The route is found here for both, by the same matcher, and handed to Quart in the scope.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import structlog

from corvo.core.errors import (
    CorvoError,
    HostNotAllowed,
    NotFound,
    OriginNotAllowed,
    Overloaded,
    PayloadTooLarge,
    RequestTimeout,
)
from corvo.http.serve.browser_guard import BrowserGuard
from corvo.http.serve.hot_routes import LocalHotRoutes
from corvo.http.serve.matcher import Match, Matcher
from corvo.http.serve.outgoing import Outgoing
from corvo.http.serve.route import Route
from corvo.http.wire.byte_budget import TOO_SLOW_TEXT, HeldBytes
from corvo.http.wire.message import ClientGone, Request, Response, request_of
from corvo.http.wire.protocols import CERTIFICATE, AnswerBroken, Asgi, Receive, Scope, Send

log = structlog.get_logger()

#: How long the rest of a body that is too large is read, after the answer.
_LINGER_S: Final = 2.0

_SLASH: Final = re.compile(rb"%2[fF]")

#: Where Quart finds the Match, or None if there is nothing at the path that takes the method; and the body.
MATCH: Final = "corvo.match"
BODY: Final = "corvo.body"


class AsgiHot:
    def __init__(self, inner: Asgi, table: Matcher[Route], hot: LocalHotRoutes, guard: BrowserGuard) -> None:
        self._inner = inner
        self._table = table
        self._hot = hot
        self._guard = guard
        self._outgoing = Outgoing(hot.outgoing, hot.stalled_s)
        self._responder = hot.responder
        self._clock = hot.clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._inner(scope, receive, send)
            return
        method = scope.get("method", "GET")
        try:
            self._guard.check(method, path_of(scope), scope["path"], scope["headers"], scope["scheme"])
        except (HostNotAllowed, OriginNotAllowed) as error:
            await self._refuse(error, scope, receive, send)
            return
        if scope["type"] == "websocket":
            # No route speaks WebSocket, and Quart would take the request for an error of its own.
            path = path_of(scope)
            refusal = NotFound(f"there is no WebSocket at {path}; events come by GET /api/v1/events")
            await self._refuse(refusal, scope, receive, send)
            return
        if method == "OPTIONS":
            response = Response(200, content_type=b"text/plain")
            await self._send(send, response, dict(scope["headers"]), self._clock.monotonic_ns())
            return
        match = self._table.find("GET" if method == "HEAD" else method, path_of(scope))
        try:
            if match is None:
                scope[MATCH] = None
                await self._inner(scope, receive, send)
            else:
                await self._serve(match, scope, receive, partial(self._outgoing.send, send))
        except AnswerBroken:
            # The server sees that the answer is not complete, and breaks the connection or the stream.
            log.debug("http.answer_broken_off", path=scope["path"])

    async def _serve(self, match: Match[Route], scope: Scope, receive: Receive, send: Send) -> None:
        route = match.found
        started_ns = self._clock.monotonic_ns()
        headers = dict(scope["headers"])
        try:
            body = b"" if route.duplex else await self._read(headers, receive)
        except ClientGone:
            return
        except (PayloadTooLarge, RequestTimeout, Overloaded) as error:
            response = self._responder.error(error)
            # The rest of the request is of no use, so the connection cannot go on.
            response.close_after()
            if not isinstance(error, RequestTimeout):
                response.headers.append((b"content-length", b"%d" % len(response.body)))
                response.stream = _last_words(response.body, receive)
            await self._send(send, response, headers, started_ns)
            return
        if not route.hot or route.method != scope["method"]:
            scope[MATCH], scope[BODY] = match, body
            await self._inner(scope, _after_body(receive), send)
            return
        request = request_in(scope, headers, body, match.params, started_ns)
        request.gone = lambda: _until_gone(receive)
        if route.duplex:
            request.incoming = _incoming(receive)
        response = await self._responder.respond(route, request)
        await self._send(send, response, headers, started_ns)

    # Reading and writing

    async def _read(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        announced = headers.get(b"content-length")
        body_max = self._hot.body_max
        if announced is not None and _length(announced) > body_max:
            raise PayloadTooLarge(f"the body has {_length(announced)} bytes; at most {body_max} are accepted")
        message = await receive()
        body: bytes = message.get("body", b"")
        is_request = message["type"] == "http.request"
        if is_request and announced is not None and len(body) == _length(announced):
            return body  # Nothing can follow, so there is no need to wait until the server says so.
        if is_request and message.get("more_body"):
            # Most bodies are complete by now; only the others are worth the price of a timeout.
            timeout_s = self._hot.body_timeout_s
            loop = asyncio.get_running_loop()
            held: HeldBytes | None = None
            try:
                async with asyncio.timeout(timeout_s) as deadline:
                    held = self._hot.incoming.begin(lambda: deadline.reschedule(loop.time()))
                    body = await self._read_on(body, receive, held)
            except TimeoutError:
                if held is not None and held.gave_way:
                    raise Overloaded(TOO_SLOW_TEXT, retry_after_ms=1_000) from None
                raise RequestTimeout(f"the body was not complete after {timeout_s:g} s") from None
            finally:
                if held is not None:
                    held.end()
        elif not is_request:
            raise ClientGone
        return body

    async def _read_on(self, first: bytes, receive: Receive, held: HeldBytes) -> bytes:
        held.add(len(first))
        parts = [first]
        size = len(first)
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            part = message.get("body", b"")
            parts.append(part)
            size += len(part)
            held.add(len(part))
            pause_s = held.pause_s(len(part))
            if pause_s:
                await asyncio.sleep(pause_s)
            if size > self._hot.body_max:
                raise PayloadTooLarge(f"the body has more than {self._hot.body_max} bytes")
            if not message.get("more_body"):
                return b"".join(parts)

    async def _refuse(self, error: CorvoError, scope: Scope, receive: Receive, send: Send) -> None:
        response = self._responder.error(error)
        started_ns = self._clock.monotonic_ns()
        headers = dict(scope["headers"])
        if scope["type"] == "http":
            response.headers.append((b"content-length", b"%d" % len(response.body)))
            said = b"" if scope["method"] == "HEAD" else response.body
            response.stream = _last_words(said, receive)
            await self._send(send, response, headers, started_ns)
            return
        pairs = self._responder.headers(response, headers, started_ns)
        await send({"type": "websocket.http.response.start", "status": response.status, "headers": pairs})
        await send({"type": "websocket.http.response.body", "body": response.body})

    async def _send(
        self, send: Send, response: Response, request_headers: dict[bytes, bytes], started_ns: int
    ) -> None:
        headers = self._responder.headers(response, request_headers, started_ns)
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        if response.stream is not None:
            await _send_stream(send, response.stream)
        else:
            await send({"type": "http.response.body", "body": response.body})


def path_of(scope: Scope) -> str:
    """A client may write the whole address into the request line; what counts is its path. A slash that is
    written as %2F is part of a name and separates nothing, so it stays as it is."""
    path: str = scope["path"]
    raw_path: bytes = scope.get("raw_path") or b""
    if b"%2" in raw_path and _SLASH.search(raw_path) is not None:
        path = unquote(_SLASH.sub(b"%252F", raw_path.partition(b"?")[0]).decode("ascii", "replace"))
    return path if path[:1] == "/" else urlsplit(path).path


def request_in(
    scope: Scope, headers: dict[bytes, bytes], body: bytes, params: dict[str, str], started_ns: int
) -> Request:
    """The request that an ASGI server has read."""
    return request_of(
        scope["method"],
        path_of(scope),
        scope["query_string"],
        headers,
        body,
        params,
        started_ns=started_ns,
        peer=scope["client"][0] if scope.get("client") else "",
        certificate=scope.get(CERTIFICATE, ""),
        is_http1=scope["http_version"] != "2",
    )


def _length(announced: bytes) -> int:
    return int(announced) if announced.isdigit() else -1


async def _incoming(receive: Receive) -> AsyncIterator[bytes]:
    """Pieces of the body, until it ends. Raises ClientGone if it never will."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body"):
            return


def _after_body(receive: Receive) -> Receive:
    """What Quart hears of a request whose body was read already."""
    is_told = False

    async def hear() -> dict[str, Any]:
        nonlocal is_told
        if is_told:
            return await receive()
        is_told = True
        return {"type": "http.request", "body": b"", "more_body": False}

    return hear


async def _last_words(text: bytes, receive: Receive) -> AsyncIterator[bytes]:
    """An answer to a client that is still sending, and may not read it before all is sent. If the connection
    were closed by then, the client would get an error instead of the answer."""
    yield text
    with suppress(TimeoutError, ClientGone):
        async with asyncio.timeout(_LINGER_S):
            async for _ in _incoming(receive):
                """The rest of the body is dropped."""


async def _send_stream(send: Send, stream: AsyncIterator[bytes]) -> None:
    try:
        async for piece in stream:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    await send({"type": "http.response.body", "body": b""})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        """What is left of the request is dropped."""
