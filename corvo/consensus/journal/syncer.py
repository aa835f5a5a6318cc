"""The sync thread: where the disk may take its time without the loop noticing.

    driver -> [syncer] -> driver

One thread, one job at a time, in order. A daemon, because a process that is told to stop must not wait
for a disk that hangs; what it had not synced was never promised.
"""

import asyncio
import contextlib
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Protocol

from corvo.consensus.journal.sync_job import SyncJob

#: Called on the loop's thread when a job is over, with the error if it failed.
Done = Callable[[SyncJob, BaseException | None], None]


class Syncer(Protocol):
    def submit(self, job: SyncJob, done: Done) -> None: ...

    def close(self) -> None: ...


class ThreadSyncer:
    def __init__(self, loop: asyncio.AbstractEventLoop, *, name: str) -> None:
        self._loop = loop
        self._jobs: queue.SimpleQueue[tuple[SyncJob, Done] | None] = queue.SimpleQueue()
        #: Done when the thread has ended.
        self.ended: asyncio.Future[None] = loop.create_future()
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def submit(self, job: SyncJob, done: Done) -> None:
        self._jobs.put((job, done))

    def close(self) -> None:
        """Let the thread end after what is queued. `ended` tells when it has."""
        self._jobs.put(None)

    def _run(self) -> None:
        while (task := self._jobs.get()) is not None:
            job, done = task
            error = None
            try:
                job.run()
            except BaseException as caught:  # Whatever it is, the loop must hear of it.
                error = caught
            self._tell(partial(done, job, error))
        self._tell(self._end)

    def _end(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def _tell(self, callback: Callable[[], None]) -> None:
        # A closed loop means that the node is gone and nothing waits for this any more.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback)
