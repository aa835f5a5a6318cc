"""A connection that was closed by its client is forgotten at once.

Hypercorn keeps everything of such a connection until its idle timeout is over, because the task that watches
the timeout belongs to it: with a connection per request that is more than a minute of traffic in memory.
There is no hook for it, so the one method that reads to the end of a connection is extended.

It also goes on to write answers to such a client, piece by piece, and asyncio logs a warning for each piece:
dozens for one file of the UI. So the one method that writes looks first whether the connection is there.
"""

from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.events import Closed, Event, RawData

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


def install() -> None:
    for name in ("_read_data", "_idle_timeout", "protocol_send"):
        assert hasattr(TCPServer, name), f"Hypercorn has changed: TCPServer has no {name}"
    TCPServer._read_data = _read_to_the_end  # type: ignore[method-assign]  # the purpose of this module
    TCPServer.protocol_send = _send_unless_gone  # type: ignore[method-assign]  # the purpose of this module
