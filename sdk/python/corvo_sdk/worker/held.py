"""One job in hand: the lease, how far it is, and how its handler is told to stop."""

import asyncio
import threading
import time
from enum import Enum, auto

from corvo_sdk.models.claim import ClaimedJob


class Stage(Enum):
    #: Fetched, not begun: may be handed back without harm.
    WAITING = auto()
    RUNNING = auto()
    #: The handler is through; the server has not confirmed the verdict yet.
    DECIDED = auto()


class Held:
    __slots__ = ("_alarm", "began_s", "job", "lease_until_s", "left", "lost", "stage", "stopping", "task")

    def __init__(self, job: ClaimedJob, now_s: float) -> None:
        self.job = job
        self.stage = Stage.WAITING
        #: Why the lease is gone, if it is.
        self.lost: str | None = None
        #: Wakes a handler that sleeps in a thread. Few do, and making one takes longer than the rest of this.
        self._alarm: threading.Event | None = None
        #: The worker shuts down and would like this handler to come to an end.
        self.stopping = False
        #: Handed back while the handler still runs: whatever it says from here on is void.
        self.left = False
        #: The asyncio task of a coroutine, while it may be cancelled.
        self.task: asyncio.Task[None] | None = None
        self.began_s = 0.0
        #: By this worker's own clock. At first counted from when the job arrived, then from when the latest
        #: heartbeat that was confirmed had been sent, which is never later than the server's idea of it.
        self.lease_until_s = now_s + job.lease_duration

    @property
    def token(self) -> str:
        return self.job.lease_token

    def begin(self) -> None:
        self.stage = Stage.RUNNING
        self.began_s = time.monotonic()

    def lose(self, reason: str) -> None:
        """Tell the handler, unless it is through anyway: then the server's answer to the verdict counts."""
        if self.lost is not None or self.stage is Stage.DECIDED:
            return
        self.lost = reason
        self._wake()
        # A task that is cancelled before its first step never takes it, and nobody would hear of its end.
        if self.task is not None and self.stage is Stage.RUNNING:
            self.task.cancel()

    def leave(self) -> None:
        """Handed back: nobody waits for the handler any more."""
        self.left = True
        self._wake()

    def sleep(self, seconds: float) -> None:
        """In the handler's thread; ends early when there is nothing left to do it for."""
        # First the alarm, then the look: whoever takes the job away does it the other way round.
        self._alarm = threading.Event()
        if self.lost is None and not self.left:
            self._alarm.wait(seconds)

    def _wake(self) -> None:
        if self._alarm is not None:
            self._alarm.set()
