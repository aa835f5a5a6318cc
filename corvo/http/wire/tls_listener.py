"""TLS listener: accepts connections and shakes hands before anything else sees a byte of them.

    socket -> [tls listener] -> handshake -> FastHttp1
                             -> a sentence     to a client that speaks plain HTTP

The loop's own servers cannot look at a first byte without taking it, nor use another context for the next
connection. So connections are accepted here, one task each until its handshake is done.
"""

import asyncio
import errno
import resource
import socket
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Final

import msgspec
import structlog

from corvo.core.errors import TlsRequired
from corvo.http.wire.tls import HandshakeFailed
from corvo.http.wire.tls_keeper import TlsKeeper

log = structlog.get_logger()

#: How long a client may take from connecting to the end of the handshake.
_HANDSHAKE_S: Final = 10.0
#: How long a client may take to say that it has noticed the end of the connection.
_SHUTDOWN_S: Final = 2.0
#: Handshakes at a time, and what they may take of all descriptors, two each. When there are more, one is
#: given up: the oldest of the address that has most of them. That of a client who means it is done within
#: milliseconds.
_HANDSHAKES_MAX: Final = 1_024
_DESCRIPTORS_SHARE: Final = 16
#: How long to wait when there are no descriptors left.
_REST_S: Final = 0.2
#: What begins every TLS connection: a record with a handshake.
_HANDSHAKE_RECORD: Final = b"\x16"
_NO_ROOM: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)

_REFUSAL_TEXT: Final = "this port speaks TLS; use https:// instead of http://"
_REFUSAL_BODY: Final = msgspec.json.encode(
    {"error": _REFUSAL_TEXT, "code": TlsRequired.code, "hint": TlsRequired.hint(), "request_id": ""}
)
_REFUSAL: Final = (
    b"HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\n"
    b"content-length: %d\r\nconnection: close\r\n\r\n%b"
) % (len(_REFUSAL_BODY), _REFUSAL_BODY)


class TlsListener:
    def __init__(
        self, listening: socket.socket, keeper: TlsKeeper, first: Callable[[], asyncio.Protocol]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = listening
        self._keeper = keeper
        self._first = first
        descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self._most = min(_HANDSHAKES_MAX, max(8, descriptors // _DESCRIPTORS_SHARE))
        #: With the address of the client, oldest first.
        self._greeting: dict[asyncio.Task[None], str] = {}
        self._tasks = [
            self._loop.create_task(self._accept(), name="tls accept"),
            self._loop.create_task(keeper.watch(), name="tls watch"),
        ]
        for task in self._tasks:
            task.add_done_callback(_ended)

    async def close(self) -> None:
        """Take no new connections. Handshakes that are not done are broken off."""
        tasks = [*self._tasks, *self._greeting]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._socket.close()

    async def _accept(self) -> None:
        while True:
            try:
                connection, address = await self._loop.sock_accept(self._socket)
            except OSError as error:
                # Without a descriptor to spare it would fail again at once; else the client has gone already.
                is_full = error.errno in _NO_ROOM
                if is_full:
                    log.warning("http.not_accepted", reason=str(error))
                await asyncio.sleep(_REST_S if is_full else 0)
                continue
            if len(self._greeting) >= self._most:
                self._give_up_one()
            task = self._loop.create_task(self._greet(connection))
            self._greeting[task] = address[0]
            task.add_done_callback(partial(self._greeted, connection))
            # While others wait to be accepted, the loop would not get a turn.
            await asyncio.sleep(0)

    def _give_up_one(self) -> None:
        ((busiest, _),) = Counter(self._greeting.values()).most_common(1)
        oldest = next(task for task, address in self._greeting.items() if address == busiest)
        # Forgotten at once: it ends in the next turn, and until then others may come.
        del self._greeting[oldest]
        oldest.cancel()

    def _greeted(self, connection: socket.socket, task: asyncio.Task[None]) -> None:
        # Here and not in the task: one that is given up before it has begun does nothing at all.
        connection.close()
        self._greeting.pop(task, None)
        _ended(task)

    async def _greet(self, connection: socket.socket) -> None:
        try:
            async with asyncio.timeout(_HANDSHAKE_S):
                await self._readable(connection)
                beginning = connection.recv(1, socket.MSG_PEEK)
                if beginning == _HANDSHAKE_RECORD:
                    # A second descriptor: the first is the transport's, which closes it when this fails.
                    await self._shake(connection.dup(), connection)
                elif beginning.isalpha():
                    await self._say_last(connection, _REFUSAL)
        except (OSError, TimeoutError) as error:
            # Of strangers, and as many as they like, so it is not for the log of every day.
            log.debug("tls.no_handshake", reason=str(error) or type(error).__name__)

    async def _shake(self, theirs: socket.socket, ours: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(
                self._first,
                theirs,
                ssl=self._keeper.context,
                ssl_handshake_timeout=_HANDSHAKE_S,
                ssl_shutdown_timeout=_SHUTDOWN_S,
            )
        except HandshakeFailed as error:
            log.debug("tls.no_handshake", reason=str(error))
            await self._say_last(ours, error.last_words)

    async def _readable(self, connection: socket.socket) -> None:
        """Until there is a first byte, or none will come."""
        came = asyncio.Event()
        self._loop.add_reader(connection, came.set)
        try:
            await came.wait()
        finally:
            self._loop.remove_reader(connection)

    async def _say_last(self, connection: socket.socket, text: bytes) -> None:
        """Say it, and listen until the client has noticed: if something lay here unread, closing would break
        the connection, and the client might lose what was said."""
        connection.setblocking(False)
        await self._loop.sock_sendall(connection, text)
        connection.shutdown(socket.SHUT_WR)
        while await self._loop.sock_recv(connection, 65_536):
            """What it says is of no use."""


def _ended(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("http.failed", exc_info=task.exception())
