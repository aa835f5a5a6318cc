"""HTTP/1.1 with as little work as it takes: one request under way per connection."""

import asyncio
from collections.abc import Callable
from typing import cast

from corvo.cli.bench.link import BenchAddress, Hear
from corvo.cli.problems import Unreachable

_HEAD_END = b"\r\n\r\n"


class Http1(asyncio.Protocol):
    pipelines = False

    def __init__(self, address: BenchAddress) -> None:
        headers = b"".join(b"%s: %s\r\n" % header for header in address.headers)
        self._prefix = b"POST " + address.prefix
        self._head = b" HTTP/1.1\r\nhost: %s\r\n%s" % (address.authority, headers)
        self._pending = b""
        self._answer: asyncio.Future[tuple[int, bytes]] | None = None
        self._hear: Hear | None = None
        self._broken: Callable[[str], None] | None = None
        self._status = 0
        #: Bytes of the body still to come; None while the head is read; -1 for chunks.
        self._length: int | None = None
        self._body = b""
        self._is_closed = False

    # Asking

    async def ask(self, path: bytes, body: bytes) -> tuple[int, bytes]:
        if self._is_closed:
            raise Unreachable("the server closed the connection")
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(
            b"%s%s%scontent-length: %d\r\n\r\n%s" % (self._prefix, path, self._head, len(body), body)
        )
        return await self._answer

    def open(self, path: bytes, hear: Hear, broken: Callable[[str], None]) -> Callable[[bytes], None]:
        self._hear, self._broken = hear, broken
        self._transport.write(b"%s%s%stransfer-encoding: chunked\r\n\r\n" % (self._prefix, path, self._head))
        return self._say

    def _say(self, data: bytes) -> None:
        self._transport.write(b"%x\r\n%s\r\n" % (len(data), data))

    def close(self) -> None:
        self._is_closed = True
        self._transport.close()

    # Hearing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, because uvloop has transports of its own.
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._pending = self._pending + data if self._pending else data
        while self._pending and self._step():
            """As long as there is a whole part."""

    def _step(self) -> bool:
        if self._length is None:
            return self._read_head()
        return self._read_chunk() if self._length < 0 else self._read_rest()

    def _read_head(self) -> bool:
        head, end, rest = self._pending.partition(_HEAD_END)
        if not end:
            return False
        self._pending = rest
        self._status = int(head[9:12])
        lowered = head.lower()
        at = lowered.find(b"\r\ncontent-length:")
        if at >= 0:
            self._length = int(lowered[at + 17 :].split(b"\r\n", 1)[0])
        else:
            self._length = -1 if b"\r\ntransfer-encoding: chunked" in lowered else 0
        if not self._length:
            self._finish(b"")
        return True

    def _read_rest(self) -> bool:
        assert self._length is not None
        if len(self._pending) < self._length:
            return False
        body, self._pending = self._pending[: self._length], self._pending[self._length :]
        self._finish(body)
        return True

    def _read_chunk(self) -> bool:
        size_text, end, rest = self._pending.partition(b"\r\n")
        if not end:
            return False
        size = int(size_text, 16)
        if len(rest) < size + 2:
            return False
        chunk, self._pending = rest[:size], rest[size + 2 :]
        if not size:
            self._finish(self._body)
        elif self._hear is not None and self._status == 200:
            self._hear(chunk)
        else:
            self._body += chunk
        return True

    def _finish(self, body: bytes) -> None:
        self._length, self._body = None, b""
        if self._broken is not None:
            self._broken(_last_words(self._status, body))
        elif self._answer is not None and not self._answer.done():
            self._answer.set_result((self._status, body))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        reason = str(exc or "the server closed the connection")
        if self._broken is not None:
            self._broken(reason)
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Unreachable(reason))


def _last_words(status: int, body: bytes) -> str:
    if status == 200:
        return "the server ended the stream"
    return f"the server refused the stream with {status}: {body.decode(errors='replace')[:200]}"
