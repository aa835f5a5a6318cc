"""One connection for asyncio: one request at a time, and the answer to it."""

import asyncio
from typing import Self, cast

from corvo_sdk.aio.reaching import reach
from corvo_sdk.http1 import Answer, AnswerReader, BadAnswer
from corvo_sdk.origin import Origin
from corvo_sdk.readiness import readable

#: What a transport takes in before it asks its writer to wait.
_OPAQUE_BYTES = 64 * 1024
_EARLY_BYTES_MAX = 64 * 1024


class AsyncChannel(asyncio.Protocol):
    """A protocol and not a pair of streams: an answer is read where it arrives, and wakes its caller once."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._number = -1
        self._is_tls = False
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
        self._resting: asyncio.TimerHandle | None = None
        #: What a new connection brought before it was asked: some servers refuse at the door.
        self._early: bytes | None = b""

    @classmethod
    async def dial(cls, origin: Origin) -> Self:
        """Raises OSError."""
        return await reach(origin, cls)

    async def exchange(self, request: bytes, method: str, silence_s: float, write_s: float) -> Answer:
        """Raises OSError or BadAnswer. Use it again only if it is still open afterwards."""
        early, self._early = self._early, None
        if not self.open and not early:
            raise self._end
        reader = self._reader = AnswerReader(method)
        self._answer = self._loop.create_future()
        self._heard_at = self._loop.time()
        # Over TLS nobody tells how much of a large request is still to be sent, nor when all of it is.
        is_opaque = self._is_tls and len(request) > _OPAQUE_BYTES
        self._transport.write(request)
        self._unsent = self._transport.get_write_buffer_size()
        if is_opaque:
            silence_s += write_s
        self._timer = self._loop.call_at(self._heard_at + silence_s, self._look, silence_s)
        if early:
            self._read(reader, early)
            if not self.open and self._reader is not None:
                self._read(reader, b"")
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
        # Who refuses may not have read all of it.
        half_sent = self._transport.get_write_buffer_size() or (is_opaque and answer.status >= 300)
        if not answer.reusable or early or half_sent:
            self.close()
        return answer

    def rest(self, most_s: float) -> None:
        """Idle from now on, and closed when that lasts, even if whoever kept it has been forgotten."""
        self.idle_since = self._loop.time()
        self._resting = self._loop.call_later(most_s, self.close)

    def wake(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None

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
        self._is_tls = transport.get_extra_info("ssl_object") is not None

    def data_received(self, data: bytes) -> None:
        self._heard_at = self._loop.time()
        if self._reader is not None:
            self._read(self._reader, data)
        elif self._early is not None and len(self._early) <= _EARLY_BYTES_MAX:
            self._early += data
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
