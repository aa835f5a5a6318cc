"""Heart: one heartbeat for all jobs in hand, and the way for checkpoints and progress.

    contexts --say--> [heart] --heartbeat--> server --pulse: ok, or cancel--> handlers

Three loops, so that a large checkpoint does not delay the beat that keeps all leases, and a beat that is not
answered does not delay the word to handlers whose leases run out meanwhile.
"""

import asyncio
import logging
import time
from typing import Any

from msgspec import UNSET

from corvo_sdk.errors import BadRequest, CorvoError
from corvo_sdk.models.claim import Beat, Pulse
from corvo_sdk.worker.hand import Hand
from corvo_sdk.worker.held import Held, Stage
from corvo_sdk.worker.metrics import Metrics
from corvo_sdk.worker.patience import Patience
from corvo_sdk.worker.transport import BEATS_MAX, Transport
from corvo_sdk.worker.verdicts import JobCancelled

log = logging.getLogger("corvo.worker")

#: Progress that nobody waits for is gathered this long.
_GATHER_S = 0.25
#: How late a handler may hear that its lease has run out.
_WATCH_S = 0.5


class _Saying:
    """What is to be said of one job: the latest of each, and who waits for it to be stored."""

    __slots__ = ("checkpoint", "held", "progress", "waiters")

    def __init__(self, held: Held) -> None:
        self.held = held
        self.progress: Any = UNSET
        self.checkpoint: Any = UNSET
        self.waiters: list[asyncio.Future[None]] = []

    def beat(self) -> Beat:
        return Beat(lease_token=self.held.token, progress=self.progress, checkpoint=self.checkpoint)

    def take_up(self, older: "_Saying") -> None:
        """What could not be said before is said with this, where nothing newer replaces it."""
        self.progress = older.progress if self.progress is UNSET else self.progress
        self.checkpoint = older.checkpoint if self.checkpoint is UNSET else self.checkpoint
        self.waiters = older.waiters + self.waiters

    def settle(self, error: BaseException | None) -> None:
        for waiter in self.waiters:
            if waiter.done():
                continue
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)


class Heart:
    def __init__(self, hand: Hand, transport: Transport, lease_s: int, metrics: Metrics) -> None:
        self._hand = hand
        self._transport = transport
        self._interval_s = lease_s / 3
        self._metrics = metrics
        self._sayings: dict[str, _Saying] = {}
        self._spoken = asyncio.Event()
        self._urgent = asyncio.Event()
        #: When the server last answered a heartbeat.
        self.answered_s = time.monotonic()

    # Keeping

    async def keep(self) -> None:
        """Beat for ever."""
        patience = Patience()
        while True:
            await asyncio.sleep(self._interval_s)
            while not await self._keep_all(patience):
                """Again, until there is an answer."""

    async def _keep_all(self, patience: Patience) -> bool:
        leases = list(self._hand.leases())
        for start in range(0, len(leases), BEATS_MAX):
            chunk = {held.job.job_id: held for held in leases[start : start + BEATS_MAX]}
            beats = {job_id: Beat(lease_token=held.token) for job_id, held in chunk.items()}
            sent_s = time.monotonic()
            try:
                pulses = await self._transport.heartbeat(beats)
            except CorvoError as error:
                self._metrics.unreachable("heartbeat", error)
                log.warning("heartbeat failed: %s", error)
                await patience.wait(error)
                return False
            self._feel(chunk, pulses, sent_s)
        patience.restore()
        return True

    def _feel(self, chunk: dict[str, Held], pulses: Any, sent_s: float) -> None:
        self.answered_s = time.monotonic()
        for job_id, held in chunk.items():
            pulse: Pulse | None = pulses.get(job_id)
            if pulse is not None and pulse.status == "ok":
                held.lease_until_s = sent_s + held.job.lease_duration
            elif pulse is not None:
                self._lose(held, pulse.reason or "cancelled")

    def told(self, job_ids: list[str]) -> None:
        """The server says by itself that these are no longer ours."""
        for job_id in job_ids:
            held = self._hand.find(job_id)
            if held is not None:
                self._lose(held, "taken away")

    async def watch(self) -> None:
        """Let go of leases as they run out, for ever."""
        while True:
            await asyncio.sleep(_WATCH_S)
            self._let_go_of_what_ran_out()

    def _let_go_of_what_ran_out(self) -> None:
        """Nobody confirms our leases. One that ran out by our clock may be another worker's by now."""
        now_s = time.monotonic()
        for held in self._hand.leases():
            if now_s >= held.lease_until_s:
                self._lose(held, "lease_expired")

    def _lose(self, held: Held, reason: str) -> None:
        if held.stage is Stage.DECIDED or held.lost is not None:
            return
        log.warning("job %s is no longer ours: %s", held.job.job_id, reason)
        self._metrics.lost(held.job, reason)
        held.lose(reason)

    # Saying

    def note_progress(self, held: Held, value: Any) -> None:
        """To be said soon."""
        self._saying(held).progress = value
        self._spoken.set()

    async def checkpoint(self, held: Held, value: Any) -> None:
        """Returns when the server has it. JobCancelled if the lease is gone."""
        if held.lost is not None or held.left:
            raise JobCancelled(held.lost or "released")
        saying = self._saying(held)
        saying.checkpoint = value
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        saying.waiters.append(stored)
        self._spoken.set()
        self._urgent.set()
        await stored

    def _saying(self, held: Held) -> _Saying:
        return self._sayings.setdefault(held.token, _Saying(held))

    async def speak(self) -> None:
        """Pass on what is said, for ever."""
        patience = Patience()
        while True:
            await self._spoken.wait()
            if not self._urgent.is_set():
                try:
                    await asyncio.wait_for(self._urgent.wait(), _GATHER_S)
                except TimeoutError:
                    """Nobody waits."""
            self._spoken.clear()
            self._urgent.clear()
            sayings, self._sayings = self._sayings, {}
            # One request holds one word per job; the newest lease of a job is the one that counts.
            by_job = {saying.held.job.job_id: saying for saying in sayings.values()}
            for saying in sayings.values():
                if by_job[saying.held.job.job_id] is not saying:
                    saying.settle(JobCancelled("lease_lost"))
            try:
                unsaid = await self._say(list(by_job.values()), patience)
            except asyncio.CancelledError:
                self._sayings |= {saying.held.token: saying for saying in by_job.values()}
                raise
            for saying in unsaid:
                self._saying(saying.held).take_up(saying)
                self._spoken.set()

    async def _say(self, sayings: list[_Saying], patience: Patience) -> list[_Saying]:
        """Those that have to be said again."""
        alive = [saying for saying in sayings if not self._is_void(saying)]
        if not alive:
            return []
        sent_s = time.monotonic()
        chunk = {saying.held.job.job_id: saying.held for saying in alive}
        try:
            pulses = await self._transport.heartbeat({s.held.job.job_id: s.beat() for s in alive})
        except BadRequest as error:
            return await self._single_out(alive, error, patience)
        except CorvoError as error:
            self._metrics.unreachable("heartbeat", error)
            await patience.wait(error)
            return alive
        patience.restore()
        self._feel(chunk, pulses, sent_s)
        for saying in alive:
            lost = saying.held.lost
            saying.settle(None if lost is None else JobCancelled(lost))
        return []

    async def _single_out(
        self, sayings: list[_Saying], error: BadRequest, patience: Patience
    ) -> list[_Saying]:
        """One of them is too large, say: its handler is told, the others are said one by one."""
        if len(sayings) == 1:
            log.warning("job %s: refused: %s", sayings[0].held.job.job_id, error)
            sayings[0].settle(error)
            return []
        unsaid: list[_Saying] = []
        for saying in sayings:
            unsaid += await self._say([saying], patience)
        return unsaid

    def close(self) -> None:
        """Nobody will say anything any more; who waits for it in a thread is let go."""
        for saying in self._sayings.values():
            saying.settle(JobCancelled("the worker has stopped"))
        self._sayings.clear()

    def _is_void(self, saying: _Saying) -> bool:
        held = saying.held
        if held.lost is not None:
            saying.settle(JobCancelled(held.lost))
            return True
        if held.stage is Stage.DECIDED or held.left:
            saying.settle(None)
            return True
        return False
