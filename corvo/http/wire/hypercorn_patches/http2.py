"""HTTP/2 in which one stream cannot hold up, or bring down, the others of its connection.

    socket -> [connection] --pieces of bodies--> the handler of each stream
                           <--window, as the handler takes them

Hypercorn reads a connection only as fast as its slowest handler takes the body: while one does not, nothing
else is read, not even the window updates its own answer waits for, nor the end of the connection. So here a
piece is queued without waiting, and the client's window opens again when the handler has taken it: what may
lie unread is bounded by the window. Pieces for a stream that was answered already are dropped, where
Hypercorn drops the connection; and when the connection is gone, answers that wait for its window are let go.

A client that sends frames only to keep the server busy is told to calm down, and its connection ends
(`frame_watch.py`). Priorities are ignored, as RFC 9113 allows.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from copy import copy
from typing import Any

import h2.events
import structlog
from h2.connection import ConnectionState
from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError
from hypercorn import protocol
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData, Updated
from hypercorn.protocol import h2 as h2_module
from hypercorn.protocol.events import Body
from hypercorn.protocol.h2 import (
    BUFFER_HIGH_WATER,
    BUFFER_LOW_WATER,
    BufferCompleteError,
    H2Protocol,
    StreamBuffer,
)
from hypercorn.typing import AppWrapper
from priority.priority import PriorityTree

from corvo.http.wire.hypercorn_patches.frame_watch import FloodNoticed, FrameWatch

log = structlog.get_logger()

#: What all streams of a connection may have unread together; a single one has h2's 64 KiB.
_CONNECTION_WINDOW_BYTES = 1024 * 1024
_H2_WINDOW_BYTES = 65_535
_TREE_STREAMS_MAX = 16_384
#: All that something is done about, beside pieces of bodies.
_MEANINGFUL = (
    h2.events.RequestReceived,
    h2.events.StreamEnded,
    h2.events.StreamReset,
    h2.events.WindowUpdated,
    h2.events.RemoteSettingsChanged,
    h2.events.ConnectionTerminated,
)

Took = Callable[[int, int], Awaitable[None]]


class _Reporting:
    """An application that says how much it has taken of which body."""

    def __init__(self, app: AppWrapper, took: Took) -> None:
        self._app = app
        self._took = took

    async def __call__(self, scope: Any, receive: Any, send: Any, sync_spawn: Any, call_soon: Any) -> None:
        # The bound method of a Hypercorn stream; nothing else in reach knows which one it is.
        stream_id: int = send.__self__.stream_id

        async def take() -> Any:
            message = await receive()
            body = message.get("body")
            if body:
                await self._took(stream_id, len(body))
            return message

        await self._app(scope, take, send, sync_spawn, call_soon)


class BoundedBuffer(StreamBuffer):
    """What is to be sent on a stream. Hypercorn's own lets in more whenever something was to be taken out,
    even if the client's window had no room for any of it."""

    async def push(self, data: bytes) -> None:
        if self._complete:
            raise BufferCompleteError
        self.buffer.extend(data)
        await self._is_empty.clear()
        if len(self.buffer) >= BUFFER_HIGH_WATER:
            await self._paused.clear()
            await self._paused.wait()

    async def pop(self, max_length: int) -> bytes:
        data = bytes(self.buffer[:max_length])
        del self.buffer[:max_length]
        if len(self.buffer) < BUFFER_LOW_WATER:
            await self._paused.set()
        if not self.buffer:
            await self._is_empty.set()
        return data


class FairH2Protocol(H2Protocol):
    def __init__(self, app: AppWrapper, config: Config, *rest: Any) -> None:
        bounded_by_windows = copy(config)
        bounded_by_windows.max_app_queue_size = 0
        super().__init__(_Reporting(app, self._taken), bounded_by_windows, *rest)
        #: Bytes handed over and not yet taken, by stream.
        self._unread: dict[int, int] = {}
        self._watch = FrameWatch(asyncio.get_running_loop().time)
        # It holds a thousand streams unless told otherwise, and breaks the connection over the next one.
        # Those that were reset stay in it until the next turn.
        self.priority = PriorityTree(maximum_streams=_TREE_STREAMS_MAX)

    async def initiate(self, *upgraded: Any) -> None:
        await super().initiate(*upgraded)
        self.connection.increment_flow_control_window(_CONNECTION_WINDOW_BYTES - _H2_WINDOW_BYTES)
        await self._flush()
        # The greeting looked like a request to HTTP/1.1, and stopped the clock of idle connections.
        await self.send(Updated(idle=self.idle))

    async def handle(self, event: Event) -> None:
        if isinstance(event, RawData):
            await self._read(event.data)
            return
        await super().handle(event)
        if isinstance(event, Closed):
            for buffer in list(self.stream_buffers.values()):
                await buffer.close()

    async def _read(self, data: bytes) -> None:
        try:
            for number, part in enumerate(self._watch.parts(data)):
                if number:
                    await asyncio.sleep(0)  # Others have waited for this part.
                if self.closed or self.connection.state_machine.state is ConnectionState.CLOSED:
                    return
                await super().handle(RawData(part))
        except FloodNoticed:
            log.warning("http.flood", client=self.client[0] if self.client else "")
            self.connection.close_connection(ErrorCodes.ENHANCE_YOUR_CALM)
            await self._flush()
            await self.send(Closed())

    async def _handle_events(self, events: list[h2.events.Event]) -> None:
        for event in events:
            if isinstance(event, h2.events.DataReceived):
                await self._piece_came(event)
            elif isinstance(event, _MEANINGFUL):
                await super()._handle_events([event])
        await self._flush()

    async def _send_data(self, stream_id: int) -> None:
        self._watch.sent_a_piece()
        await super()._send_data(stream_id)

    async def _piece_came(self, event: h2.events.DataReceived) -> None:
        stream = self.streams.get(event.stream_id)
        size = len(event.data) if stream is not None else 0
        # Padding counts against the window, but no handler takes it.
        self.connection.acknowledge_received_data(event.flow_controlled_length - size, event.stream_id)
        if stream is not None:
            self._unread[event.stream_id] = self._unread.get(event.stream_id, 0) + size
            await stream.handle(Body(stream_id=event.stream_id, data=event.data))

    async def _taken(self, stream_id: int, size: int) -> None:
        unread = self._unread.get(stream_id)
        if unread is None:
            return  # The stream is closed, and all of its window was given back.
        self._unread[stream_id] = unread - size
        self.connection.acknowledge_received_data(size, stream_id)
        await self._flush()

    async def _close_stream(self, stream_id: int) -> None:
        unread = self._unread.pop(stream_id, 0)
        if unread:
            self.connection.acknowledge_received_data(unread, stream_id)
        buffer = self.stream_buffers.get(stream_id)
        is_broken = stream_id in self.streams and buffer is not None and not buffer.complete
        await super()._close_stream(stream_id)
        if is_broken and buffer is not None:
            # The answer will not be complete, so its client must not wait for it, nor what is left lie here.
            await buffer.close()
            with suppress(ProtocolError):
                self.connection.reset_stream(stream_id, ErrorCodes.INTERNAL_ERROR)
                await self._flush()


def install() -> None:
    # Where a connection looks for the class, not where it is defined.
    assert hasattr(protocol, "H2Protocol"), "Hypercorn has changed: look for where it begins with HTTP/2"
    for name in ("_handle_events", "_close_stream", "_flush"):
        assert hasattr(H2Protocol, name), f"Hypercorn has changed: H2Protocol has no {name}"
    assert hasattr(h2_module, "StreamBuffer"), "Hypercorn has changed: look for how it keeps answers"
    protocol.H2Protocol = FairH2Protocol  # the purpose of this module
    h2_module.StreamBuffer = BoundedBuffer  # type: ignore[misc]  # likewise
