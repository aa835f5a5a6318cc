"""Connections for threads that are kept open: who may use which, and how many there are."""

import os
import queue
import threading
import time

from corvo_sdk.http1 import Answer, BadAnswer
from corvo_sdk.origin import IDLE_S_MAX, Origin
from corvo_sdk.sync.channel import Channel
from corvo_sdk.wire import lost, unreachable


class Pool:
    """Safe to share between threads, and over a fork."""

    def __init__(self, origin: Origin, most: int) -> None:
        self._origin = origin
        self._most = most
        self._made_in = os.getpid()
        self._room = _Room(most)

    def exchange(self, request: bytes, method: str, silence_s: float) -> Answer:
        """Raises Unreachable if nothing was sent, AnswerLost if something was."""
        if self._made_in != os.getpid():
            # Connections made before a fork are the parent's: who shares them gets the other's answers.
            self._made_in, self._room = os.getpid(), _Room(self._most)
        origin, room = self._origin, self._room
        try:
            turn = room.turns.get(timeout=origin.timeout_s)
        except queue.Empty:
            busy = TimeoutError(f"all {self._most} connections are in use")
            raise unreachable(origin.url, busy) from None
        try:
            channel = room.idle()
            if channel is None:
                try:
                    channel = Channel.dial(origin)
                except (OSError, UnicodeError) as error:
                    raise unreachable(origin.url, error) from error
            try:
                answer = channel.exchange(request, method, silence_s, origin.timeout_s)
            except (OSError, BadAnswer) as error:
                raise lost(origin.url, error) from error
            room.keep(channel)
            return answer
        finally:
            room.turns.put(turn)

    def close(self) -> None:
        """Calls under way are answered; then their connections are closed, too."""
        room, self._room = self._room, _Room(self._most)
        if self._made_in == os.getpid():
            room.close()


class _Room:
    """The connections of one process. Who has a turn takes one, or opens one when there is none to take: so
    there are never more of them than turns.
    """

    def __init__(self, most: int) -> None:
        # Not a semaphore: that is Python, and an exception raised by a signal can leave it locked for ever.
        self.turns: queue.SimpleQueue[int] = queue.SimpleQueue()
        for turn in range(most):
            self.turns.put(turn)
        self._lock = threading.Lock()
        self._idle: list[Channel] = []
        self._closed = False

    def idle(self) -> Channel | None:
        """The one that was used last, if it is still good: so the others grow old, and go."""
        oldest = time.monotonic() - IDLE_S_MAX
        while True:
            with self._lock:
                if not self._idle:
                    return None
                channel = self._idle.pop()
            if channel.idle_since > oldest and channel.fit():
                return channel
            channel.close()

    def keep(self, channel: Channel) -> None:
        """For the next call, if it is good for one."""
        if not channel.open:
            return
        channel.idle_since = time.monotonic()
        with self._lock:
            if not self._closed:
                self._idle.append(channel)
                if self._idle[0].idle_since > channel.idle_since - IDLE_S_MAX:
                    return
                channel = self._idle.pop(0)
        channel.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for channel in idle:
            channel.close()
