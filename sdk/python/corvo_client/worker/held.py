"""One job in hand: the lease, how far it is, and how its handler is told to stop."""

import asyncio
import threading
import time
from enum import Enum, auto

from corvo_client.models.claim import ClaimedJob


class Stage(Enum):
    #: Fetched, not begun: may be handed back without harm.
    WAITING = auto()
    RUNNING = auto()
    #: The handler is through; the server has not confirmed the verdict yet.
    DECIDED = auto()


class Held:
    __slots__ = ("began_s", "cancelled", "job", "lease_until_s", "left", "lost", "stage", "stopping", "task")

    def __init__(self, job: ClaimedJob, now_s: float) -> None:
        self.job = job
        self.stage = Stage.WAITING
        #: Why the lease is gone, if it is.
        self.lost: str | None = None
        #: Set together with `lost`; for handlers in threads that sleep.
        self.cancelled = threading.Event()
        #: The worker shuts down and would like this handler to come to an end.
        self.stopping = False
        #: Handed back while the handler still runs: whatever it says from here on is void.
        self.left = False
        #: The asyncio task of an async handler.
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
        self.cancelled.set()
        if self.task is not None:
            self.task.cancel()
