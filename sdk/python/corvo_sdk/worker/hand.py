"""Hand: every job this worker holds a lease of, from the fetch until the server has confirmed its verdict.

Lives on the event loop; threads do not touch it.
"""

import asyncio
from collections.abc import Iterable, Iterator

from corvo_sdk.models.claim import ClaimedJob
from corvo_sdk.worker.held import Held, Stage


class Hand:
    def __init__(self) -> None:
        #: By lease token: the same job may be here twice, once by a lease that was lost.
        self._held: dict[str, Held] = {}
        self._by_job: dict[str, Held] = {}
        self._changed = asyncio.Event()
        #: How many wait for the server to confirm their verdict.
        self.decided = 0

    def take(self, job: ClaimedJob, now_s: float) -> Held:
        held = Held(job, now_s)
        older = self._by_job.get(job.job_id)
        if older is not None:
            # We hold a newer lease of the same job, so the older one cannot be valid.
            older.lose("lease_lost")
        self._held[held.token] = held
        self._by_job[job.job_id] = held
        return held

    def decide(self, held: Held) -> None:
        """Its handler is through."""
        if held.stage is not Stage.DECIDED:
            held.stage = Stage.DECIDED
            self.decided += 1
            self.touch()

    def drop(self, held: Held) -> None:
        """The server has the last word on this one, or it is not ours any more."""
        if self._held.pop(held.token, None) is not None:
            self.decided -= held.stage is Stage.DECIDED
        if self._by_job.get(held.job.job_id) is held:
            del self._by_job[held.job.job_id]
        self.touch()

    def find(self, job_id: str) -> Held | None:
        """By the newest lease of the job."""
        return self._by_job.get(job_id)

    # Counting

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self) -> Iterator[Held]:
        return iter(list(self._held.values()))

    def count(self, *stages: Stage) -> int:
        return sum(held.stage in stages for held in self._held.values())

    def leases(self) -> Iterable[Held]:
        """What a heartbeat has to keep: the newest lease of each job that is not known to be lost."""
        return [held for held in self._by_job.values() if held.lost is None and not held.left]

    # Waiting

    def touch(self) -> None:
        """Something changed; whoever waits may look again."""
        self._changed.set()

    async def changed(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def idle(self, *stages: Stage) -> None:
        """Return when no job is in one of these stages."""
        while self.count(*stages):
            await self.changed()
