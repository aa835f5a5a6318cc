"""Load: producers and workers at work, phase by phase.

Only what the server has acknowledged is counted. Every job that it accepted is remembered, and every ack that
it took: in the end the two must agree.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import pairwise

from corvo.cli.bench.answers import ClaimedJob, Later
from corvo.cli.bench.connect import connect
from corvo.cli.bench.figures import BenchFigures
from corvo.cli.bench.link import BenchAddress, BenchLink
from corvo.cli.bench.load_clients import KINDS, Canned, JobTurn, LoadClient
from corvo.cli.bench.plan import BenchPlan
from corvo.cli.request.client import Target

#: Without any progress for so long, a run is given up; the report says what is missing.
PATIENCE_S = 30.0
_LOOK_S = 0.02
#: A timer of asyncio is late by a millisecond, which is not the server's fault; more than that is.
_TIMER_S = 0.002

#: Jobs done so far, and of how many if that is known.
Progress = Callable[[str, int, int | None], None]


class Load:
    def __init__(self, target: Target, plan: BenchPlan, figures: BenchFigures, progress: Progress) -> None:
        self._address = BenchAddress(target)
        self._plan = plan
        self._figures = figures
        self._progress = progress
        self._left = plan.jobs
        self._ends_at = 0.0
        self._is_producing = False
        self._turns = 0

    async def run(self) -> None:
        """Raises the first problem that a producer or a worker had."""
        plan = self._plan
        workers = 0 if plan.mode == "enqueue" else plan.workers
        async with self._clients(plan.producers + workers) as clients:
            producers, crew = clients[: plan.producers], clients[plan.producers :]
            if plan.mode == "latency":
                paced = [self._pace(client, number) for number, client in enumerate(producers)]
                await self._phase("latency", paced, [self._work(client) for client in crew])
            elif plan.mode == "mixed":
                produce = [self._produce(client) for client in producers]
                await self._phase("mixed", produce, [self._work(client) for client in crew])
            else:
                await self._phase("enqueue", [self._produce(client) for client in producers], [])
                if crew:
                    await self._phase("lifecycle", [], [self._work(client) for client in crew])
        self._figures.settle_starts()

    @asynccontextmanager
    async def _clients(self, count: int) -> AsyncIterator[list[LoadClient]]:
        links: list[BenchLink] = []
        try:
            connections = min(self._plan.connections, count) if self._plan.http == 2 else count
            while len(links) < connections:
                links.append(await connect(self._address, self._plan.http))
            kind = KINDS[self._plan.way]
            yield [
                kind(links[number % len(links)], Canned(self._plan, number), self._figures)
                for number in range(count)
            ]
        finally:
            for link in links:
                link.close()

    # Phases

    async def _phase(
        self, name: str, produce: list[Coroutine[None, None, None]], work: list[Coroutine[None, None, None]]
    ) -> None:
        """Until all jobs are in, and, if there are workers, done."""
        self._is_producing = bool(produce)
        producing = [asyncio.create_task(each) for each in produce]
        working = [asyncio.create_task(each) for each in work]
        watching = asyncio.create_task(self._watch(name, producing, counts_acks=bool(work)))
        tasks = [*producing, *working, watching]
        try:
            await _until(watching, producing + working)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _watch(self, name: str, producing: list[asyncio.Task[None]], *, counts_acks: bool) -> None:
        done = self._figures.acked if counts_acks else self._figures.accepted
        began = moved_at = time.perf_counter()
        self._ends_at = began + (self._plan.duration_s or 1e9)
        noted: tuple[int, float] | None = None
        seconds: list[int] = [0]
        last = 0
        while True:
            now = time.perf_counter()
            if len(done) > last:
                last, moved_at = len(done), now
                self._progress(name, last, self._plan.jobs)
            if noted is None and producing and now >= self._ends_at:
                noted = (last, now - began)
            if now - began >= len(seconds):
                seconds.append(last)
            if producing and all(task.done() for task in producing):
                self._is_producing = False
            if self._is_over(last, counts_acks=counts_acks) or now - moved_at > PATIENCE_S:
                break
            await asyncio.sleep(_LOOK_S)
        self._figures.phases[name] = noted or (last, max(moved_at - began, 0.001))
        self._figures.per_second[name] = [after - before for before, after in pairwise(seconds)]

    def _is_over(self, done: int, *, counts_acks: bool) -> bool:
        if self._is_producing:
            return False
        return not counts_acks or done + self._figures.skipped >= len(self._figures.accepted)

    # Producers

    def _take(self) -> int | None:
        """The number of the next queue, or None if all is sent."""
        if time.perf_counter() >= self._ends_at:
            return None
        if self._left is not None:
            if self._left <= 0:
                return None
            self._left -= self._plan.enqueue_batch
        self._turns += 1
        return self._turns % len(self._plan.queues)

    async def _produce(self, client: LoadClient) -> None:
        await asyncio.sleep(0)  # The watch sets the end first.
        figures, plan = self._figures, self._plan
        while True:
            if plan.mode == "mixed" and len(figures.accepted) - len(figures.acked) > plan.ahead:
                await asyncio.sleep(_TIMER_S)
                continue
            queue_number = self._take()
            if queue_number is None:
                return
            figures.accepted.extend(await self._insist(client, queue_number))

    async def _pace(self, client: LoadClient, number: int) -> None:
        """Jobs of this producer at their times, whatever the server does."""
        await asyncio.sleep(0)
        every_s = self._plan.producers / self._plan.rate
        due = time.perf_counter() + every_s * (1 + number / self._plan.producers)
        async with asyncio.TaskGroup() as under_way:
            while (queue_number := self._take()) is not None:
                await asyncio.sleep(due - time.perf_counter())
                # If the last answer came too late to send this one in time, that counts.
                sending = under_way.create_task(self._send(client, queue_number, due + _TIMER_S))
                if not client.pipelines:
                    await sending
                due += every_s

    async def _send(self, client: LoadClient, queue_number: int, latest: float) -> None:
        sent_at = min(time.perf_counter(), latest)
        ids = await self._insist(client, queue_number)
        self._figures.accepted.extend(ids)
        self._figures.sent_at.update(dict.fromkeys(ids, sent_at))

    async def _insist(self, client: LoadClient, queue_number: int) -> list[str]:
        while True:
            try:
                return await client.enqueue(queue_number)
            except Later as later:
                self._figures.refused += 1
                await asyncio.sleep(later.pause_s)

    # Workers

    async def _work(self, client: LoadClient) -> None:
        figures = self._figures
        done: list[ClaimedJob] = []
        while True:
            try:
                turn: JobTurn = await client.turn(done, wait=self._is_producing)
            except Later as later:
                figures.refused += 1
                await asyncio.sleep(later.pause_s)
                continue
            figures.acked.extend(turn.acked)
            figures.skipped += len(done) - len(turn.acked)
            done = turn.jobs
            if self._plan.mode == "latency":
                now = time.perf_counter()
                figures.started_at.update((job.job_id, now) for job in done)


async def _until(watching: asyncio.Task[None], tasks: list[asyncio.Task[None]]) -> None:
    """Until the watch is over; a problem of any of the tasks ends it at once."""
    waiting = {watching, *tasks}
    while not watching.done():
        ended, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in ended:
            _raise_problem(task)
    watching.result()


def _raise_problem(task: asyncio.Task[None]) -> None:
    """The first problem alone, if it comes in a group."""
    try:
        task.result()
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
