"""Fetcher: asks for as many jobs as the crew can soon begin. Threads and tasks have one each.

It holds back from hoarding: beyond one job per handler it takes only what the crew, at its present pace, will
have begun within PREFETCH_S. Slow handlers therefore prefetch nothing, and fast ones are never out of work.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from corvo_sdk.errors import CorvoError, Forbidden, Unauthorized
from corvo_sdk.worker.hand import Hand
from corvo_sdk.worker.held import Held
from corvo_sdk.worker.judging import Decided
from corvo_sdk.worker.metrics import Metrics
from corvo_sdk.worker.patience import Patience
from corvo_sdk.worker.transport import FETCH_MAX, Transport

log = logging.getLogger("corvo.worker")

PREFETCH_S = 0.1
#: Verdicts the server has not confirmed; beyond this it is no use to do more.
_UNCONFIRMED_MAX = 4_096
#: A claim takes a few milliseconds; one that takes longer than this is a server in trouble, or no work.
_CLAIM_S = 0.5
#: After so many refusals of its key in a row, within about two seconds, a worker gives up. The first few may
#: be those of a node that has not heard of a new key yet.
_REFUSED_MAX = 6
#: How much weight the newest handler's time has.
_WEIGHT = 0.05


class Fetcher:
    def __init__(
        self,
        queues: Sequence[str],
        concurrency: int,
        hand: Hand,
        transport: Transport,
        begin: Callable[[Held], None],
        metrics: Metrics,
    ) -> None:
        self._queues = queues
        self._concurrency = concurrency
        self._hand = hand
        self._transport = transport
        self._begin = begin
        self._metrics = metrics
        #: Jobs fetched whose handler is not through.
        self._undecided = 0
        #: How long a handler takes; slow until proven fast.
        self._mean_s = 1.0
        self._stopping = False
        #: When the fetch under way was sent.
        self._sent_s: float | None = None
        self.answered_s = time.monotonic()

    def note(self, decided: Decided) -> None:
        """One of the jobs fetched here is through."""
        self._undecided -= 1
        if decided.said is not None:
            self._mean_s += _WEIGHT * (decided.seconds - self._mean_s)

    @property
    def target(self) -> int:
        """How many jobs to have in hand that are not decided."""
        ahead = int(self._concurrency * PREFETCH_S / max(self._mean_s, 1e-5))
        return self._concurrency + min(ahead, FETCH_MAX)

    async def run(self) -> None:
        """Fetch until told to stop."""
        patience = Patience()
        refused = 0
        while not self._stopping:
            count = await self._room()
            self._sent_s = sent_s = time.monotonic()
            try:
                jobs = await self._transport.fetch(self._queues, count)
            except CorvoError as error:
                self._sent_s = None
                refused = refused + 1 if _is_refusal(error) else 0
                if refused == _REFUSED_MAX:
                    log.error("the server refuses this worker's API key, so it stops: %s", error)  # noqa: TRY400 - the caller gets the traceback
                    raise
                self._metrics.unreachable("fetch", error)
                log.warning("fetch failed: %s", error)
                await patience.wait(error)
                continue
            self._sent_s = None
            refused = 0
            patience.restore()
            self.answered_s = time.monotonic()
            self._metrics.fetched(len(jobs), self.answered_s - sent_s)
            self._undecided += len(jobs)
            for job in jobs:
                self._begin(self._hand.take(job, self.answered_s))

    async def stop(self, running: asyncio.Task[None]) -> None:
        """End the loop without walking away from an answer.

        A server with work to hand out answers at once; if we hang up just then, nobody has those jobs until
        their leases run out. A fetch that is older than that only waits for work to come.
        """
        self._stopping = True
        with suppress(CorvoError, TimeoutError):
            async with asyncio.timeout(_CLAIM_S):
                if self._sent_s is not None and await self._transport.cut_short():
                    self._sent_s = time.monotonic()
        if self._sent_s is not None:
            age_s = time.monotonic() - self._sent_s
            await asyncio.wait({running}, timeout=max(0.0, _CLAIM_S - age_s))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    async def _room(self) -> int:
        """Wait until it is worth asking: for how many."""
        while True:
            target = self.target
            room = target - self._undecided
            # Half empty is soon enough, and makes for bigger bunches.
            enough = max(1, (target - self._concurrency) // 2)
            if room >= enough and self._hand.decided < _UNCONFIRMED_MAX:
                return room
            await self._hand.changed()


def _is_refusal(error: CorvoError) -> bool:
    """Of the server's own: a gateway in front of it may ask for a login for a while, without a code."""
    return isinstance(error, Unauthorized | Forbidden) and bool(error.facts.get("code"))
