"""Connections for asyncio that are kept open: who may use which, and how many there are."""

import asyncio
import contextlib
import os
from collections import deque

from corvo_sdk.aio.channel import AsyncChannel
from corvo_sdk.http1 import Answer, BadAnswer
from corvo_sdk.origin import IDLE_S_MAX, Origin
from corvo_sdk.wire import lost, unreachable


class AsyncPool:
    """Connections belong to an event loop, so each loop has a room of its own."""

    def __init__(self, origin: Origin, most: int) -> None:
        self._origin = origin
        self._most = most
        self._made_in = os.getpid()
        self._rooms: dict[asyncio.AbstractEventLoop, _Room] = {}

    async def exchange(self, request: bytes, method: str, silence_s: float) -> Answer:
        """Raises Unreachable if nothing was sent, AnswerLost if something was."""
        origin, room = self._origin, self._room()
        if room.free > 0:
            room.free -= 1
        else:
            await self._turn(room)
        try:
            channel = room.idle()
            if channel is None:
                try:
                    channel = await AsyncChannel.dial(origin)
                except (OSError, UnicodeError) as error:
                    raise unreachable(origin.url, error) from error
            try:
                answer = await channel.exchange(request, method, silence_s, origin.timeout_s)
            except (OSError, BadAnswer) as error:
                raise lost(origin.url, error) from error
            room.keep(channel)
            return answer
        finally:
            room.leave()

    async def aclose(self) -> None:
        """Calls under way are answered; then their connections are closed, too."""
        here = asyncio.get_running_loop()
        while self._rooms:
            loop, room = self._rooms.popitem()
            if loop is here:
                room.close()
            elif not loop.is_closed():
                loop.call_soon_threadsafe(room.close)
        # The loop lets go of a socket at its next turn.
        await asyncio.sleep(0)

    def _room(self) -> "_Room":
        if self._made_in != os.getpid():
            # Connections made before a fork are the parent's: who shares them gets the other's answers.
            self._made_in, self._rooms = os.getpid(), {}
        loop = asyncio.get_running_loop()
        room = self._rooms.get(loop)
        if room is None:
            # A program may run one loop after the other: what belonged to a closed one is of no use. Or
            # several at once, in threads: so nothing here takes two steps.
            for other in list(self._rooms):
                if other.is_closed():
                    self._rooms.pop(other, None)
            room = self._rooms[loop] = _Room(loop, self._most)
        return room

    async def _turn(self, room: "_Room") -> None:
        try:
            async with asyncio.timeout(self._origin.timeout_s):
                await room.turn()
        except TimeoutError:
            busy = TimeoutError(f"all {self._most} connections are in use")
            raise unreachable(self._origin.url, busy) from None


class _Room:
    """The connections of one loop. `free` is how many more calls may go on at once: if any, nobody waits."""

    def __init__(self, loop: asyncio.AbstractEventLoop, most: int) -> None:
        self._loop = loop
        self._idle: list[AsyncChannel] = []
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed = False
        self.free = most

    async def turn(self) -> None:
        """Wait until somebody leaves, in order of arrival."""
        mine = self._loop.create_future()
        self._waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.cancelled():
                with contextlib.suppress(ValueError):  # Who left just then has passed it over.
                    self._waiting.remove(mine)
            else:
                # It was our turn just then: it is somebody else's now.
                self.leave()
            raise

    def leave(self) -> None:
        while self._waiting:
            first = self._waiting.popleft()
            if not first.done():
                first.set_result(None)
                return
        self.free += 1

    def idle(self) -> AsyncChannel | None:
        """The one that was used last, if it is still good: so the others grow old, and go."""
        oldest = self._loop.time() - IDLE_S_MAX
        while self._idle:
            channel = self._idle.pop()
            channel.wake()
            if channel.idle_since > oldest and channel.fit():
                return channel
            channel.close()
        return None

    def keep(self, channel: AsyncChannel) -> None:
        """For the next call, if it is good for one."""
        if self._closed:
            channel.close()
        if not channel.open:
            return
        channel.rest(IDLE_S_MAX)
        self._idle.append(channel)
        if self._idle[0].idle_since < channel.idle_since - IDLE_S_MAX:
            self._idle.pop(0).close()

    def close(self) -> None:
        self._closed = True
        while self._idle:
            self._idle.pop().close()
