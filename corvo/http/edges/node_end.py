"""Node end: the node's end of a link. Requests that come over it are put to the node's own application.

    link -> request -> [node end] -> hot route -> handler
                                  -> Edge (ASGI) -> handler
         <- response, body <-----------------------

To the application they look like any others: bodies come in pieces as it takes them, answers wait while the
client is slow, and when the client or the whole edge process is gone it hears `http.disconnect`.
"""

import asyncio
from collections import deque
from typing import Any

import structlog

from corvo.http.edges.frames import (
    WINDOW_BYTES,
    BodyFrame,
    GoneFrame,
    Header,
    RequestFrame,
    ResponseFrame,
    TakenFrame,
)
from corvo.http.edges.link import EdgeLink, SendWindow
from corvo.http.wire.message import Response, request_of
from corvo.http.wire.protocols import CERTIFICATE, App, HotRoutes

log = structlog.get_logger()


class NodeEnd:
    def __init__(self, app: App, scheme: str = "http") -> None:
        self._app = app
        self._scheme = scheme
        self._link: EdgeLink | None = None
        self._calls: dict[int, _Call | _HotCall] = {}

    def connect(self, link: EdgeLink) -> None:
        self._link = link

    def heard(self, frame: RequestFrame | BodyFrame | TakenFrame | GoneFrame) -> None:
        if isinstance(frame, RequestFrame):
            self._begin(frame)
            return
        known = self._calls.get(frame.number)
        # What comes after the answer is of no use.
        if known is not None:
            known.heard(frame)

    def _begin(self, ask: RequestFrame) -> None:
        assert self._link is not None
        hot = self._app.hot_routes
        found = None if hot is None or ask.more or ask.kind != "http" else hot.find(ask.method, ask.path)
        headers = dict(ask.headers)
        call: _Call | _HotCall
        # Fields that come twice and escapes in a path are for the application to judge.
        is_plain = len(headers) == len(ask.headers) and b"%" not in ask.raw_path
        if hot is not None and found is not None and is_plain and hot.trusts(headers):
            call = _HotCall(ask, headers, self._link, hot, *found)
            if call.begin():
                return
        else:
            call = _Call(ask, self._link, self._app, self._scheme)
        self._calls[ask.number] = call
        call.task = asyncio.get_running_loop().create_task(self._run(call))

    def lost(self) -> None:
        """The edge process is gone, and with it all its clients."""
        for call in self._calls.values():
            call.heard(GoneFrame(call.number))

    async def _run(self, call: "_Call | _HotCall") -> None:
        try:
            await call.run()
        except Exception:
            log.exception("http.failed", path=call.path)
        finally:
            del self._calls[call.number]
            call.end()


class _HotCall:
    """One request for a hot route, whose body is whole: answered as FastHttp1 does, without ASGI."""

    def __init__(
        self,
        ask: RequestFrame,
        headers: dict[bytes, bytes],
        link: EdgeLink,
        hot: HotRoutes,
        route: Any,
        params: dict[str, str],
    ) -> None:
        self._link = link
        self._hot = hot
        self._route = route
        self.number = ask.number
        self.path = ask.path
        self.task: asyncio.Task[None] | None = None
        self._request = request_of(
            ask.method,
            ask.path,
            ask.query,
            headers,
            ask.body,
            params,
            started_ns=hot.clock.monotonic_ns(),
            peer=ask.peer,
            certificate=ask.certificate,
            is_http1=ask.http_version != "2",
            gone=self._until_gone,
        )
        self._is_gone = False
        self._is_answered = False
        self._gone: asyncio.Future[None] | None = None

    def begin(self) -> bool:
        """Answer without a task, if that can be done."""
        return self._hot.responder.begin(self._route, self._request, self._answer)

    async def run(self) -> None:
        self._answer(await self._hot.responder.respond(self._route, self._request))

    def _answer(self, response: Response) -> None:
        headers = self._hot.responder.headers(response, self._request.headers, self._request.started_ns)
        self._is_answered = True
        self._link.send(ResponseFrame(self.number, response.status, headers, response.body, more=False))

    def heard(self, frame: BodyFrame | TakenFrame | GoneFrame) -> None:
        if isinstance(frame, GoneFrame):
            self._is_gone = True
            if self._gone is not None and not self._gone.done():
                self._gone.set_result(None)

    async def _until_gone(self) -> None:
        if not self._is_gone:
            self._gone = asyncio.get_running_loop().create_future()
            await self._gone

    def end(self) -> None:
        if not self._is_answered and not self._is_gone:
            self._link.send(GoneFrame(self.number))


class _Call:
    """Any other request, as the application sees it."""

    def __init__(self, ask: RequestFrame, link: EdgeLink, app: App, scheme: str) -> None:
        self._ask = ask
        self._scheme = scheme
        self._link = link
        self._app = app
        self.number = ask.number
        self.path = ask.path
        self.task: asyncio.Task[None] | None = None
        # Incoming
        self._pieces: deque[tuple[bytes, bool]] = deque([(ask.body, ask.more)])
        self._is_windowed = ask.more
        self._gone = False
        self._news: asyncio.Event | None = None
        # Outgoing
        self._window = SendWindow(WINDOW_BYTES)
        self._head: tuple[int, list[Header]] | None = None
        self._is_begun = False
        self._is_complete = False

    async def run(self) -> None:
        await self._app(self._scope(), self.receive, self.send)

    def _scope(self) -> dict[str, Any]:
        ask = self._ask
        return {
            "type": ask.kind,
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": ask.http_version,
            "method": ask.method,
            "scheme": self._scheme if ask.kind == "http" else self._scheme.replace("http", "ws"),
            "path": ask.path,
            "raw_path": ask.raw_path,
            "query_string": ask.query,
            "root_path": "",
            "headers": ask.headers,
            "client": (ask.peer, 0) if ask.peer else None,
            "server": None,
            "extensions": {"websocket.http.response": {}},
            CERTIFICATE: ask.certificate,
        }

    def heard(self, frame: BodyFrame | TakenFrame | GoneFrame) -> None:
        match frame:
            case TakenFrame():
                self._window.taken(frame.size)
                return
            case BodyFrame():
                self._pieces.append((frame.body, frame.more))
            case GoneFrame():
                self._gone = True
                self._window.open()
        if self._news is not None:
            self._news.set()

    async def receive(self) -> dict[str, Any]:
        while True:
            if self._pieces:
                body, more = self._pieces.popleft()
                if self._is_windowed:
                    self._link.send(TakenFrame(self.number, len(body)))
                return {"type": "http.request", "body": body, "more_body": more}
            if self._gone:
                return {"type": "http.disconnect"}
            if self._news is None:
                self._news = asyncio.Event()
            self._news.clear()
            await self._news.wait()

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"].endswith(".response.start"):
            self._head = (message["status"], [(name, value) for name, value in message.get("headers", ())])
            return
        if self._is_complete or self._gone:
            return
        body, more = bytes(message.get("body", b"")), message.get("more_body", False)
        if self._is_begun:
            self._link.send(BodyFrame(self.number, body, more))
        else:
            assert self._head is not None, "the application answered without a head"
            self._is_begun = True
            self._link.send(ResponseFrame(self.number, *self._head, body, more))
        self._is_complete = not more
        if more:
            self._window.sent(len(body))
            await self._window.room()
            if self._link.is_full:
                await self._link.drain()

    def end(self) -> None:
        """The application is done; if its answer is not, the client must not take it for whole."""
        if not self._is_complete and not self._gone:
            self._link.send(GoneFrame(self.number))
