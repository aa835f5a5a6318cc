"""One run of a worker: puts its parts together, starts them, and brings them to an orderly end."""

import asyncio
import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from corvo_sdk.models.claim import UndecodedJob, UnreadableJob
from corvo_sdk.worker.committer import Committer
from corvo_sdk.worker.crew import Crew
from corvo_sdk.worker.fetcher import Fetcher
from corvo_sdk.worker.hand import Hand
from corvo_sdk.worker.handlers import Handler, Wrapping
from corvo_sdk.worker.health import HealthEndpoint
from corvo_sdk.worker.heart import Heart
from corvo_sdk.worker.held import Held, Stage
from corvo_sdk.worker.judging import Decided, unreadable
from corvo_sdk.worker.metrics import Counters, Metrics
from corvo_sdk.worker.transport import HandBack, Transport

log = logging.getLogger("corvo.worker")

#: Beyond the grace for handlers: how long the last words to the server may take.
_LAST_WORDS_S = 5.0
#: How long a job that cannot be decoded stays away: nobody should fetch it over and over.
_UNDECODED_AFTER = "30s"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run needs to know."""

    worker_id: str
    handlers: Mapping[str, Handler]
    wrappings: tuple[Wrapping, ...]
    concurrency: int
    lease_s: int
    grace_s: float
    metrics: Metrics | None = None
    #: (host, port) of the health endpoint.
    health: tuple[str, int] | None = None

    def by_kind(self) -> list[list[str]]:
        """Queues of functions and queues of coroutines. They are fetched for apart: a slow one of one kind
        must not keep the other kind from getting work."""
        kinds = [
            [queue for queue, handler in self.handlers.items() if handler.is_async is is_async]
            for is_async in (False, True)
        ]
        return [queues for queues in kinds if queues]


class Runtime:
    """Make it on the loop it is to run on."""

    def __init__(self, plan: Plan, transport: Transport) -> None:
        self._plan = plan
        self._transport = transport
        self.counters = Counters(plan.metrics)
        self.hand = Hand()
        self._heart = Heart(self.hand, transport, plan.lease_s, self.counters)
        transport.on_cancel = self._heart.told
        self._committer = Committer(self.hand, transport, self.counters)
        self._crew = Crew(plan.handlers, plan.wrappings, plan.concurrency, self._heart, self._decided)
        self._fetchers = self._make_fetchers()
        self.health = HealthEndpoint(self.figures)
        self._stopping = False
        self._stop = asyncio.Event()
        self._hurry = asyncio.Event()

    def ask_to_stop(self, hurry: bool) -> None:
        self._stop.set()
        if hurry:
            self._hurry.set()

    def signalled(self) -> None:
        """The first signal asks, the second insists."""
        self.ask_to_stop(hurry=self._stop.is_set())

    async def run(self) -> None:
        """Until asked to stop. Raises if a part of the worker itself fails."""
        plan = self._plan
        if plan.health is not None:
            await self.health.start(*plan.health)
        self._crew.start()
        fetching = {
            asyncio.create_task(fetcher.run(), name="corvo-fetch"): fetcher
            for fetcher in set(self._fetchers.values())
        }
        keeping = [
            asyncio.create_task(self._heart.keep(), name="corvo-heart"),
            asyncio.create_task(self._heart.watch(), name="corvo-watch"),
            asyncio.create_task(self._heart.speak(), name="corvo-speak"),
            *self._committer.loops(),
        ]
        stopped = asyncio.create_task(self._stop.wait())
        log.info("worker %s takes jobs from %s", plan.worker_id, ", ".join(plan.handlers))
        try:
            await asyncio.wait({stopped, *fetching, *keeping}, return_when=asyncio.FIRST_COMPLETED)
            await self._wind_down(fetching)
        except asyncio.CancelledError:
            # Whoever cancels us is in a hurry, but the jobs in hand should not have to wait for their leases.
            self._hurry.set()
            await self._wind_down(fetching)
            raise
        finally:
            self._crew.stop()
            tasks = [stopped, *fetching, *keeping]
            failed = [t.exception() for t in tasks if t.done() and not t.cancelled()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._heart.close()
            await self.health.stop()
            await self._transport.close()
            log.info("worker %s has stopped", plan.worker_id)
        for error in failed:
            if error is not None:
                raise error

    def _make_fetchers(self) -> dict[str, Fetcher]:
        """By queue."""
        plan = self._plan
        by_queue: dict[str, Fetcher] = {}
        for queues in plan.by_kind():
            fetcher = Fetcher(
                queues, plan.concurrency, self.hand, self._transport, self._begin, self.counters
            )
            by_queue |= dict.fromkeys(queues, fetcher)
        return by_queue

    # Jobs

    def _begin(self, held: Held) -> None:
        if self._stopping:
            self._give_back(held)
        elif isinstance(held.job, UndecodedJob):
            # Not this job's fault, so nothing is counted against it; a worker with the key will have it.
            log.error("%s is given back, because it cannot be decoded: %s", held.job.job_id, held.job.why)
            self._decided(Decided(held, HandBack(held.job.job_id, held.token, _UNDECODED_AFTER)))
        elif isinstance(held.job, UnreadableJob):
            self._decided(Decided(held, unreadable(held, held.job.why)))
        else:
            self._crew.begin(held)

    def _decided(self, decided: Decided) -> None:
        if not decided.held.left:
            self._fetchers[decided.held.job.queue].note(decided)
            self.counters.finished(decided.held.job, decided.verdict, decided.seconds)
        self._committer.put(decided)

    # The end

    async def _wind_down(self, fetching: dict[asyncio.Task[None], Fetcher]) -> None:
        """Fetch no more, give back what was not begun, let handlers finish, give back those that do not."""
        self._stopping = True
        for held in self._crew.withdraw():
            self._give_back(held)
        for held in self.hand:
            held.stopping = True
        await asyncio.gather(*(fetcher.stop(task) for task, fetcher in fetching.items()))
        await self._idle_or_hurry(Stage.WAITING, Stage.RUNNING, seconds=self._plan.grace_s)
        late = [held for held in self.hand if held.stage is Stage.RUNNING]
        for held in late:
            log.warning("job %s is given back unfinished", held.job.job_id)
            self._interrupt(held)
        # The last words are waited for even in a hurry: they spare everybody the wait for a lease to run out.
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_S):
                await self.hand.idle(*Stage)

    def _interrupt(self, held: Held) -> None:
        if held.task is not None:
            held.task.cancel()  # Judged as a release, because the worker is stopping.
            return
        # A thread cannot be stopped: it is told, and what it says from here on is void.
        self._give_back(held)
        held.leave()

    def _give_back(self, held: Held) -> None:
        self._committer.put(Decided(held, HandBack(held.job.job_id, held.token)))

    async def _idle_or_hurry(self, *stages: Stage, seconds: float) -> None:
        idle = asyncio.ensure_future(self.hand.idle(*stages))
        hurry = asyncio.ensure_future(self._hurry.wait())
        await asyncio.wait({idle, hurry}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for task in (idle, hurry):
            task.cancel()
        await asyncio.gather(idle, hurry, return_exceptions=True)

    # Telling

    def figures(self) -> dict[str, Any]:
        """What the health endpoint shows."""
        silent_s = time.monotonic() - max(
            self._heart.answered_s, *(f.answered_s for f in self._fetchers.values())
        )
        # A long-poll is silent for up to half a minute when there is no work.
        reachable = silent_s < max(60.0, 2.0 * self._plan.lease_s)
        return {
            "alive": reachable or self._stopping,
            "ready": reachable and not self._stopping,
            "worker_id": self._plan.worker_id,
            "queues": list(self._plan.handlers),
            "in_hand": len(self.hand),
            "running": self.hand.count(Stage.RUNNING),
            "unconfirmed": self.hand.decided,
            "fetched_total": self.counters.fetched_total,
            "committed_total": self.counters.committed_total,
            "lost_total": self.counters.lost_total,
            "unreachable_total": self.counters.unreachable_total,
            "server_silent_s": round(silent_s, 1),
        }
