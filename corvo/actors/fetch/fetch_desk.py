"""Fetch desk: where workers wait for jobs. One waiting line per queue.

    edge --Wait--> [desk] --one Fetch op for several workers--> batcher -> ... -> fsm
                     ^---------- how much each queue could hand out now -----------+

A worker that waits costs nothing: no log entry, no timer but its own. The state machine says after each
entry how many jobs the queues it touched could hand out; the desk then claims for as many waiting workers,
in order of arrival, with one op. A worker that takes from several queues stands in several lines and is
served from whichever has work; the state machine picks its best job across all of them.

The edge announces new jobs before they are agreed on. A claim for a waiting worker then travels behind them
in the same entry: one disk sync between a producer and a waiting worker, not two. If nothing comes of it,
because the queue is paused or full or the job is a duplicate, the worker waits on, and the desk does not try
that again before the queue has shown that it hands out jobs.

A worker that gave a key may ask for the same jobs again, here or at another node, and while its first request
still waits. Each such request has an op of its own, and the log decides whether it repeats another; so the
desk claims at once for a worker that waits under a key that was used before, and the worker gets the same
jobs.

All lines belong to one actor, because a worker in two lines must not be served twice.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from itertools import groupby
from typing import Final

from corvo.actors.fetch.fetch_line import FetchLine, FetchWaiter
from corvo.actors.fetch.messages import (
    CloseDesk,
    Coming,
    CutShort,
    FindKey,
    Handed,
    HangUp,
    KeysUsed,
    LevelsChanged,
    Wait,
)
from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.state.messages import StateReplaced, Subscribe, Topic
from corvo.actors.state.questions import ListWorkers, WorkersListed
from corvo.actors.status import FetchDeskStatus, GetStatus
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.submitter import Submitter
from corvo.core.clock import Clock
from corvo.core.errors import CorvoError, NotLeader, OutcomeUnknown
from corvo.core.limits import WORKER_SILENT_NS_MAX, WORKERS_MAX
from corvo.core.namespace import ANYWHERE, Qualified, name_of
from corvo.core.worker import Worker, most_silent, seen_by
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.lease import Release
from corvo.ops.results import Fetched, Recalled, WholeJob

#: A claim that was refused for lack of room is tried again after this.
_RETRY = timedelta(milliseconds=20)
_NOTHING: Final[Mapping[Qualified, int]] = {}


class _Claims:
    """Waiters served by one Fetch op: each with the line it was called from and its share of jobs there."""

    __slots__ = ("ended", "served")

    def __init__(self, served: list[tuple[FetchWaiter, FetchLine, int]]) -> None:
        self.served = served
        #: A crash over a claim may be reported twice, and the claim may be granted all the same.
        self.ended = False


class FetchDesk(Submitter):
    def __init__(self, batcher: ActorAddress, fsm: ActorAddress, claims_max: int, clock: Clock) -> None:
        self._batcher = batcher
        self._fsm = fsm
        self._claims_max = claims_max
        self._clock = clock
        self._lines: dict[Qualified, FetchLine] = {}
        self._waiters: dict[int, FetchWaiter] = {}
        #: Waiters that may be repetitions of each other, by their key.
        self._by_key: dict[Qualified, list[FetchWaiter]] = {}
        self._arrivals = 0
        self._closed = False
        self._workers: dict[Qualified, Worker] = {}
        self._released = 0

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LEVELS, Topic.REPLACED)))

    def crashed(self) -> None:
        """Workers ask again at once, rather than wait at a desk that has forgotten them."""
        for waiter in self._waiters.values():
            self._tell_nothing(waiter)

    # Coming and going

    def receiveMsg_Wait(self, msg: Wait, sender: ActorAddress) -> None:
        self._note_worker(msg)
        if self._closed:
            self.send(sender, Handed([], 0))
            return
        self._arrivals += 1
        waiter = FetchWaiter(msg, sender, self._arrivals)
        self._waiters[msg.wait_id] = waiter
        for queue in msg.queues:
            self._line(queue).join(waiter)
        waiter.timer = self.wakeupAfter(timedelta(milliseconds=msg.wait_ms), waiter)
        if msg.once is not None:
            self._by_key.setdefault(msg.once.key, []).append(waiter)
            self._ask_about((waiter,))
        self._serve(msg.queues)

    def receiveMsg_HangUp(self, msg: HangUp, sender: ActorAddress) -> None:
        waiter = self._waiters.get(msg.wait_id)
        if waiter is None:
            return
        waiter.gone = True
        waiter.told = msg.told
        if not waiter.claiming:
            self._dismiss(waiter)

    def receiveMsg_CutShort(self, msg: CutShort, sender: ActorAddress) -> None:
        waiter = self._waiters.get(msg.wait_id)
        if waiter is not None:
            self._end_wait(waiter)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, FetchWaiter):
            self._end_wait(msg.payload)
        else:
            assert isinstance(msg.payload, _Claims)
            self._ask_about(waiter for waiter, _, _ in msg.payload.served if self._is_here(waiter))
            self._serve(self._lines)

    def receiveMsg_CloseDesk(self, msg: CloseDesk, sender: ActorAddress) -> None:
        self._closed = True
        for waiter in list(self._waiters.values()):
            self._end_wait(waiter)

    def _end_wait(self, waiter: FetchWaiter) -> None:
        """Its time is over: it is answered with what it gets now, if anything."""
        if waiter.claiming:
            waiter.late = True
        else:
            self._send_home(waiter)

    def _send_home(self, waiter: FetchWaiter) -> None:
        self._dismiss(waiter)
        self._tell_nothing(waiter)

    def _tell_nothing(self, waiter: FetchWaiter) -> None:
        waiter.told = True
        self.send(waiter.asker, Handed([], 0))

    def _dismiss(self, waiter: FetchWaiter) -> None:
        wait = waiter.wait
        del self._waiters[wait.wait_id]
        if wait.once is not None:
            same = self._by_key[wait.once.key]
            same.remove(waiter)
            if not same:
                del self._by_key[wait.once.key]
        if waiter.timer is not None:
            waiter.timer.cancel()
        for queue in wait.queues:
            line = self._lines[queue]
            line.leave(waiter)
            if line.is_idle():
                del self._lines[queue]

    # Serving

    def receiveMsg_LevelsChanged(self, msg: LevelsChanged, sender: ActorAddress) -> None:
        for queue, level in msg.levels.items():
            if level or queue in self._lines:
                line = self._line(queue)
                line.level = level
                line.opens_for_new_jobs = line.opens_for_new_jobs or level > 0
        self._serve(msg.levels)

    def receiveMsg_Coming(self, msg: Coming, sender: ActorAddress) -> None:
        lines = self._lines
        coming = {
            queue: count
            for queue, count in msg.jobs.items()
            if queue in lines and lines[queue].opens_for_new_jobs
        }
        self._serve(coming, coming)

    def _serve(self, queues: Iterable[Qualified], coming: Mapping[Qualified, int] = _NOTHING) -> None:
        """Claim for waiters at these queues, as far as there is something to hand out."""
        served: list[tuple[FetchWaiter, FetchLine, int]] = []
        for queue in queues:
            line = self._lines.get(queue)
            if line is None:
                continue
            left = line.available + coming.get(queue, 0)
            if left <= 0:
                continue
            for waiter in line.ready():
                if left <= 0 or line.claims_under_way >= self._claims_max:
                    break
                share = min(waiter.wait.count, left)
                left -= share
                served.append(self._call(waiter, line, share))
        if not served:
            return
        served.sort(key=lambda claim: claim[0].number)
        # A waiter with a key has an op of its own, which is remembered; the others share one.
        for _, group in groupby(served, key=lambda claim: claim[0].wait.once and claim[0].number):
            self._claim(list(group))

    def _call(self, waiter: FetchWaiter, line: FetchLine, share: int) -> tuple[FetchWaiter, FetchLine, int]:
        """From now on a claim for this waiter is under way."""
        waiter.claiming = True
        line.jobs_under_way += share
        line.claims_under_way += 1
        return waiter, line, share

    def _claim(self, served: list[tuple[FetchWaiter, FetchLine, int]]) -> None:
        once = served[0][0].wait.once
        claims = [
            Claim(w.wait.queues, w.wait.worker_id, w.wait.hostname, w.wait.lease_ms, w.wait.count)
            for w, _, _ in served
        ]
        ops = (Fetch(claims),) if once is None else (once, Fetch(claims))
        self.send(self._batcher, Submit(ops, tag=_Claims(served)))

    # Repetitions. Whether a request is one is decided by the log; here it is only noticed that it may be.

    def _ask_about(self, waiters: Iterable[FetchWaiter]) -> None:
        for waiter in waiters:
            if waiter.wait.once is not None:
                self.send(self._fsm, FindKey(waiter.wait.once.key))

    def receiveMsg_StateReplaced(self, msg: StateReplaced, sender: ActorAddress) -> None:
        self._ask_about(self._waiters.values())

    def receiveMsg_KeysUsed(self, msg: KeysUsed, sender: ActorAddress) -> None:
        """What these waiters ask for was handed out before: they get it again, whatever the queue has."""
        for key in msg.keys:
            for waiter in self._by_key.get(key, ()):
                if not waiter.claiming:
                    self._claim([self._call(waiter, self._line(waiter.wait.queues[0]), 0)])

    # What became of claims

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        if not isinstance(msg.tag, _Claims):
            return  # Jobs given back for a client that was gone.
        *recalled, fetched = msg.outcomes
        if isinstance(fetched, CorvoError):
            # Its key was used for something else.
            self.receiveMsg_Declined(Declined(fetched, msg.tag), sender)
            return
        assert isinstance(fetched, Fetched)
        replayed = recalled == [Recalled(replayed=True)]
        if msg.tag.ended:
            for (waiter, _, _), jobs in zip(msg.tag.served, fetched.claims, strict=True):
                self._give_back(waiter, jobs)
            return
        msg.tag.ended = True
        for (waiter, line, share), jobs in zip(msg.tag.served, fetched.claims, strict=True):
            self._claim_ended(waiter, line, share)
            line.opens_for_new_jobs = bool(jobs)
            if not self._is_here(waiter):
                self._give_back(waiter, jobs)
            elif waiter.gone:
                self._dismiss(waiter)
                self._give_back(waiter, jobs)
            elif jobs:
                self._dismiss(waiter)
                self.send(waiter.asker, Handed(jobs, msg.index, replayed))
            elif waiter.late or self._closed:
                self._send_home(waiter)
        self._serve({queue for waiter, _, _ in msg.tag.served for queue in waiter.wait.queues})

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        """The claim had no effect, or that is unknown; in doubt the lease runs out and the job comes back.

        While the cluster finds a leader no waiter is sent away: it goes on waiting.
        """
        is_passing = isinstance(msg.error, NotLeader | OutcomeUnknown)
        if not isinstance(msg.tag, _Claims) or msg.tag.ended:
            return
        msg.tag.ended = True
        for waiter, line, share in msg.tag.served:
            self._claim_ended(waiter, line, share)
            if not self._is_here(waiter):
                continue
            if waiter.gone:
                self._dismiss(waiter)
            elif waiter.late or self._closed:
                self._send_home(waiter)
            elif not is_passing:
                self._fail(waiter, msg.error)
        self.wakeupAfter(_RETRY, msg.tag)

    def _is_here(self, waiter: FetchWaiter) -> bool:
        """False for one from before this actor was restarted: it has been sent home."""
        return self._waiters.get(waiter.wait.wait_id) is waiter

    def _claim_ended(self, waiter: FetchWaiter, line: FetchLine, share: int) -> None:
        waiter.claiming = False
        line.jobs_under_way -= share
        line.claims_under_way -= 1

    def _fail(self, waiter: FetchWaiter, error: CorvoError) -> None:
        self._dismiss(waiter)
        self.send(waiter.asker, error)

    def _give_back(self, waiter: FetchWaiter, jobs: list[WholeJob]) -> None:
        """The client hung up while its claim was under way. Its jobs go to another worker at once, unless it
        may ask for them again by its key, or has done so."""
        once = waiter.wait.once
        if not jobs or (once is not None and (not waiter.told or once.key in self._by_key)):
            return
        releases = tuple(
            Release(claimed.job.id, claimed.job.lease.token if claimed.job.lease else None, None, 0, ANYWHERE)
            for claimed in jobs
        )
        self._released += len(jobs)
        self.send(self._batcher, Submit(releases))

    def _line(self, queue: Qualified) -> FetchLine:
        line = self._lines.get(queue)
        if line is None:
            line = self._lines[queue] = FetchLine()
        return line

    # Workers that poll

    def _note_worker(self, msg: Wait) -> None:
        if not name_of(msg.worker_id):
            return
        now_ns = self._clock.now_ns()
        known = self._workers.pop(msg.worker_id, None)
        started_ns = now_ns if known is None else known.started_ns
        # Taken out and put in again, so that the silent ones are always at the front.
        self._workers[msg.worker_id] = Worker(msg.worker_id, msg.hostname, msg.queues, started_ns, now_ns)
        first = next(iter(self._workers.values()))
        if first.last_seen_ns < now_ns - WORKER_SILENT_NS_MAX:
            del self._workers[first.id]
        # Clients name themselves; one with a new name for every request must not fill the memory.
        if len(self._workers) > WORKERS_MAX:
            for worker in most_silent(self._workers, max(1, WORKERS_MAX // 10)):
                del self._workers[worker.id]

    def receiveMsg_ListWorkers(self, msg: ListWorkers, sender: ActorAddress) -> None:
        self.send(sender, WorkersListed(seen_by(msg.reach, self._workers.values())))

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        claiming = sum(waiter.claiming for waiter in self._waiters.values())
        self.send(sender, FetchDeskStatus(len(self._waiters), claiming, self._released))
