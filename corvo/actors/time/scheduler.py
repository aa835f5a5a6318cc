"""Scheduler: does what has become due, on the leader only, when it is due and not on a beat.

    fsm --DueChanged--> [scheduler] --Promote, Reclaim, Expire, Purge, ...--> batcher

It sleeps until the next time that the state machine told it of. That time may turn out to be stale (a
lease was given back before it ran out), so before it writes anything it asks what is really due next: an
idle node writes nothing to the log. A round that stops at its limit is followed by another at once.
"""

import structlog

from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.state.messages import RoleChanged, Subscribe, Topic
from corvo.actors.status import GetStatus, SchedulerStatus, TaskStatus
from corvo.actors.time.alarm_clock import AlarmClock
from corvo.actors.time.messages import DueChanged, DueFound, LookDue
from corvo.actors.time.upkeep_tasks import Task
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.submitter import Submitter
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import CorvoError
from corvo.ops.results import Upkept

log = structlog.get_logger()

#: How long a round that was refused waits before it is tried again.
_RETRY_NS = NS_PER_S // 2


class _Progress:
    """How a task is doing."""

    __slots__ = ("busy", "done_total", "errors_total", "last_ns", "next_ns", "task")

    def __init__(self, task: Task) -> None:
        self.task = task
        #: When to look next; None if nothing is known to become due.
        self.next_ns: int | None = None
        #: A question or a round is under way.
        self.busy = False
        self.last_ns = 0
        self.done_total = 0
        self.errors_total = 0

    def not_later_than(self, at_ns: int) -> None:
        at_ns = max(at_ns, self.last_ns + self.task.interval_ns)
        if self.next_ns is None or at_ns < self.next_ns:
            self.next_ns = at_ns


class Scheduler(Submitter):
    def __init__(
        self, batcher: ActorAddress, fsm: ActorAddress, tasks: tuple[Task, ...], clock: Clock
    ) -> None:
        self._batcher = batcher
        self._fsm = fsm
        self._clock = clock
        self._by_family = {task.family: _Progress(task) for task in tasks}
        self._leading = False
        self._alarm = AlarmClock(self.wakeupAfter, clock)

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.DUE, Topic.ROLE)))

    # Leading

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        leads = msg.leads
        if leads and not self._leading:
            # What this node knows of due times may be old; look at everything once.
            for progress in self._by_family.values():
                progress.busy = False
                progress.next_ns = 0
        self._leading = leads
        self._arm()

    def receiveMsg_DueChanged(self, msg: DueChanged, sender: ActorAddress) -> None:
        for family, at_ns in msg.due.items():
            progress = self._by_family.get(family)
            if progress is not None:
                progress.not_later_than(at_ns + progress.task.grace_ns)
        self._arm()

    # Sleeping

    def _arm(self) -> None:
        """Set the alarm for whatever comes next."""
        times = [p.next_ns for p in self._by_family.values() if p.next_ns is not None and not p.busy]
        if self._leading and times:
            self._alarm.set(min(times))

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        self._alarm.rang()
        if not self._leading:
            return
        now_ns = self._clock.now_ns()
        for progress in self._by_family.values():
            if not progress.busy and progress.next_ns is not None and progress.next_ns <= now_ns:
                self._look(progress)
        self._arm()

    # Working

    def _look(self, progress: _Progress) -> None:
        progress.busy = True
        progress.next_ns = None
        self.send(self._fsm, LookDue(progress.task.family, progress.task.kept_max))

    def receiveMsg_DueFound(self, msg: DueFound, sender: ActorAddress) -> None:
        progress = self._by_family[msg.family]
        progress.busy = False
        now_ns = self._clock.now_ns()
        if msg.at_ns is not None:
            progress.not_later_than(msg.at_ns + progress.task.grace_ns)
        if progress.next_ns is not None and progress.next_ns <= now_ns and self._leading:
            self._run(progress)
        elif progress.task.recheck_ns:
            progress.not_later_than(now_ns + progress.task.recheck_ns)
        self._arm()

    def _run(self, progress: _Progress) -> None:
        progress.busy = True
        progress.next_ns = None
        now_ns = self._clock.now_ns()
        self.send(self._batcher, Submit((progress.task.make(now_ns),), tag=progress))

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        progress: _Progress = msg.tag
        progress.busy = False
        (outcome,) = msg.outcomes
        if isinstance(outcome, CorvoError):
            self._failed(progress, outcome)
            return
        assert isinstance(outcome, Upkept)
        progress.done_total += outcome.count
        progress.last_ns = self._clock.now_ns()
        if outcome.more and self._leading:
            self._run(progress)
        else:
            self._look(progress)

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        msg.tag.busy = False
        self._failed(msg.tag, msg.error)

    def _failed(self, progress: _Progress, error: CorvoError) -> None:
        progress.errors_total += 1
        progress.next_ns = self._clock.now_ns() + _RETRY_NS
        log.warning("upkeep.refused", task=progress.task.name, code=error.code, error=error.message)
        self._arm()

    # Telling

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        tasks = {
            progress.task.name: TaskStatus(progress.done_total, progress.errors_total, progress.last_ns)
            for progress in self._by_family.values()
        }
        self.send(sender, SchedulerStatus(tasks))
