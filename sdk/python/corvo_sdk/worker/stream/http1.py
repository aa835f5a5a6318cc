"""A stream over HTTP/1.1: both bodies in chunks, and nothing needed but a socket."""

import asyncio
from collections.abc import AsyncIterator

from corvo_sdk.worker.stream.socket_pair import SocketPair


class Http1(SocketPair):
    """A Carrier."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        super().__init__(reader, writer)
        self._host = host

    def begin(self, path: str, headers: dict[str, str]) -> None:
        lines = [f"POST {path} HTTP/1.1", f"host: {self._host}", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._writer.write("\r\n".join(lines).encode() + b"\r\n\r\n")

    def write(self, data: bytes) -> None:
        self._writer.write(b"%x\r\n%b\r\n" % (len(data), data))

    async def status(self) -> int:
        try:
            head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise _broken(error) from error
        version, _, rest = head.partition(b" ")
        if not version.startswith(b"http/1."):
            raise ConnectionError("what answered does not speak HTTP")
        status = int(rest[:3])
        # Without chunks there is no telling lines from what a proxy makes of them.
        return status if status != 200 or b"transfer-encoding: chunked" in head else 502

    async def whole(self, most: int) -> bytes:
        return await self._reader.read(most)

    async def pieces(self) -> AsyncIterator[bytes]:
        reader = self._reader
        try:
            while size := int(await reader.readuntil(b"\n"), 16):
                yield await reader.readexactly(size)
                await reader.readexactly(2)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise _broken(error) from error


def _broken(error: asyncio.IncompleteReadError | asyncio.LimitOverrunError) -> ConnectionError:
    hung_up = isinstance(error, asyncio.IncompleteReadError)
    return ConnectionError("the server hung up" if hung_up else str(error))
