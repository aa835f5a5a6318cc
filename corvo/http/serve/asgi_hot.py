"""The hot lane: enqueue, fetch, ack, fail, heartbeat, a look at a job as plain ASGI, in front of Quart.

    Hypercorn -> [lane] -> handler            for hot routes and every OPTIONS
                        -> Quart -> handler   for everything else

Quart does more for a request than these routes need; without it the same server answers more than
twice as many. Both lanes, and the fronts before them, run the same handlers from the same table.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qsl

from corvo.core.clock import Clock
from corvo.core.errors import NotFound, PayloadTooLarge, RequestTimeout
from corvo.http.serve.respond import Responder
from corvo.http.serve.route import Route
from corvo.http.wire.message import ClientGone, Request, Response
from corvo.http.wire.protocols import CLOSE

#: How long the rest of a body that is too large is taken, after the answer.
_LINGER_S: Final = 2.0

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]


class Lane:
    def __init__(
        self,
        inner: Asgi,
        routes: Iterable[Route],
        responder: Responder,
        clock: Clock,
        *,
        body_max: int,
        body_timeout_s: float,
    ) -> None:
        self._inner = inner
        self.responder = responder
        self.clock = clock
        self.body_max = body_max
        self.body_timeout_s = body_timeout_s
        self.draining = False
        # Paths as they are, and paths whose last part is a parameter.
        self._exact: dict[str, dict[str, Route]] = {}
        #: Method and path of those with whole bodies.
        self.names: list[tuple[str, str]] = []
        self._by_parent: dict[str, tuple[str, dict[str, Route]]] = {}
        for route in routes:
            if not route.duplex:
                self.names.append((route.method, route.path))
            parent, _, last = route.path.rpartition("/")
            if last.startswith("{"):
                self._by_parent.setdefault(parent, (last[1:-1], {}))[1][route.method] = route
            else:
                self._exact.setdefault(route.path, {})[route.method] = route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._refuse_websocket(scope, send)
            return
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        if scope["method"] == "OPTIONS":
            await self._send(
                scope, send, Response(200, content_type=b"text/plain"), self.clock.monotonic_ns()
            )
            return
        methods, params = self._look_up(scope["path"])
        route = None if methods is None else methods.get(scope["method"])
        if route is None:
            # Another method of a hot path may be a route behind Quart, which also knows what to say if not.
            await self._inner(scope, receive, send)
        else:
            await self._serve(route, params, scope, receive, send)

    def find(self, method: str, path: str) -> tuple[Route, dict[str, str]] | None:
        """The hot route with a whole body that answers this, and the parameters in its path."""
        methods, params = self._look_up(path)
        route = None if methods is None else methods.get(method)
        return None if route is None or route.duplex else (route, params)

    def find_duplex(self, method: str, path: str) -> Route | None:
        """The route that answers this while its body comes in."""
        route = self._exact.get(path, {}).get(method)
        return None if route is None or not route.duplex else route

    def _look_up(self, path: str) -> tuple[dict[str, Route] | None, dict[str, str]]:
        methods = self._exact.get(path)
        if methods is not None:
            return methods, {}
        parent, _, last = path.rpartition("/")
        found = self._by_parent.get(parent)
        if found is None or not last:
            return None, {}
        name, methods = found
        return methods, {name: last}

    async def _serve(
        self, route: Route, params: dict[str, str], scope: Scope, receive: Receive, send: Send
    ) -> None:
        started_ns = self.clock.monotonic_ns()
        headers = dict(scope["headers"])
        try:
            body = b"" if route.duplex else await self._read(headers, receive)
        except ClientGone:
            return
        except (PayloadTooLarge, RequestTimeout) as error:
            response = self.responder.error(error)
            # What is left of the request is not wanted, so the connection cannot go on.
            response.headers = [*response.headers, CLOSE]
            if isinstance(error, PayloadTooLarge):
                response.headers.append((b"content-length", b"%d" % len(response.body)))
                response.stream = _last_words(response.body, receive)
            await self._send(scope, send, response, started_ns, headers)
            return
        query = scope["query_string"]
        request = Request(
            method=scope["method"],
            path=scope["path"],
            query=dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)) if query else {},
            headers=headers,
            body=body,
            params=params,
            started_ns=started_ns,
            peer=scope["client"][0] if scope.get("client") else "",
            gone=lambda: _until_gone(receive),
            incoming=_incoming(receive) if route.duplex else None,
        )
        response = await self._respond(route, request)
        if self.draining and scope["http_version"] != "2":
            # It came in time and is answered; the next one on this connection would not be.
            response.headers = [*response.headers, CLOSE]
        await self._send(scope, send, response, started_ns, headers)

    async def _respond(self, route: Route, request: Request) -> Response:
        answer: asyncio.Future[Response] = asyncio.get_running_loop().create_future()

        def tell(response: Response) -> None:
            # Who was cancelled meanwhile does not want to know.
            if not answer.done():
                answer.set_result(response)

        if self.responder.begin(route, request, tell):
            return await answer
        return await self.responder.respond(route, request)

    # Reading and writing

    async def _read(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        announced = headers.get(b"content-length")
        if announced is not None and _length(announced) > self.body_max:
            raise PayloadTooLarge(
                f"the body has {_length(announced)} bytes; at most {self.body_max} are accepted"
            )
        message = await receive()
        body: bytes = message.get("body", b"")
        is_request = message["type"] == "http.request"
        if is_request and announced is not None and len(body) == _length(announced):
            return body  # Nothing can follow, so there is no need to wait until the server says so.
        if is_request and message.get("more_body"):
            # Most bodies are here by now; only for those that are not is a clock worth its price.
            try:
                async with asyncio.timeout(self.body_timeout_s):
                    body = await self._read_on(body, receive)
            except TimeoutError:
                raise RequestTimeout(f"the body was not complete after {self.body_timeout_s:g} s") from None
        elif not is_request:
            raise ClientGone
        return body

    async def _read_on(self, first: bytes, receive: Receive) -> bytes:
        parts = [first]
        size = len(first)
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            part = message.get("body", b"")
            parts.append(part)
            size += len(part)
            if size > self.body_max:
                raise PayloadTooLarge(f"the body has more than {self.body_max} bytes")
            if not message.get("more_body"):
                return b"".join(parts)

    async def _refuse_websocket(self, scope: Scope, send: Send) -> None:
        """Nothing here speaks it, and Quart would take the wrong turn for an error of its own."""
        refusal = NotFound(f"there is no WebSocket at {scope['path']}; events come by GET /api/v1/events")
        response = self.responder.error(refusal)
        headers = self.responder.headers(response, dict(scope["headers"]), self.clock.monotonic_ns())
        start = {"type": "websocket.http.response.start", "status": response.status, "headers": headers}
        await send(start)
        await send({"type": "websocket.http.response.body", "body": response.body})

    async def _send(
        self,
        scope: Scope,
        send: Send,
        response: Response,
        started_ns: int,
        request_headers: dict[bytes, bytes] | None = None,
    ) -> None:
        if request_headers is None:
            request_headers = dict(scope["headers"])
        headers = self.responder.headers(response, request_headers, started_ns)
        await send({"type": "http.response.start", "status": response.status, "headers": headers})
        if response.stream is not None:
            await _send_stream(send, response.stream)
        else:
            await send({"type": "http.response.body", "body": response.body})


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


async def _last_words(text: bytes, receive: Receive) -> AsyncIterator[bytes]:
    """An answer to a client that is still sending, and may not look for it before it is through: a connection
    that is closed on it fails, and takes the answer along."""
    yield text
    with suppress(TimeoutError, ClientGone):
        async with asyncio.timeout(_LINGER_S):
            async for _ in _incoming(receive):
                """Nobody wants it."""


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
        """Pipelined leftovers of the request; nobody wants them."""
