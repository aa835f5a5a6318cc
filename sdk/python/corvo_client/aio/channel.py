"""One connection for asyncio: one request at a time, and the answer to it."""

import asyncio
from typing import Self, cast

from corvo_client.aio.reaching import reach
from corvo_client.http1 import Answer, AnswerReader, BadAnswer
from corvo_client.origin import Origin
from corvo_client.readiness import readable


class AsyncChannel(asyncio.Protocol):
    """A protocol and not a pair of streams: an answer is read where it arrives, and wakes its caller once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._number = -1
        #: There while an answer is awaited.
        self._reader: AnswerReader | None = None
        self._answer: asyncio.Future[Answer]
        self._timer: asyncio.TimerHandle
        self._heard_at = 0.0
        self._unsent = 0
        self.open = True
        #: Why it is not, if nobody was told.
        self._end: Exception = ConnectionError("the connection was closed")
        #: By the loop's clock; for whoever keeps it.
        self.idle_since = 0.0

    @classmethod
    async def dial(cls, origin: Origin) -> Self:
        """Raises OSError."""
        return await reach(origin, cls)

    async def exchange(self, request: bytes, method: str, silence_s: float) -> Answer:
        """Raises OSError or BadAnswer. Use it again only if it is still open afterwards."""
        if not self.open:
            raise self._end
        self._reader = AnswerReader(method)
        self._answer = self._loop.create_future()
        self._heard_at = self._loop.time()
        self._transport.write(request)
        self._unsent = self._transport.get_write_buffer_size()
        self._timer = self._loop.call_at(self._heard_at + silence_s, self._look, silence_s)
        try:
            answer = await self._answer
        except BaseException:
            # Also when the caller does not want it any more: what comes now must not be for the next one.
            self.close()
            if self._answer.done() and not self._answer.cancelled():
                self._answer.exception()  # If both happened at once, asyncio need not complain of the other.
            raise
        finally:
            self._timer.cancel()
            self._reader = None
        if not answer.reusable or self._transport.get_write_buffer_size():
            self.close()
        return answer

    def fit(self) -> bool:
        """Nobody hung up, and nobody said what was not asked for; not even since the loop last looked."""
        return self.open and not readable(self._number)

    def close(self) -> None:
        self.open = False
        self._transport.abort()

    # What the loop tells

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._number = transport.get_extra_info("socket").fileno()

    def data_received(self, data: bytes) -> None:
        self._heard_at = self._loop.time()
        if self._reader is not None:
            self._read(self._reader, data)
        else:
            self._end = BadAnswer("the server spoke before it was asked")
            self.close()

    def eof_received(self) -> None:
        self.open = False
        if self._reader is not None:
            self._read(self._reader, b"")

    def connection_lost(self, exc: Exception | None) -> None:
        self.open = False
        self._end = exc or self._end
        if self._reader is not None:
            self._fail(self._end)

    # Reading

    def _read(self, reader: AnswerReader, data: bytes) -> None:
        try:
            answer = reader.feed(data)
        except BadAnswer as error:
            self._fail(error)
            return
        if answer is not None:
            self._reader = None
            if not self._answer.done():
                self._answer.set_result(answer)

    def _look(self, silence_s: float) -> None:
        """Time is up, unless something has moved since it was set."""
        now, unsent = self._loop.time(), self._transport.get_write_buffer_size()
        if unsent < self._unsent:
            self._unsent, self._heard_at = unsent, now
        if self._heard_at + silence_s > now:
            self._timer = self._loop.call_at(self._heard_at + silence_s, self._look, silence_s)
        elif self._reader is not None:
            self._fail(TimeoutError("timed out"))

    def _fail(self, error: Exception) -> None:
        self._reader = None
        self.close()
        if not self._answer.done():
            self._answer.set_exception(error)
