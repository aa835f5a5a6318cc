"""HTTP server: HTTP/1.1 and HTTP/2 on one port, in this process, with TLS or without. Hypercorn is behind
FastHttp1."""

import asyncio
import socket
import sys
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial
from typing import Any

import structlog
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config as HypercornConfig
from hypercorn.logging import Logger

from corvo.config import Config
from corvo.core.hosts import within
from corvo.http.wire.acceptor import Acceptor, ConnectionLimits
from corvo.http.wire.connection_gate import connections_max
from corvo.http.wire.hypercorn_patches import alike, hang_up, http2, refusals
from corvo.http.wire.protocols import CERTIFICATE, App
from corvo.http.wire.tls import TlsFiles, certificate_name
from corvo.http.wire.tls_keeper import TlsKeeper

log = structlog.get_logger()

STREAMS_PER_CONNECTION = 2_048
BACKLOG = 1_024
#: Of the time a node has to stop, what open requests may take; the rest is for everything behind the edge.
REQUESTS_SHARE = 0.9


class AddressTaken(Exception):
    """The HTTP address cannot be bound; the message says which and why."""


class _Silent(Logger):
    """Hypercorn's log lines, in our log. Requests are not logged one by one."""

    async def access(self, request: object, response: object, request_time: float) -> None:
        """Metrics count requests."""

    async def exception(self, message: str, *args: object, **kwargs: object) -> None:
        log.error("http.failed", text=message % args if args else message, exc_info=sys.exc_info())

    async def info(self, message: str, *args: object, **kwargs: object) -> None:
        log.debug("http.said", text=message % args if args else message)


class Hypercorn:
    """The whole server behind FastHttp1."""

    def __init__(self, app: App, config: Config) -> None:
        alike.install()
        refusals.install()
        http2.install()
        hang_up.install()
        self._loop = asyncio.get_running_loop()
        self._app = app
        self._wrapped = ASGIWrapper(app)
        self._state = WorkerContext(None)
        self._settings = HypercornConfig()
        self._settings.accesslog = None
        self._settings.errorlog = None
        self._settings.logger_class = _Silent
        self._settings.include_server_header = False
        self._settings.keep_alive_timeout = config.idle_timeout / 1_000
        self._settings.keep_alive_max_requests = 2**31
        self._settings.h11_max_incomplete_size = config.max_header_size
        self._settings.h2_max_header_list_size = config.max_header_size
        self._settings.h2_max_concurrent_streams = STREAMS_PER_CONNECTION

    def take(self, transport: asyncio.Transport, unread: bytes, peer: str) -> Coroutine[Any, Any, None]:
        reader = asyncio.StreamReader(loop=self._loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=self._loop)
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        reader.feed_data(unread)
        certificate = certificate_name(transport)
        app = ASGIWrapper(_Certified(self._app, certificate)) if certificate else self._wrapped
        return self._speak(app, reader, asyncio.StreamWriter(transport, protocol, reader, self._loop))

    async def _speak(
        self, app: ASGIWrapper, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        # A client that does not say goodbye, as TLS has it, is a TimeoutError in the end.
        with suppress(OSError):
            await TCPServer(app, self._loop, self._settings, self._state, {}, reader, writer)

    async def drain(self) -> None:
        await self._state.terminated.set()


class _Certified:
    """The application, as a client with a certificate sees it."""

    def __init__(self, app: App, certificate: str) -> None:
        self._app = app
        self._certificate = certificate

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        scope[CERTIFICATE] = self._certificate
        await self._app(scope, receive, send)


class HttpServer:
    def __init__(self, config: Config, edge: App, listening: socket.socket) -> None:
        self._tls = tls_of(config)
        self._config = config
        self._edge = edge
        self._socket: socket.socket | None = listening
        self.address = spell(self._socket)
        self._acceptor: Acceptor | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        assert self._socket is not None
        # Listening begins now, so that no client is refused while everything gets ready.
        self._socket.listen(BACKLOG)
        whole = Hypercorn(self._edge, self._config)
        self._acceptor = Acceptor(self._edge, whole, limits(self._config), self._tls)
        self._task = asyncio.create_task(self._acceptor.serve(self._socket), name="http")
        self._socket = None

    def reload(self) -> None:
        if self._acceptor is not None:
            self._acceptor.reload()

    async def wait(self) -> None:
        """Wait until the server ends; it ends by itself only if it failed."""
        assert self._task is not None
        await self._task

    async def stop(self) -> None:
        """Take no new connections and finish the requests under way."""
        self._edge.drain()
        if self._acceptor is not None and self._task is not None:
            self._acceptor.stop()
            await self._task
        self.close()

    def close(self) -> None:
        """Let go of the address, if it was never served."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def tls_of(config: Config) -> TlsKeeper | None:
    """None if the node speaks plain HTTP. Raises TlsRefused."""
    files = TlsFiles.of(config)
    return None if files is None else TlsKeeper(files)


def limits(config: Config, descriptors_each: int = 1) -> ConnectionLimits:
    """Of this process: connections are shared out to the processes that accept them."""
    share = max(1, config.edge_workers)
    return ConnectionLimits(
        connections=connections_max(-(-config.max_connections // share), descriptors_each),
        connections_per_address=-(-config.max_connections_per_address // share),
        is_proxy=partial(within, config.proxy_networks()),
        head_bytes=config.max_header_size,
        idle_timeout_s=config.idle_timeout / 1_000,
        backlog=BACKLOG,
        patience_s=REQUESTS_SHARE * config.shutdown_timeout / 1_000,
    )


def spell(listening: socket.socket) -> str:
    """Where it really listens, also if any free port was asked for."""
    host, port = listening.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def listen(address: str) -> socket.socket:
    """Bind and listen: clients that connect now wait. Only this tells whether the address is in use."""
    listening = bind(address)
    try:
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise AddressTaken(f"cannot listen on {address}: {error}") from None
    return listening


def bind(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listening.bind((host, int(port)))
    except (OSError, ValueError, OverflowError) as error:
        listening.close()
        raise AddressTaken(f"cannot listen on {address}: {error}") from None
    listening.setblocking(False)
    return listening
