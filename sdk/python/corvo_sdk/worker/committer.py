"""Committer: tells the server what was decided, and does not rest until the server has answered.

Acks go in bunches: while one is under way the next gathers, so a busy worker needs few requests and an idle
one does not wait. A verdict that could not be delivered is kept and said again; its lease token makes that
harmless, and its lease is kept meanwhile by the heart.
"""

import asyncio
import logging
import time
from collections import deque

from msgspec import UNSET

from corvo_sdk.errors import BadRequest, CorvoError, LeaseLost, NotFound, Refused
from corvo_sdk.models.claim import Ack
from corvo_sdk.worker.hand import Hand
from corvo_sdk.worker.held import Held
from corvo_sdk.worker.judging import Decided
from corvo_sdk.worker.metrics import Metrics
from corvo_sdk.worker.patience import Patience
from corvo_sdk.worker.transport import ACKS_MAX, FailReport, HandBack, Transport

log = logging.getLogger("corvo.worker")

#: A bunch of acks with large results is cut here; the server takes 16 MiB.
_BUNCH_BYTES_MAX = 4 * 1024 * 1024
#: Fails and releases under way at once.
_SINGLES = 8


class Committer:
    def __init__(self, hand: Hand, transport: Transport, metrics: Metrics) -> None:
        self._hand = hand
        self._transport = transport
        self._metrics = metrics
        self._acks: deque[tuple[Held, Ack]] = deque()
        self._some_acks = asyncio.Event()
        self._singles: asyncio.Queue[tuple[Held, FailReport | HandBack]] = asyncio.Queue()

    def put(self, decided: Decided) -> None:
        held, said = decided.held, decided.said
        self._hand.decide(held)
        if held.left:
            return  # Given back already, when the worker could wait no longer.
        match said:
            case None:
                self._hand.drop(held)
            case Ack():
                self._acks.append((held, said))
                self._some_acks.set()
            case _:
                self._singles.put_nowait((held, said))

    def loops(self) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(self._commit_acks(), name="corvo-acks")]
        tasks += [asyncio.create_task(self._commit_singles(), name="corvo-singles") for _ in range(_SINGLES)]
        return tasks

    # Acks

    async def _commit_acks(self) -> None:
        patience = Patience()
        while True:
            await self._some_acks.wait()
            self._some_acks.clear()
            while self._acks:
                error = await self._send(self._bunch())
                if error is None:
                    patience.restore()
                    continue
                self._metrics.unreachable("commit", error)
                log.warning("cannot commit %d results yet: %s", len(self._acks), error)
                await patience.wait(error)

    def _bunch(self) -> list[tuple[Held, Ack]]:
        bunch: list[tuple[Held, Ack]] = []
        size = 0
        while self._acks and len(bunch) < ACKS_MAX and size < _BUNCH_BYTES_MAX:
            held, ack = self._acks.popleft()
            bunch.append((held, ack))
            size += 0 if ack.result is UNSET else len(memoryview(ack.result))
        return bunch

    async def _send(self, bunch: list[tuple[Held, Ack]]) -> CorvoError | None:
        """Why it could not be delivered, if so; then it is back in line."""
        began_s = time.monotonic()
        try:
            results = await self._transport.ack([ack for _, ack in bunch])
        except BadRequest as error:
            return await self._single_out(bunch, error)
        except CorvoError as error:
            self._acks.extendleft(reversed(bunch))
            return error
        good = 0
        for (held, _), result in zip(bunch, results, strict=True):
            if result.status == "ok":
                good += 1
            else:
                self._came_too_late(held, result.status)
            self._hand.drop(held)
        self._metrics.committed("ack", good, time.monotonic() - began_s)
        return None

    async def _single_out(self, bunch: list[tuple[Held, Ack]], refused: BadRequest) -> CorvoError | None:
        """One of them is not acceptable, most likely too large: it fails, the others are sent one by one."""
        if len(bunch) == 1:
            held, _ = bunch[0]
            text = f"the server refused the result: {refused}"
            self._singles.put_nowait((held, FailReport(held.job.job_id, held.token, text, retry=False)))
            return None
        for number, item in enumerate(bunch):
            error = await self._send([item])
            if error is not None:
                self._acks.extend(bunch[number + 1 :])
                return error
        return None

    def _came_too_late(self, held: Held, status: str) -> None:
        log.warning("the result of %s came too late: %s", held.job.job_id, status)
        self._metrics.lost(held.job, status)

    # Fails and releases

    async def _commit_singles(self) -> None:
        patience = Patience()
        while True:
            held, said = await self._singles.get()
            while not await self._say(held, said, patience):
                """Again, until there is an answer."""
            self._hand.drop(held)

    async def _say(self, held: Held, said: FailReport | HandBack, patience: Patience) -> bool:
        """Whether there is an answer."""
        began_s = time.monotonic()
        try:
            if isinstance(said, FailReport):
                await self._transport.fail(said)
            else:
                await self._transport.release(said)
        except (LeaseLost, NotFound, Refused) as error:
            self._came_too_late(held, error.code)
        except BadRequest as error:
            plainer = _plainer(said, error)
            if plainer is not None:
                log.warning("job %s: refused: %s", held.job.job_id, error)
                return await self._say(held, plainer, patience)
            # Nothing we can say better; when the lease runs out the server decides.
            log.exception("the server does not accept what we say of %s", held.job.job_id)
        except CorvoError as error:
            self._metrics.unreachable("commit", error)
            log.warning("cannot commit %s yet: %s", held.job.job_id, error)
            await patience.wait(error)
            return False
        else:
            verdict = "fail" if isinstance(said, FailReport) else "release"
            self._metrics.committed(verdict, 1, time.monotonic() - began_s)
        patience.restore()
        return True


def _plainer(said: FailReport | HandBack, refused: BadRequest) -> FailReport | None:
    """What to say instead of what the server did not accept: a delay that is none, a checkpoint too large."""
    if isinstance(said, HandBack):
        return FailReport(said.job_id, said.lease_token, f"the server refused the release: {refused}")
    if said.retry_after is None and said.backtrace is None:
        return None
    text = f"{said.error[:1_000]} (and the server refused how it was said: {refused})"
    return FailReport(said.job_id, said.lease_token, text, retry=said.retry)
