"""Duplex HTTP/1.1: a connection on which request and answer go on at the same time, for a worker's stream.

    socket -> chunks -> [duplex http1] -> handler reads pieces
    socket <- chunks <- [duplex http1] <- handler says pieces

FastHttp1 hands such a connection over with the head of the request; when the answer has ended the connection
is closed. What lies unread is bounded, and a client that does not read holds up no other client.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from corvo.http.wire.chunks import Chunks, NotChunks
from corvo.http.wire.message import ClientGone, request_of
from corvo.http.wire.request_head import RequestHead
from corvo.http.wire.tls import certificate_name

if TYPE_CHECKING:
    from corvo.http.wire.acceptor import Acceptor

#: What may lie unread before the client has to wait.
_UNREAD_BYTES_MAX: Final = 64 * 1024


class DuplexHttp1(asyncio.Protocol):
    def __init__(self, acceptor: "Acceptor", transport: asyncio.Transport, peer: str) -> None:
        self._acceptor = acceptor
        self._transport = transport
        self._peer = peer
        self._chunks = Chunks()
        self._pieces: deque[bytes] = deque()
        self._unread_bytes = 0
        self._is_paused = False
        #: Set when there is news of the body, when there is room to write, when the connection has ended.
        self._news = asyncio.Event()
        self._can_write = asyncio.Event()
        self._can_write.set()
        self._gone = asyncio.Event()

    # What the loop calls

    def data_received(self, data: bytes) -> None:
        try:
            pieces = self._chunks.feed(data)
        except NotChunks:
            self._transport.abort()
            return
        self._pieces.extend(pieces)
        self._unread_bytes += sum(map(len, pieces))
        self._news.set()
        if self._unread_bytes > _UNREAD_BYTES_MAX and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def pause_writing(self) -> None:
        self._can_write.clear()

    def resume_writing(self) -> None:
        self._can_write.set()

    def connection_lost(self, error: Exception | None) -> None:
        self._gone.set()
        self._news.set()
        self._can_write.set()

    # What the handler sees

    async def _incoming(self) -> AsyncIterator[bytes]:
        """Pieces of the body, until it ends. Raises ClientGone if it never will."""
        while True:
            while self._pieces:
                piece = self._pieces.popleft()
                self._unread_bytes -= len(piece)
                if self._is_paused and self._unread_bytes <= _UNREAD_BYTES_MAX // 2:
                    self._is_paused = False
                    self._transport.resume_reading()
                yield piece
            if self._chunks.is_complete:
                return
            if self._gone.is_set():
                raise ClientGone
            self._news.clear()
            await self._news.wait()

    async def run(self, route: Any, head: RequestHead) -> None:
        hot = self._acceptor.hot_routes
        request = request_of(
            head.method,
            head.path,
            head.query,
            head.headers,
            b"",
            {},
            started_ns=hot.clock.monotonic_ns(),
            peer=self._peer,
            certificate=certificate_name(self._transport),
            gone=self._gone.wait,
            incoming=self._incoming(),
        )
        response = await hot.responder.respond(route, request)
        response.close_after()
        if response.stream is not None:
            response.headers.append((b"transfer-encoding", b"chunked"))
        lines = hot.responder.lines(response, head.headers, request.started_ns)
        try:
            self._write(self._acceptor.head(response.status, lines) + response.body)
            if response.stream is not None:
                await self._say(response.stream)
        finally:
            self._transport.close()

    async def _say(self, stream: AsyncIterator[bytes]) -> None:
        try:
            async for piece in stream:
                if piece:
                    self._write(b"%x\r\n%b\r\n" % (len(piece), piece))
                if not self._can_write.is_set():
                    await self._until_read()
                if self._gone.is_set():
                    return
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()
        self._write(b"0\r\n\r\n")

    async def _until_read(self) -> None:
        """Until there is room to write again. A client that takes nothing for a while is given up."""
        unsent_bytes = -1
        while not self._can_write.is_set():
            before, unsent_bytes = unsent_bytes, self._transport.get_write_buffer_size()
            if unsent_bytes == before:
                self._transport.abort()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._acceptor.hot_routes.stalled_s):
                    await self._can_write.wait()

    def _write(self, data: bytes) -> None:
        """A client may hang up at any moment, and uvloop raises if a closed connection is written to."""
        if not self._transport.is_closing():
            self._transport.write(data)
