"""Open streams: kept here so that they can be counted, and told that the node stops."""

import contextlib
from collections.abc import AsyncGenerator, Callable
from typing import Final, Protocol

from corvo.core.errors import CorvoError, ShuttingDown

STREAMS_MAX: Final = 2_048


#: Lines of one stream that may be under way at a time.
PIPELINED_MAX: Final = 16


class OpenStream(Protocol):
    def speak(self) -> AsyncGenerator[bytes, None]: ...

    def close(self, reason: CorvoError) -> None: ...


#: Calls what it is given with a reason when the client of a stream may no longer go on.
Watch = Callable[[Callable[[CorvoError], None]], contextlib.AbstractContextManager[None]]


class OpenStreams:
    def __init__(self) -> None:
        self._open: set[OpenStream] = set()
        self._is_stopping = False
        self.streams_total = 0
        #: Lines taken and not yet answered, and lines ever taken.
        self.lines_under_way = 0
        self.lines_total = 0
        #: Lines refused for overload, and fetches that found nothing.
        self.overload_total = 0
        self.idle_fetch_total = 0

    @property
    def count(self) -> int:
        return len(self._open)

    @property
    def is_full(self) -> bool:
        return len(self._open) >= STREAMS_MAX

    async def hold(self, speaker: OpenStream, watch: Watch) -> AsyncGenerator[bytes, None]:
        """What the stream says, for as long as it is open and its client may go on."""
        self._open.add(speaker)
        self.streams_total += 1
        if self._is_stopping:
            self._close(speaker)
        try:
            with watch(speaker.close):
                async with contextlib.aclosing(speaker.speak()) as speech:
                    async for said in speech:
                        yield said
        finally:
            self._open.discard(speaker)

    def stop(self) -> None:
        """Close the streams that are open, and those that are about to be opened."""
        self._is_stopping = True
        for speaker in self._open:
            self._close(speaker)

    def _close(self, speaker: OpenStream) -> None:
        speaker.close(ShuttingDown("this node is stopping"))
