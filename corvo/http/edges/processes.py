"""Edge processes: HTTP is spoken by N processes that share the node's listening socket.

    clients --> edge process 1 --link--> node
            \\-> edge process 2 --link--/

A process that dies takes its connections with it and nothing else: the node finishes what it had begun for
them, and the listening socket stays open here, so no client is refused while another process is started.
"""

import asyncio
import contextlib
import socket
import sys
from typing import Final

import structlog

from corvo.config import Config
from corvo.http.edges.frames import (
    BodyFrame,
    Frame,
    GoneFrame,
    ReadyFrame,
    ReloadFrame,
    RequestFrame,
    StartFrame,
    StopFrame,
    TakenFrame,
)
from corvo.http.edges.link import EdgeLink
from corvo.http.edges.node_end import NodeEnd
from corvo.http.wire.protocols import App
from corvo.http.wire.server import BACKLOG, spell

log = structlog.get_logger()

#: What an edge process has to know. The secrets of the cluster are not among it.
_SETTINGS: Final = (
    "node_id",
    "edge",
    "loop",
    "shutdown_timeout",
    "idle_timeout",
    "body_timeout",
    "edge_workers",
    "send_timeout",
    "request_memory_bytes",
    "answer_memory_bytes",
    "max_connections",
    "max_connections_per_address",
    "trusted_proxies",
    "max_header_size",
    "max_body_size",
    "bind",
    "http_advertise",
    "discover_dns_name",
    "allowed_hosts",
    "cors_origin",
    "tls_cert",
    "tls_key",
    "tls_client_ca",
    "tls_client_auth",
    "log_level",
    "log_format",
)
#: How long to wait before a process is started again; doubled while they do not last.
_REST_S_LEAST: Final = 0.05
_REST_S_MOST: Final = 5.0
_LASTED_S: Final = 10.0
#: Beyond the time that open requests have, when the node stops.
_STOP_MARGIN_S: Final = 1.0


class ProcessServer:
    def __init__(self, config: Config, app: App, listening: socket.socket) -> None:
        self._config = config
        self._app = app
        self._socket = listening
        self.address = spell(listening)
        self._seats = [_Seat(number, config, app, listening) for number in range(1, config.edge_workers + 1)]
        self._task: asyncio.Future[list[None]] | None = None

    def start(self) -> None:
        self._socket.listen(BACKLOG)
        self._task = asyncio.gather(*(seat.keep() for seat in self._seats))

    def reload(self) -> None:
        for seat in self._seats:
            seat.reload()

    async def wait(self) -> None:
        assert self._task is not None
        await self._task

    async def stop(self) -> None:
        self._app.drain()
        for seat in self._seats:
            seat.stop()
        if self._task is not None:
            patience_s = self._config.shutdown_timeout / 1_000 + _STOP_MARGIN_S
            await asyncio.wait({self._task}, timeout=patience_s)
            for seat in self._seats:
                seat.kill()
            await self._task
        self.close()

    def close(self) -> None:
        self._socket.close()


class _Seat:
    """One edge process, and the next one when it has died."""

    def __init__(self, number: int, config: Config, app: App, listening: socket.socket) -> None:
        self._number = number
        names = [] if app.hot_routes is None else app.hot_routes.names
        self._orders = StartFrame({name: getattr(config, name) for name in _SETTINGS}, names)
        self._app = app
        self._scheme = config.scheme
        self._listening = listening
        self._stopping = asyncio.Event()
        self._link: EdgeLink | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._is_ready = False

    async def keep(self) -> None:
        loop = asyncio.get_running_loop()
        rest_s = _REST_S_LEAST
        while not self._stopping.is_set():
            began = loop.time()
            code: int | None = None
            try:
                code = await self._run_one()
            except OSError as error:
                # No memory, no descriptors: there may be some later.
                log.warning("edge.not_started", edge=self._number, error=str(error))
            if self._stopping.is_set():
                return
            if loop.time() - began > _LASTED_S:
                rest_s = _REST_S_LEAST
            if code is not None:
                log.error("edge.died", edge=self._number, exit_code=code, again_in_ms=round(rest_s * 1_000))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(rest_s):
                    await self._stopping.wait()
            rest_s = min(2 * rest_s, _REST_S_MOST)

    async def _start(self, theirs: socket.socket) -> asyncio.subprocess.Process:
        descriptors = (theirs.fileno(), self._listening.fileno())
        command = (sys.executable, "-m", "corvo.http.edges.process", *map(str, descriptors))
        return await asyncio.create_subprocess_exec(
            *command, pass_fds=descriptors, stdin=asyncio.subprocess.DEVNULL
        )

    async def _run_one(self) -> int:
        """Until it has ended: its exit code."""
        ours, theirs = socket.socketpair()
        with theirs:
            counter = NodeEnd(self._app, self._scheme)
            is_over = asyncio.Event()

            def heard(frame: Frame) -> None:
                match frame:
                    case RequestFrame() | BodyFrame() | TakenFrame() | GoneFrame():
                        counter.heard(frame)
                    case ReadyFrame():
                        log.info("edge.ready", edge=self._number, pid=process.pid, loop=frame.loop)
                        self._is_ready = True
                        self._pass_on_stop()

            def lost() -> None:
                counter.lost()
                is_over.set()

            self._link = await EdgeLink.on(ours, heard, lost)
            counter.connect(self._link)
            try:
                process = self._process = await self._start(theirs)
            except OSError:
                self._link.close()
                raise
        self._link.send(self._orders)
        await is_over.wait()
        self._is_ready = False
        # Without its link a process ends by itself; one that cannot is killed.
        await asyncio.wait({asyncio.ensure_future(process.wait())}, timeout=_STOP_MARGIN_S)
        self.kill()
        return await process.wait()

    def reload(self) -> None:
        """A process that is not ready yet reads the files anyway."""
        if self._is_ready and self._link is not None:
            self._link.send(ReloadFrame())

    def stop(self) -> None:
        self._stopping.set()
        self._pass_on_stop()

    def _pass_on_stop(self) -> None:
        if self._stopping.is_set() and self._is_ready and self._link is not None:
            self._link.send(StopFrame())

    def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
