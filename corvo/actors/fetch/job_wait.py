"""Job wait: answers clients that wait for the end of a job.

edge --AwaitEnd--> [job wait] <--EntryLanded-- fsm
"""

from datetime import timedelta
from itertools import chain
from typing import NamedTuple

from corvo.actors.fetch.messages import AwaitEnd, CloseJobWait
from corvo.actors.kernel.api import Actor, ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import EntryLanded, StateReplaced, Subscribe, Topic
from corvo.actors.state.questions import FindJob, JobFound
from corvo.actors.status import GetStatus, JobWaitStatus, Status
from corvo.core.errors import CorvoError, NotFound, Overloaded
from corvo.core.namespace import ANYWHERE, Reach, covers
from corvo.core.states import TERMINAL

_RETRY_HINT_MS = 50


class _Waiter(NamedTuple):
    asker: ActorAddress
    reach: Reach | None


class _Over(Message, frozen=True):
    """job wait -> itself: this waiter has waited long enough."""

    job_id: str
    waiter: _Waiter


class JobWait(Actor):
    def __init__(self, fsm: ActorAddress) -> None:
        self._fsm = fsm
        self._waiting: dict[str, list[_Waiter]] = {}
        #: Questions to the state machine under way, in order: the job, and the waiter to answer. A waiter
        #: of None means that all waiters for the job get it, if it has ended.
        self._asked: list[tuple[str, _Waiter | None]] = []
        self._closed = False
        #: Whether an answer of the state machine may belong to a question from before a restart.
        self._is_back = True

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED, Topic.REPLACED)))
        # Answers come in the order of the questions, so whatever comes before this one's is an old one's.
        self.send(self._fsm, GetStatus())

    def receiveMsg_Status(self, msg: Status, sender: ActorAddress) -> None:
        self._is_back = False

    def crashed(self) -> None:
        error = Overloaded("the wait was interrupted", retry_after_ms=_RETRY_HINT_MS)
        for waiter in chain(*self._waiting.values(), (waiter for _, waiter in self._asked)):
            if waiter is not None:
                self.send(waiter.asker, error)

    def receiveMsg_AwaitEnd(self, msg: AwaitEnd, sender: ActorAddress) -> None:
        waiter = _Waiter(sender, msg.reach)
        if self._closed:
            self._ask(msg.job_id, waiter)
            return
        self._waiting.setdefault(msg.job_id, []).append(waiter)
        self.wakeupAfter(timedelta(milliseconds=msg.wait_ms), _Over(msg.job_id, waiter))
        # It may have ended before the client came to wait for it.
        self._ask(msg.job_id, None)

    def receiveMsg_CloseJobWait(self, msg: CloseJobWait, sender: ActorAddress) -> None:
        self._closed = True
        waiting, self._waiting = self._waiting, {}
        for job_id, waiters in waiting.items():
            for waiter in waiters:
                self._ask(job_id, waiter)

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        if not self._waiting:
            return
        for job_id, job in msg.applied.rows.items():
            if job_id in self._waiting and (job is None or job.state in TERMINAL):
                self._ask(job_id, None)

    def receiveMsg_StateReplaced(self, msg: StateReplaced, sender: ActorAddress) -> None:
        """Any of the jobs may have ended in an entry that this node has skipped."""
        for job_id in self._waiting:
            self._ask(job_id, None)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        over = msg.payload
        assert isinstance(over, _Over)
        waiting = self._waiting.get(over.job_id, [])
        if over.waiter in waiting:
            waiting.remove(over.waiter)
            if not waiting:
                del self._waiting[over.job_id]
            self._ask(over.job_id, over.waiter)

    def _ask(self, job_id: str, waiter: _Waiter | None) -> None:
        self._asked.append((job_id, waiter))
        self.send(self._fsm, FindJob(job_id, ANYWHERE))

    def receiveMsg_JobFound(self, msg: JobFound, sender: ActorAddress) -> None:
        if self._is_back:
            return
        job_id, waiter = self._asked.pop(0)
        if waiter is not None:
            self._answer(waiter, msg)
            return
        waiters = self._waiting.get(job_id, [])
        for stranger in [each for each in waiters if not covers(each.reach, msg.job.queue)]:
            waiters.remove(stranger)
            self._answer(stranger, msg)
        if not waiters:
            self._waiting.pop(job_id, None)
        elif msg.job.state in TERMINAL:
            self._answer_all(job_id, msg)

    def receiveMsg_NotFound(self, msg: NotFound, sender: ActorAddress) -> None:
        if self._is_back:
            return
        job_id, waiter = self._asked.pop(0)
        if waiter is not None:
            self._answer(waiter, msg)
        else:
            self._answer_all(job_id, msg)

    def _answer_all(self, job_id: str, answer: JobFound | CorvoError) -> None:
        for waiter in self._waiting.pop(job_id, ()):
            self._answer(waiter, answer)

    def _answer(self, waiter: _Waiter, answer: JobFound | CorvoError) -> None:
        """One that may not see the job hears at once that there is none."""
        if isinstance(answer, JobFound) and not covers(waiter.reach, answer.job.queue):
            answer = NotFound(f"job {answer.job.id} does not exist")
        self.send(waiter.asker, answer)

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        self.send(sender, JobWaitStatus(sum(map(len, self._waiting.values()))))
