"""Job wait: answers clients that wait for the end of a job.

edge --AwaitEnd--> [job wait] <--EntryLanded-- fsm
"""

from datetime import timedelta
from itertools import chain

from corvo.actors.fetch.messages import AwaitEnd, CloseJobWait
from corvo.actors.kernel.api import Actor, ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import EntryLanded, StateReplaced, Subscribe, Topic
from corvo.actors.state.questions import FindJob, JobFound
from corvo.actors.status import GetStatus, JobWaitStatus, Status
from corvo.core.errors import CorvoError, NotFound, Overloaded
from corvo.core.states import TERMINAL

_RETRY_HINT_MS = 50


class _Over(Message, frozen=True):
    """job wait -> itself: this asker has waited long enough."""

    job_id: str
    asker: ActorAddress


class JobWait(Actor):
    def __init__(self, fsm: ActorAddress) -> None:
        self._fsm = fsm
        self._waiting: dict[str, list[ActorAddress]] = {}
        #: Questions to the state machine under way, in order: the job, and the asker to answer. An asker
        #: of None means that all waiters for the job get it, if it has ended.
        self._asked: list[tuple[str, ActorAddress | None]] = []
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
        for asker in chain(*self._waiting.values(), (asker for _, asker in self._asked)):
            if asker is not None:
                self.send(asker, error)

    def receiveMsg_AwaitEnd(self, msg: AwaitEnd, sender: ActorAddress) -> None:
        if self._closed:
            self._ask(msg.job_id, sender)
            return
        self._waiting.setdefault(msg.job_id, []).append(sender)
        self.wakeupAfter(timedelta(milliseconds=msg.wait_ms), _Over(msg.job_id, sender))
        # It may have ended before the client came to wait for it.
        self._ask(msg.job_id, None)

    def receiveMsg_CloseJobWait(self, msg: CloseJobWait, sender: ActorAddress) -> None:
        self._closed = True
        waiting, self._waiting = self._waiting, {}
        for job_id, askers in waiting.items():
            for asker in askers:
                self._ask(job_id, asker)

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
        if over.asker in waiting:
            waiting.remove(over.asker)
            if not waiting:
                del self._waiting[over.job_id]
            self._ask(over.job_id, over.asker)

    def _ask(self, job_id: str, asker: ActorAddress | None) -> None:
        self._asked.append((job_id, asker))
        self.send(self._fsm, FindJob(job_id))

    def receiveMsg_JobFound(self, msg: JobFound, sender: ActorAddress) -> None:
        if self._is_back:
            return
        job_id, asker = self._asked.pop(0)
        if asker is not None:
            self.send(asker, msg)
        elif msg.job.state in TERMINAL:
            self._answer_all(job_id, msg)

    def receiveMsg_NotFound(self, msg: NotFound, sender: ActorAddress) -> None:
        if self._is_back:
            return
        job_id, asker = self._asked.pop(0)
        if asker is not None:
            self.send(asker, msg)
        else:
            self._answer_all(job_id, msg)

    def _answer_all(self, job_id: str, answer: JobFound | CorvoError) -> None:
        for asker in self._waiting.pop(job_id, ()):
            self.send(asker, answer)

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        self.send(sender, JobWaitStatus(sum(map(len, self._waiting.values()))))
