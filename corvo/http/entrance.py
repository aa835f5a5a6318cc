"""Where connections come in: each gets a front, and those the front cannot serve go on to Hypercorn.

Without hot routes there is nothing for a front to do, and everything goes to Hypercorn at once.
"""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config as HypercornConfig

from corvo.core.clock import NS_PER_S
from corvo.http.edges.api import App, HotRoutes
from corvo.http.front import Front
from corvo.http.head import Head
from corvo.http.message import Headers
from corvo.http.talk import Talk

STATUS_LINES: Final = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}


class Entrance:
    def __init__(self, app: App, settings: HypercornConfig) -> None:
        self.loop = asyncio.get_running_loop()
        self.fronts: set[Front] = set()
        self.head_max = settings.h11_max_incomplete_size
        self.idle_timeout_s = settings.keep_alive_timeout
        self._lane = app.lane
        self._settings = settings
        self._app = ASGIWrapper(app)
        self._hypercorn = WorkerContext(None)
        self._passed_on: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self._all_left = asyncio.Event()
        self._date_s = 0
        self._date_line = b""

    @property
    def lane(self) -> HotRoutes:
        assert self._lane is not None, "without hot routes there are no fronts"
        return self._lane

    async def serve(self, listening: socket.socket) -> None:
        """Until told to stop; then take no new connections, and give the requests under way their time."""
        first: Callable[[], asyncio.Protocol] = partial(Front, self)
        if self._lane is None:
            first = self._hypercorn_at_once
        server = await self.loop.create_server(first, sock=listening, backlog=self._settings.backlog)
        await self._stopping.wait()
        server.close()
        await self._hypercorn.terminated.set()
        for front in list(self.fronts):
            front.close_soon()
        leaving = self.loop.create_task(self._all_left.wait()) if self.fronts else None
        under_way = self._passed_on | ({leaving} if leaving else set())
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=self._settings.graceful_timeout)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def stop(self) -> None:
        self._stopping.set()

    def left(self, front: Front) -> None:
        """The connection is closed, or Hypercorn's."""
        self.fronts.discard(front)
        if self._stopping.is_set() and not self.fronts:
            self._all_left.set()

    # Hypercorn's connections

    def pass_on(self, transport: asyncio.Transport, unread: bytes) -> None:
        """A front leaves a connection to Hypercorn, with what it has not understood."""
        reader = asyncio.StreamReader(loop=self.loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=self.loop)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        reader.feed_data(unread)
        writer = asyncio.StreamWriter(transport, protocol, reader, self.loop)
        self._begin(reader, writer)

    def _hypercorn_at_once(self) -> asyncio.Protocol:
        reader = asyncio.StreamReader(loop=self.loop)
        return asyncio.StreamReaderProtocol(reader, self._begin, loop=self.loop)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._keep(self._speak(reader, writer))

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = self.loop.create_task(work)
        self._passed_on.add(task)
        task.add_done_callback(self._passed_on.discard)

    async def _speak(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await TCPServer(self._app, self.loop, self._settings, self._hypercorn, {}, reader, writer)

    def talk(self, transport: asyncio.Transport, peer: str, route: Any, head: Head, unread: bytes) -> None:
        """A front leaves a connection on which both sides speak at once."""
        talk = Talk(self, transport, peer)
        transport.set_protocol(talk)
        self._keep(talk.run(route, head))
        if unread:
            talk.data_received(unread)

    # Answers

    def head(self, status: int, headers: Headers) -> bytes:
        fields = [b"%b: %b\r\n" % field for field in headers]
        return b"".join((STATUS_LINES[status], *fields, self._date(), b"\r\n"))

    def _date(self) -> bytes:
        now_s = self.lane.clock.now_ns() // NS_PER_S
        if now_s != self._date_s:
            self._date_s = now_s
            self._date_line = f"date: {formatdate(now_s, usegmt=True)}\r\n".encode()
        return self._date_line
