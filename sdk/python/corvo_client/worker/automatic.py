"""The stream where there is one, long-poll where there is none: decided when the worker first speaks."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from corvo_client.models.claim import Ack, AckResult, Beat, ClaimedJob, Pulse
from corvo_client.worker.stream import StreamRefused
from corvo_client.worker.streaming import Streams
from corvo_client.worker.transport import Failure, HandBack, LongPoll, Transport

log = logging.getLogger("corvo.worker")

T = TypeVar("T")


class Automatic:
    """A Transport that falls back from one to the other."""

    def __init__(self, streams: Streams, long_poll: LongPoll) -> None:
        self._streams = streams
        self._long_poll = long_poll
        self._chosen: Transport = streams

    @property
    def on_cancel(self) -> Callable[[list[str]], None]:
        return self._streams.on_cancel

    @on_cancel.setter
    def on_cancel(self, listener: Callable[[list[str]], None]) -> None:
        self._streams.on_cancel = listener

    async def _do(self, words: Callable[[Transport], Awaitable[T]]) -> T:
        try:
            return await words(self._chosen)
        except StreamRefused as refused:
            if self._chosen is self._streams:
                log.info("long-poll instead of the stream: %s", refused)
                self._chosen = self._long_poll
                await self._streams.close()
            return await words(self._chosen)

    async def fetch(self, queues: Sequence[str], count: int) -> list[ClaimedJob]:
        return await self._do(lambda transport: transport.fetch(queues, count))

    async def cut_short(self) -> bool:
        return await self._do(lambda transport: transport.cut_short())

    async def ack(self, acks: Sequence[Ack]) -> list[AckResult]:
        return await self._do(lambda transport: transport.ack(acks))

    async def fail(self, failure: Failure) -> None:
        await self._do(lambda transport: transport.fail(failure))

    async def release(self, back: HandBack) -> None:
        await self._do(lambda transport: transport.release(back))

    async def heartbeat(self, beats: Mapping[str, Beat]) -> Mapping[str, Pulse]:
        return await self._do(lambda transport: transport.heartbeat(beats))

    async def close(self) -> None:
        await self._streams.close()
        await self._long_poll.close()
