"""A connection that was closed by its client is forgotten at once.

Hypercorn keeps everything of such a connection until its idle timeout is over, because the task that watches
the timeout belongs to it: with a connection per request that is more than a minute of traffic in memory.
There is no hook for it, so the one method that reads to the end of a connection is extended.

It also goes on to write answers to such a client, piece by piece, and asyncio logs a warning for each piece:
dozens for one file of the UI. So the one method that writes looks first whether the connection is there.

And it closes a connection only when its client has read everything. One that has stopped reading would keep
its connection, and what is left of the answer, for ever; it is given up when it takes nothing for a while.
"""

import asyncio
from contextlib import suppress
from typing import Final

from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.events import Closed, Event, RawData

from corvo.http.wire.tls import unsent_bytes

#: How long a client may take nothing of its last answer.
_STALLED_S: Final = 5.0

_read_data = TCPServer._read_data
_protocol_send = TCPServer.protocol_send


async def _read_to_the_end(self: TCPServer) -> None:
    await _read_data(self)
    # Answers that were under way end later, and each would set the watch anew.
    self._idle_timeout = _nothing_to_watch  # type: ignore[method-assign]  # of this connection only
    await self.idle_task.stop()


async def _nothing_to_watch() -> None:
    """The connection is closed."""


async def _send_unless_gone(self: TCPServer, event: Event) -> None:
    if isinstance(event, RawData) and self.writer.is_closing():
        await self.protocol.handle(Closed())
    else:
        await _protocol_send(self, event)


async def _close(self: TCPServer) -> None:
    transport = self.writer.transport
    with suppress(NotImplementedError, OSError, RuntimeError):  # TLS has no end of one direction.
        self.writer.write_eof()
    self.writer.close()
    try:
        unsent = -1
        while (left := unsent_bytes(transport)) != unsent:
            unsent = left
            with suppress(TimeoutError):
                async with asyncio.timeout(_STALLED_S):
                    await self.writer.wait_closed()
                return
        transport.abort()
    except (OSError, RuntimeError, asyncio.CancelledError):
        transport.abort()
    finally:
        await self.idle_task.stop()


def install() -> None:
    for name in ("_read_data", "_idle_timeout", "protocol_send", "_close"):
        assert hasattr(TCPServer, name), f"Hypercorn has changed: TCPServer has no {name}"
    TCPServer._read_data = _read_to_the_end  # type: ignore[method-assign]  # the purpose of this module
    TCPServer._close = _close  # type: ignore[method-assign]  # the purpose of this module
    TCPServer.protocol_send = _send_unless_gone  # type: ignore[method-assign]  # the purpose of this module
