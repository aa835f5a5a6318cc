"""A bounded pipe from an actor to one streaming response: the actor never waits, the reader may.

A reader that is too slow is not waited for. Its channel is closed with a reason, and it may come back and
resume where it was.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable

#: What one reader may leave unread.
CHANNEL_BYTES_MAX = 1024 * 1024
#: A writer says something every fifteen seconds; one that does not has forgotten this channel.
SILENCE_S_MAX = 50.0


class Channel:
    """Used on the loop's thread by both ends."""

    __slots__ = ("_bytes", "_chunks", "_closed", "_more", "_when_read")

    def __init__(self) -> None:
        self._chunks: deque[bytes] = deque()
        self._bytes = 0
        self._closed = False
        self._more = asyncio.Event()
        self._when_read: Callable[[], None] | None = None

    def put(self, chunk: bytes) -> bool:
        """False if the reader is too far behind to take it."""
        if self._closed or self._bytes + len(chunk) > CHANNEL_BYTES_MAX:
            return False
        self._chunks.append(chunk)
        self._bytes += len(chunk)
        self._more.set()
        return True

    def close(self, last: bytes = b"") -> None:
        """No more will come; what is there can still be read."""
        if last:
            self._chunks.append(last)
        self._closed = True
        self._more.set()

    @property
    def is_closed(self) -> bool:
        return self._closed

    @property
    def unread(self) -> int:
        """Bytes that the reader has yet to take."""
        return self._bytes

    def when_read(self, call: Callable[[], None]) -> None:
        """For a writer with more to say than fits: called once, when the reader has taken all there is."""
        assert self._chunks, "who has read everything waits for nothing"
        self._when_read = call

    def take(self) -> bytes | None:
        """The next chunk, if there is one."""
        if not self._chunks:
            return None
        chunk = self._chunks.popleft()
        self._bytes -= len(chunk)
        if not self._chunks and self._when_read is not None:
            call, self._when_read = self._when_read, None
            call()
        return chunk

    async def read(self) -> AsyncIterator[bytes]:
        while True:
            while (chunk := self.take()) is not None:
                yield chunk
            if self._closed:
                return
            self._more.clear()
            try:
                await asyncio.wait_for(self._more.wait(), SILENCE_S_MAX)
            except TimeoutError:
                return
