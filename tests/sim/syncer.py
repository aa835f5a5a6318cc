"""The sync thread in virtual time: slow when the simulation says so, and failing once if asked to."""

import errno
import random

from corvo.consensus.journal.sync_job import SyncJob
from corvo.consensus.journal.syncer import Done
from tests.sim.timeline import NodeLoop


class SimSyncer:
    def __init__(self, loop: NodeLoop, chance: random.Random, *, usual_s_max: float) -> None:
        self._loop = loop
        self._chance = chance
        self._usual_s_max = usual_s_max
        self._queue: list[tuple[SyncJob, Done]] = []
        self.slow_s_max = 0.0
        self.fails_next = False

    def submit(self, job: SyncJob, done: Done) -> None:
        self._queue.append((job, done))
        if len(self._queue) == 1:
            self._begin()

    def close(self) -> None:
        """There is no thread to end."""

    def _begin(self) -> None:
        delay = 0.0002 + self._chance.random() * max(self._usual_s_max, self.slow_s_max)
        self._loop.call_later(delay, self._finish)

    def _finish(self) -> None:
        job, done = self._queue.pop(0)
        error: OSError | None = None
        if self.fails_next:
            self.fails_next = False
            error = OSError(errno.EIO, "the simulated disk failed")
        else:
            job.run()
        if self._queue:
            self._begin()
        done(job, error)
