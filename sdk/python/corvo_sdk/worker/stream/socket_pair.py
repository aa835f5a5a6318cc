"""Both directions of a connection, and the end of it."""

import asyncio
import contextlib

_GOODBYE_S_MAX = 1.0


class SocketPair:
    """What every carrier is built on."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def close(self) -> None:
        self._writer.close()

    async def aclose(self) -> None:
        self.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_GOODBYE_S_MAX):
                await self._writer.wait_closed()
