"""Listener: accepts connections, a few per turn of the loop, and rests when there are no descriptors left.

    socket -> [listener] -> FastHttp1

The loop's own servers take in as many as wait at once, before anything can judge them, and log a traceback
each second while the process has no descriptor for the next.
"""

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Final

import structlog

log = structlog.get_logger()

#: Connections taken in at once; those that wait are taken in the next turns, with others served in between.
_AT_ONCE: Final = 8
#: How long to rest without descriptors, and how often at most the log says so.
_REST_S: Final = 0.2
_SAY_EVERY_S: Final = 10.0
_NO_ROOM: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Listener:
    """Of a bound and listening socket, which is its own from then on."""

    def __init__(self, listening: socket.socket, first: Callable[[], asyncio.Protocol]) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = listening
        self._first = first
        self._making: set[asyncio.Task[None]] = set()
        self._rest: asyncio.TimerHandle | None = None
        self._said_at = -_SAY_EVERY_S
        self._socket.setblocking(False)
        self._loop.add_reader(self._socket, self._accept)

    def close(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        self._loop.remove_reader(self._socket)
        self._socket.close()

    def _accept(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                connection, _ = self._socket.accept()
            except (BlockingIOError, InterruptedError):
                return  # None waits any more, or another process was quicker.
            except OSError as error:
                if error.errno in _NO_ROOM:
                    self._take_a_rest(error)
                    return
                continue  # The client has gone already.
            connection.setblocking(False)
            task = self._loop.create_task(self._make(connection))
            self._making.add(task)
            task.add_done_callback(self._making.discard)

    async def _make(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._first, connection)
        except OSError:
            connection.close()

    def _take_a_rest(self, error: OSError) -> None:
        now = self._loop.time()
        if now - self._said_at >= _SAY_EVERY_S:
            self._said_at = now
            log.warning("http.not_accepted", reason=str(error), again_in_ms=round(_REST_S * 1_000))
        self._loop.remove_reader(self._socket)
        self._rest = self._loop.call_later(_REST_S, self._loop.add_reader, self._socket, self._accept)
