"""Edge link: a Unix socket pair between a node and one of its edge processes, which carries frames.

    send -> [buffer] -> once per turn of the loop -> socket        socket -> frames -> heard

What is sent in one turn leaves in one write. If the other side does not read, `drain` waits; reading never
waits for anything, so neither side can hold up the other for good.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final

import structlog

from corvo.http.edges.frames import EdgeFrameReader, Frame, append

log = structlog.get_logger()

#: What may wait to be written before senders have to.
_BUFFER_BYTES_MAX: Final = 1024 * 1024


class EdgeLink(asyncio.Protocol):
    def __init__(self, heard: Callable[[Frame], None], lost: Callable[[], None]) -> None:
        self._heard = heard
        self._lost = lost
        self._reader = EdgeFrameReader()
        self._transport: Any = None
        self._out = bytearray()
        self._loop = asyncio.get_running_loop()
        self._room: asyncio.Future[None] | None = None
        self.is_closed = False

    @classmethod
    async def on(
        cls, end: socket.socket, heard: Callable[[Frame], None], lost: Callable[[], None]
    ) -> "EdgeLink":
        """Over this end of a socket pair, which is the link's own from now on."""
        end.setblocking(False)
        loop = asyncio.get_running_loop()
        _, link = await loop.create_unix_connection(lambda: cls(heard, lost), sock=end)
        return link

    # Speaking

    def send(self, frame: Frame) -> None:
        if self.is_closed:
            return  # Requests that wait for an answer are told by `lost`.
        if not self._out:
            self._loop.call_soon(self._flush)
        append(frame, self._out)

    def _flush(self) -> None:
        out, self._out = self._out, bytearray()
        if out and not self.is_closed:
            self._transport.write(out)

    async def drain(self) -> None:
        """Wait until there is room, or the other side is gone."""
        while self._room is not None:
            await asyncio.shield(self._room)

    @property
    def is_full(self) -> bool:
        return self._room is not None

    def close(self) -> None:
        """Close the link, after what was sent."""
        self._flush()
        self._transport.close()

    # Called by the loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._transport.set_write_buffer_limits(_BUFFER_BYTES_MAX)

    def data_received(self, data: bytes) -> None:
        try:
            for frame in self._reader.feed(data):
                self._heard(frame)
        except Exception:
            # What is half understood is worse than nothing; both sides begin anew.
            log.exception("edge.link_failed")
            self._transport.abort()

    def pause_writing(self) -> None:
        self._room = self._loop.create_future()

    def resume_writing(self) -> None:
        room, self._room = self._room, None
        if room is not None and not room.done():
            room.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_closed = True
        self.resume_writing()
        self._lost()


class SendWindow:
    """How much of one body is on the way; its sender waits while that is too much."""

    __slots__ = ("_freed", "_limit", "_unread")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._unread = 0
        self._freed: asyncio.Event | None = None

    def sent(self, size: int) -> None:
        self._unread += size

    def taken(self, size: int) -> None:
        self._unread -= size
        if self._freed is not None and self._unread < self._limit:
            self._freed.set()

    def open(self) -> None:
        """The receiver takes nothing any more, so the sender need not wait."""
        self._limit = 1 << 62
        if self._freed is not None:
            self._freed.set()

    async def room(self) -> None:
        while self._unread >= self._limit:
            self._freed = asyncio.Event()
            await self._freed.wait()
