"""Acceptor: every connection begins as a FastHttp1, and goes on to a whole server if that cannot serve it.

socket -> FastHttp1 -> handler                  plain requests for hot routes
                    -> DuplexHttp1 -> handler   a worker's stream over HTTP/1.1
                    -> whole server             everything else: Hypercorn, or Granian

With TLS, a TlsListener shakes hands first; nothing behind it need know.
"""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

import structlog

from corvo.core.clock import NS_PER_S
from corvo.http.wire.connection_gate import ConnectionGate
from corvo.http.wire.duplex_http1 import DuplexHttp1
from corvo.http.wire.fast_http1 import FastHttp1
from corvo.http.wire.listener import Listener
from corvo.http.wire.protocols import App, HotRoutes
from corvo.http.wire.request_head import RequestHead
from corvo.http.wire.tls_keeper import TlsKeeper
from corvo.http.wire.tls_listener import TlsListener

log = structlog.get_logger()

STATUS_LINES: Final = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}

#: A client may send its next requests before it has its answer; more than this of them waits in its kernel.
_AHEAD_BYTES_MAX: Final = 256 * 1024
#: Among so many of the oldest connections one is looked for that may give way to a new one.
_LOOKS_MAX: Final = 256


class FullServer(Protocol):
    """A server that knows all of HTTP."""

    def take(self, transport: asyncio.Transport, unread: bytes, peer: str) -> Coroutine[Any, Any, None]:
        """Take over the connection, beginning with what was read of it. The coroutine serves it to its
        end."""

    async def drain(self) -> None:
        """Close connections on which no request is under way, and the others after their answers."""


class ConnectionLimits(NamedTuple):
    head_bytes: int
    idle_timeout_s: float
    backlog: int
    #: How long requests under way have when the server stops.
    patience_s: float
    #: In all, and of one address; 0 for no other limit than the share of all.
    connections: int = 10_000
    connections_per_address: int = 0
    #: Whether this is the address of a proxy, which may have as many connections as there are.
    is_proxy: Callable[[str], bool] = lambda _: False


class Acceptor:
    def __init__(
        self, app: App, whole: FullServer, limits: ConnectionLimits, tls: TlsKeeper | None = None
    ) -> None:
        assert app.hot_routes is not None, "a server needs hot routes"
        self.loop = asyncio.get_running_loop()
        #: The longest here first.
        self.connections: dict[FastHttp1, None] = {}
        self._gate = ConnectionGate(
            limits.connections, limits.connections_per_address, self.loop.time, limits.is_proxy
        )
        self.hot_routes: HotRoutes = app.hot_routes
        self.head_max = limits.head_bytes
        # A head that is not complete must not be the reason for not reading the rest of it.
        self.ahead_max = max(_AHEAD_BYTES_MAX, limits.head_bytes)
        self.idle_timeout_s = limits.idle_timeout_s
        self._whole = whole
        self._limits = limits
        self._tls = tls
        self._passed_on: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self._all_left = asyncio.Event()
        self._date_s = 0
        self._date_line = b""

    async def serve(self, listening: socket.socket) -> None:
        """Until told to stop; then take no new connections, and give the requests under way their time."""
        first = partial(FastHttp1, self)
        if self._tls is None:
            listener = Listener(listening, first)
            await self._stopping.wait()
            listener.close()
        else:
            secure = TlsListener(listening, self._tls, first)
            await self._stopping.wait()
            await secure.close()
        await self._whole.drain()
        for connection in list(self.connections):
            connection.close_soon()
        leaving = self.loop.create_task(self._all_left.wait()) if self.connections else None
        under_way = self._passed_on | ({leaving} if leaving else set())
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=self._limits.patience_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def stop(self) -> None:
        self._stopping.set()

    def reload(self) -> None:
        """New connections get the certificate that is in the files now."""
        if self._tls is not None:
            self._tls.reload()

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    # Connections that come and go

    def came(self, connection: FastHttp1, peer: str) -> bool:
        """False if there is no room for it. When all are taken, one that has been idle for long gives way."""
        gate = self._gate
        if gate.is_full and not gate.is_closed_to(peer):
            idle = next((each for each in islice(self.connections, _LOOKS_MAX) if each.may_give_way), None)
            if idle is not None:
                idle.give_way()
        if gate.is_full or gate.is_closed_to(peer):
            gate.note_refusal(peer)
            return False
        gate.enter(peer)
        self.connections[connection] = None
        return True

    def went(self, peer: str) -> None:
        """The connection is closed."""
        self._gate.leave(peer)

    def left(self, connection: FastHttp1) -> None:
        """The connection is closed, or was passed on."""
        self.connections.pop(connection, None)
        if self.is_stopping and not self.connections:
            self._all_left.set()

    # Connections that a FastHttp1 passes on

    def pass_on(self, transport: asyncio.Transport, peer: str, unread: bytes) -> None:
        self._keep(self._whole.take(transport, unread, peer), peer)

    def begin_duplex(
        self, transport: asyncio.Transport, peer: str, route: Any, head: RequestHead, unread: bytes
    ) -> None:
        """Serve a connection on which both sides speak at once."""
        duplex = DuplexHttp1(self, transport, peer)
        transport.set_protocol(duplex)
        self._keep(duplex.run(route, head), peer)
        if unread:
            duplex.data_received(unread)

    def _keep(self, work: Coroutine[Any, Any, None], peer: str) -> None:
        task = self.loop.create_task(work)
        self._passed_on.add(task)
        task.add_done_callback(partial(self._ended, peer))

    def _ended(self, peer: str, task: asyncio.Task[None]) -> None:
        self._passed_on.discard(task)
        self.went(peer)
        if not task.cancelled() and task.exception() is not None:
            log.error("http.failed", exc_info=task.exception())

    # Answers

    def head(self, status: int, lines: bytes) -> bytes:
        """The head of an answer, around the lines of its fields."""
        return b"".join((STATUS_LINES[status], lines, self._date(), b"\r\n"))

    def _date(self) -> bytes:
        now_s = self.hot_routes.clock.now_ns() // NS_PER_S
        if now_s != self._date_s:
            self._date_s = now_s
            self._date_line = f"date: {formatdate(now_s, usegmt=True)}\r\n".encode()
        return self._date_line
