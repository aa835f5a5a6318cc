"""A connection that was closed by its client is forgotten at once.

Hypercorn keeps everything of such a connection until its idle timeout is over, because the task that watches
the timeout belongs to it: with a connection per request that is more than a minute of traffic in memory.
There is no hook for it, so the one method that reads to the end of a connection is extended.
"""

from hypercorn.asyncio.tcp_server import TCPServer

_read_data = TCPServer._read_data


async def _read_to_the_end(self: TCPServer) -> None:
    await _read_data(self)
    # Answers that were under way end later, and each would set the watch anew.
    self._idle_timeout = _nothing_to_watch  # type: ignore[method-assign]  # of this connection only
    await self.idle_task.stop()


async def _nothing_to_watch() -> None:
    """The connection is closed."""


def install() -> None:
    for name in ("_read_data", "_idle_timeout"):
        assert hasattr(TCPServer, name), f"Hypercorn has changed: TCPServer has no {name}"
    TCPServer._read_data = _read_to_the_end  # type: ignore[method-assign]  # the purpose of this module
