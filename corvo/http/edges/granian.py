"""Granian: HTTP/1.1 and HTTP/2 spoken by a Rust core on a thread of its own, the application in our loop.

    socket -> FastHttp1 -> tcp proxy -> Rust -> [this loop: application] -> Rust -> tcp proxy -> socket

TLS is over before it sees a byte, so certificates are the same on every edge.
It is started inside the process, so handlers reach the actors as ever. It stands behind FastHttp1, as
Hypercorn does: a plain request for a hot route would spend more on the way to that thread and back than on
all else. What it does differently from the default edge is listed in `DEVIATIONS`; the node says so when it
starts, docs/edges.md says what it means.
"""

import asyncio
import logging
import socket
from typing import Any, Final

import structlog
from granian._granian import SocketHolder
from granian.constants import Interfaces
from granian.http import HTTP1Settings, HTTP2Settings
from granian.server.embed import Server as Embedded

from corvo.config import Config
from corvo.http.edges.tcp_proxy import TcpProxy
from corvo.http.wire.acceptor import Acceptor
from corvo.http.wire.protocols import CERTIFICATE, App, Receive, Scope, Send
from corvo.http.wire.server import (
    BACKLOG,
    REQUESTS_SHARE,
    STREAMS_PER_CONNECTION,
    bind,
    limits,
    spell,
    tls_of,
)

log = structlog.get_logger()

#: By short name: what a client may notice. The conformance suite has a row for each.
DEVIATIONS: Final = {
    "bare_refusals": "a broken or oversize request head is refused without a JSON body",
    "head_at_least_8k": "heads of up to 8 KiB are accepted even if --max-header-size is less",
    "http2_idle": "an idle HTTP/2 connection is kept, whatever --idle-timeout is",
    "half_bodies": "an HTTP/2 body without Content-Length that its client gives up on looks complete",
    "server_header": "answers name the server",
    "request_line_host": "of a request line that holds a whole address, the host is not looked at",
}

#: Hyper does not take less than this.
_HEAD_BYTES_LEAST: Final = 8 * 1024
#: Of the client, of our TCP proxy, and of Granian itself.
_DESCRIPTORS_EACH: Final = 3
#: Connections at a time; more wait to be accepted.
_CONNECTIONS_MAX: Final = 16_384
#: What a stream, and all of a connection, may have unread.
_STREAM_WINDOW_BYTES: Final = 64 * 1024
_CONNECTION_WINDOW_BYTES: Final = 1024 * 1024
#: How long connections have to be closed, when everything is answered.
_CLOSING_S: Final = 0.5


class GranianServer:
    def __init__(self, config: Config, app: App, listening: socket.socket) -> None:
        self._config = config
        tls = tls_of(config)
        self._socket: socket.socket | None = listening
        self.address = spell(listening)
        #: Where Granian itself listens, for connections that FastHttp1 passes on.
        self._inner: socket.socket | None = bind("127.0.0.1:0")
        host, port = self._inner.getsockname()
        self._proxy = TcpProxy(host, port, config.idle_timeout / 1_000)
        self._app = _Counted(app, self._proxy, config.scheme)
        self._acceptor = Acceptor(app, self._proxy, limits(config, _DESCRIPTORS_EACH), tls)
        self._embedded: Any = _OnSocket(
            self._app,
            interface=Interfaces.ASGINL,
            backlog=BACKLOG,
            backpressure=_CONNECTIONS_MAX,
            http1_settings=HTTP1Settings(
                header_read_timeout=config.idle_timeout,
                max_buffer_size=max(_HEAD_BYTES_LEAST, config.max_header_size),
            ),
            http2_settings=HTTP2Settings(
                initial_connection_window_size=_CONNECTION_WINDOW_BYTES,
                initial_stream_window_size=_STREAM_WINDOW_BYTES,
                max_concurrent_streams=STREAMS_PER_CONNECTION,
                max_headers_size=config.max_header_size,
            ),
            log_enabled=False,
        )
        _take_over_logging()
        self._serving: asyncio.Task[None] | None = None
        self._accepting: asyncio.Task[None] | None = None
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def start(self) -> None:
        assert self._socket is not None
        assert self._inner is not None
        # Listening begins now, so that no client is refused while everything gets ready.
        for listening in (self._inner, self._socket):
            listening.listen(BACKLOG)
        log.info("edge.differs", edge="granian", differences=list(DEVIATIONS.values()))
        self._embedded.descriptor = self._inner.detach()
        self._serving = asyncio.create_task(self._embedded.serve(), name="granian")
        self._accepting = asyncio.create_task(self._acceptor.serve(self._socket), name="http")
        self._inner = self._socket = None
        for task in (self._serving, self._accepting):
            task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        if not self._over.done():
            self._over.set_result(None)
        if not task.cancelled() and task.exception() is not None:
            log.error("http.failed", exc_info=task.exception())

    def reload(self) -> None:
        self._acceptor.reload()

    async def wait(self) -> None:
        await asyncio.shield(self._over)

    async def stop(self) -> None:
        self._app.drain()
        if self._serving is not None and self._accepting is not None:
            self._acceptor.stop()
            loop = asyncio.get_running_loop()
            over = loop.time() + REQUESTS_SHARE * self._config.shutdown_timeout / 1_000
            # Granian drops what it has not written when it is told to stop, so that comes last.
            await self._app.finish(over - loop.time())
            await self._proxy.close(over - loop.time())
            self._embedded.stop()
            await asyncio.wait({self._serving}, timeout=_CLOSING_S)
            self._app.cut_short()
            await self._accepting
        if not self._over.done():
            self._over.set_result(None)
        self.close()

    def close(self) -> None:
        for listening in (self._inner, self._socket):
            if listening is not None:
                listening.close()
        self._inner = self._socket = None


class _Counted:
    """The application, and which requests are under way: Granian has no time limit for them."""

    def __init__(self, app: App, proxy: TcpProxy, scheme: str) -> None:
        self._app = app
        self._proxy = proxy
        self._is_tls = scheme == "https"
        self._under_way: set[asyncio.Task[Any]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._under_way.add(task)
        try:
            # Granian sees our TCP proxy. The client is looked up by the port, which it gives as text.
            host, port = scope.get("client") or ("", 0)
            client = self._proxy.client_of((host, int(port)))
            if client is None:
                # Gone by now; or somebody on this machine has found Granian's own port, behind TLS.
                await _refuse(scope, send)
                return
            scope["client"] = (client.peer, int(port))
            if self._is_tls:
                scope["scheme"] = "https" if scope["type"] == "http" else "wss"
            if client.certificate:
                scope[CERTIFICATE] = client.certificate
            await self._app(scope, receive, send)
        finally:
            self._under_way.discard(task)

    def drain(self) -> None:
        self._app.drain()

    async def finish(self, patience_s: float) -> None:
        """Until what is under way now is done; what begins meanwhile does not count."""
        under_way = set(self._under_way)
        if under_way:
            await asyncio.wait(under_way, timeout=patience_s)

    def cut_short(self) -> None:
        for task in self._under_way:
            task.cancel()


async def _refuse(scope: Scope, send: Send) -> None:
    prefix = "http" if scope["type"] == "http" else "websocket.http"
    body = b"this port is not for clients: ask at the address of the node\n"
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    await send({"type": f"{prefix}.response.start", "status": 421, "headers": headers})
    await send({"type": f"{prefix}.response.body", "body": body})


class _OnSocket(Embedded):
    """Granian binds an address by itself; a node has bound its own before anything else was made."""

    descriptor: int

    def _init_shared_socket(self) -> None:
        assert hasattr(super(), "_init_shared_socket"), "Granian has changed: look for how it listens now"
        self._ssp = None
        holder: Any = SocketHolder
        self._shd = holder(self.descriptor, False, BACKLOG)


def _take_over_logging() -> None:
    """Granian sets up loggers of its own; its errors come out with ours."""
    for name in ("_granian", "granian.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(logging.ERROR)
