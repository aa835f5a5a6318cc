"""Edge app: the application of an edge process. Every request goes to the node, and its answer comes back.

    client -> HTTP server of this process -> [edge app] -> link -> node end: Edge

Nothing is decided here: limits, errors and headers are the node's. If the link breaks, so do the connections
of all requests under way. A client then knows as much as if the node had vanished: its write may be done or
not, and asking again with the same Idempotency-Key finds out safely.
"""

import asyncio
from collections import deque
from itertools import count
from typing import Any, Final

from corvo.http.edges.frames import (
    WINDOW_BYTES,
    BodyFrame,
    Frame,
    GoneFrame,
    RequestFrame,
    ResponseFrame,
    TakenFrame,
)
from corvo.http.edges.link import EdgeLink, SendWindow
from corvo.http.wire.protocols import CERTIFICATE, AnswerBroken, HotRoutes, Receive, Scope, Send

#: How long the first piece of a body may take before the node is told without it.
_PATIENCE_S: Final = 0.005


class EdgeApp:
    def __init__(self) -> None:
        #: What FastHttp1 may put to the node without this application.
        self.hot_routes: HotRoutes | None = None
        self._link: EdgeLink | None = None
        self._numbers = count(1)
        self._exchanges: dict[int, Exchange] = {}

    def connect(self, link: EdgeLink) -> None:
        self._link = link

    def drain(self) -> None:
        """The node has been told already, and says in its answers that they are the last."""

    def open(self) -> "Exchange":
        assert self._link is not None
        exchange = Exchange(next(self._numbers), self._link)
        self._exchanges[exchange.number] = exchange
        return exchange

    def close(self, exchange: "Exchange") -> None:
        del self._exchanges[exchange.number]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = self.open()
        try:
            if scope["type"] == "websocket":
                await exchange.refuse_websocket(scope, send)
            else:
                await exchange.run(scope, receive, send)
        finally:
            self.close(exchange)

    # The link

    def heard(self, frame: ResponseFrame | BodyFrame | TakenFrame | GoneFrame) -> None:
        exchange = self._exchanges.get(frame.number)
        # The client of an unknown exchange has hung up meanwhile.
        if exchange is not None:
            exchange.heard(frame)

    def lost(self) -> None:
        for exchange in self._exchanges.values():
            exchange.heard(GoneFrame(exchange.number))


class Exchange:
    """One request and its answer."""

    def __init__(self, number: int, link: EdgeLink) -> None:
        self.number = number
        self._link = link
        self._window = SendWindow(WINDOW_BYTES)
        self._frames: deque[Frame] = deque()
        self._news: asyncio.Future[None] | None = None
        self._asked = False
        #: The client has hung up.
        self.is_gone = False

    def heard(self, frame: ResponseFrame | BodyFrame | TakenFrame | GoneFrame) -> None:
        if isinstance(frame, TakenFrame):
            self._window.taken(frame.size)
            return
        if isinstance(frame, GoneFrame):
            self._window.open()
        self._frames.append(frame)
        if self._news is not None and not self._news.done():
            self._news.set_result(None)

    async def next(self) -> Any:
        """The answer, or its next piece; None if none will come."""
        while not self._frames:
            self._news = asyncio.get_running_loop().create_future()
            await self._news
        frame = self._frames.popleft()
        return None if isinstance(frame, GoneFrame) else frame

    def ask(self, ask: RequestFrame) -> None:
        self._asked = True
        self._link.send(ask)

    def hang_up(self) -> None:
        """The client has gone."""
        self.is_gone = True
        self._link.send(GoneFrame(self.number))
        self.heard(GoneFrame(self.number))

    async def run(self, scope: Scope, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        # A stream may be silent for long, and still the node has to know that it is there.
        early = loop.call_later(_PATIENCE_S, self._ask, scope, b"", True)
        listening = loop.create_task(self._listen(scope, receive, early))
        try:
            await self._answer(send)
        except BaseException:
            self._link.send(GoneFrame(self.number))
            raise
        finally:
            early.cancel()
            listening.cancel()

    def _ask(self, scope: Scope, body: bytes, more: bool) -> None:
        self.ask(
            RequestFrame(
                number=self.number,
                kind=scope["type"],
                http_version=scope["http_version"],
                method=scope.get("method", "GET"),
                path=scope["path"],
                raw_path=scope.get("raw_path") or b"",
                query=scope["query_string"],
                headers=list(map(tuple, scope["headers"])),
                body=body,
                more=more,
                peer=scope["client"][0] if scope.get("client") else "",
                certificate=scope.get(CERTIFICATE, ""),
            )
        )

    async def _listen(self, scope: Scope, receive: Receive, early: asyncio.TimerHandle) -> None:
        """Pass on the body, and then notice whether the client hangs up while it waits."""
        more = True
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            if not more:
                continue
            body, more = message.get("body", b""), message.get("more_body", False)
            if self._asked:
                self._link.send(BodyFrame(self.number, body, more))
            else:
                early.cancel()
                # Most bodies come in one piece; then it is not worth waiting until the server says so.
                more = more and len(body) != _announced(scope["headers"])
                self._ask(scope, body, more)
            if more:
                self._window.sent(len(body))
                await self._window.room()
                await self._link.drain()
        self.hang_up()

    async def _answer(self, send: Send, kind: str = "http") -> None:
        frame = await self.next()
        if frame is None:
            self._give_up("the node did not answer this request")
            return
        prefix = "http" if kind == "http" else "websocket.http"
        start = {"type": f"{prefix}.response.start", "status": frame.status, "headers": frame.headers}
        await send(start)
        body_type = f"{prefix}.response.body"
        await send({"type": body_type, "body": frame.body, "more_body": frame.more})
        while frame.more:
            self._link.send(TakenFrame(self.number, len(frame.body)))
            frame = await self.next()
            if frame is None:
                self._give_up("the node broke off its answer")
                return
            await send({"type": body_type, "body": frame.body, "more_body": frame.more})

    def _give_up(self, reason: str) -> None:
        if not self.is_gone:
            # The server breaks the connection, so that no client takes half an answer for a whole one.
            raise AnswerBroken(reason)

    async def refuse_websocket(self, scope: Scope, send: Send) -> None:
        self._ask(scope, b"", more=False)
        await self._answer(send, "websocket")


def _announced(headers: list[tuple[bytes, bytes]]) -> int:
    for name, value in headers:
        if name == b"content-length":
            return int(value) if value.isdigit() else -1
    return -1
