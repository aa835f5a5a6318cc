"""The stream where there is one, long-poll where there is none: decided when the worker first speaks.

A stream that has worked and is refused later, because a proxy answers for a server that restarts or a server
is too busy to, is tried again after a while.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from corvo_sdk.models.claim import Ack, AckResult, Beat, ClaimedJob, Pulse
from corvo_sdk.worker.stream.stream import StreamRefused
from corvo_sdk.worker.streaming import Streams
from corvo_sdk.worker.transport import FailReport, HandBack, LongPoll, Transport

log = logging.getLogger("corvo.worker")

T = TypeVar("T")

_AGAIN_S = 60.0


class Automatic:
    """A Transport that falls back from one to the other."""

    def __init__(self, streams: Streams, long_poll: LongPoll) -> None:
        self._streams = streams
        self._long_poll = long_poll
        self._chosen: Transport = streams
        self._has_streamed = False
        #: When to try the stream again, if it was given up.
        self._again_s = 0.0

    @property
    def on_cancel(self) -> Callable[[list[str]], None]:
        return self._streams.on_cancel

    @on_cancel.setter
    def on_cancel(self, listener: Callable[[list[str]], None]) -> None:
        self._streams.on_cancel = listener

    async def _do(self, words: Callable[[Transport], Awaitable[T]]) -> T:
        chosen = self._chosen
        try:
            answer = await words(chosen)
        except StreamRefused as refused:
            if self._chosen is self._streams:
                log.info("long-poll instead of the stream: %s", refused)
                self._chosen = self._long_poll
                self._again_s = time.monotonic() + _AGAIN_S
                await self._streams.close()
            return await words(self._chosen)
        self._has_streamed = self._has_streamed or chosen is self._streams
        return answer

    async def fetch(self, queues: Sequence[str], count: int) -> list[ClaimedJob]:
        if self._has_streamed and self._chosen is not self._streams and time.monotonic() >= self._again_s:
            self._chosen = self._streams
        return await self._do(lambda transport: transport.fetch(queues, count))

    async def cut_short(self) -> bool:
        return await self._do(lambda transport: transport.cut_short())

    async def ack(self, acks: Sequence[Ack]) -> list[AckResult]:
        return await self._do(lambda transport: transport.ack(acks))

    async def fail(self, failure: FailReport) -> None:
        await self._do(lambda transport: transport.fail(failure))

    async def release(self, back: HandBack) -> None:
        await self._do(lambda transport: transport.release(back))

    async def heartbeat(self, beats: Mapping[str, Beat]) -> Mapping[str, Pulse]:
        return await self._do(lambda transport: transport.heartbeat(beats))

    async def close(self) -> None:
        await self._streams.close()
        await self._long_poll.close()
