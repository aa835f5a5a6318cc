"""Schedule firer: fires schedules, on the leader only, when their time has come and not on a beat.

    fsm --DueChanged, SchedulesDue--> [schedule firer] --FireSchedule--> batcher

It knows the calendar so that the state machine need not: which fire times have passed, what is made of
those that were missed, and which one is next are computed here and travel in the op. The op is obeyed only
while the schedule stands as it was read, so asking twice, or two leaders asking, fires once.
"""

import structlog

from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.state.messages import RoleChanged, Subscribe, Topic
from corvo.actors.status import GetStatus, ScheduleFirerStatus, TaskStatus
from corvo.actors.time.alarm_clock import SLEEP_NS_MAX, AlarmClock
from corvo.actors.time.messages import DueChanged, FindDueSchedules, SchedulesDue
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.submitter import Submitter
from corvo.core.clock import NS_PER_MS, NS_PER_S, Clock
from corvo.core.errors import CorvoError, ValidationFailed
from corvo.core.firing import firing
from corvo.core.schedule import Schedule
from corvo.ops.cron import FireSchedule
from corvo.ops.results import ScheduleFired
from corvo.storage import keys

log = structlog.get_logger()

#: How long a round that was refused waits before it is tried again.
_RETRY_NS = NS_PER_S // 2
#: Schedules fired in one round, and how long it may take to compute their fire times: other actors wait.
_ROUND_MAX = 32
_COMPUTING_NS_MAX = 20 * NS_PER_MS
#: A round without an answer is given up after this; asking again does no harm.
_ROUND_NS_MAX = 30 * NS_PER_S


class ScheduleFirer(Submitter):
    def __init__(self, batcher: ActorAddress, fsm: ActorAddress, clock: Clock) -> None:
        self._batcher = batcher
        self._fsm = fsm
        self._clock = clock
        self._leading = False
        #: When to look next; None if nothing is known to become due.
        self._next_ns: int | None = None
        #: The question or the round under way, and since when; earlier ones are of no interest.
        self._round = 0
        self._busy_since_ns: int | None = None
        self._alarm = AlarmClock(self.wakeupAfter, clock)
        self._fired_total = 0
        self._skipped_total = 0
        self._errors_total = 0
        self._last_ns = 0

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.DUE, Topic.ROLE)))

    # Leading

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        leads = msg.leads
        if leads and not self._leading:
            # What this node knows of due times may be old.
            self._busy_since_ns = None
            self._next_ns = 0
        self._leading = leads
        self._arm()

    def receiveMsg_DueChanged(self, msg: DueChanged, sender: ActorAddress) -> None:
        at_ns = msg.due.get(keys.SCHEDULE_DUE)
        if at_ns is not None:
            self._not_later_than(at_ns)
            self._arm()

    # Sleeping

    def _not_later_than(self, at_ns: int) -> None:
        if self._next_ns is None or at_ns < self._next_ns:
            self._next_ns = at_ns

    def _arm(self) -> None:
        """Set the alarm for the next fire time, or for giving up a round."""
        if not self._leading:
            return
        if self._busy_since_ns is not None:
            self._alarm.set(self._busy_since_ns + _ROUND_NS_MAX)
        elif self._next_ns is not None:
            self._alarm.set(self._next_ns)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        self._alarm.rang()
        now_ns = self._clock.now_ns()
        if self._busy_since_ns is not None and now_ns - self._busy_since_ns >= _ROUND_NS_MAX:
            self._busy_since_ns = None
            self._not_later_than(now_ns)
        idle = self._leading and self._busy_since_ns is None
        if idle and self._next_ns is not None and self._next_ns <= now_ns:
            self._look(now_ns)
        self._arm()

    # Firing

    def _look(self, now_ns: int) -> None:
        self._round += 1
        self._busy_since_ns = now_ns
        self._next_ns = None
        self.send(self._fsm, FindDueSchedules(now_ns, _ROUND_MAX))

    def receiveMsg_SchedulesDue(self, msg: SchedulesDue, sender: ActorAddress) -> None:
        if not self._leading or self._busy_since_ns is None:
            return
        ops = self._ops(msg.schedules)
        if ops:
            # The next times are known only when these have been fired.
            self.send(self._batcher, Submit(ops, tag=self._round))
            return
        self._busy_since_ns = None
        if msg.schedules:
            self._next_ns = self._clock.now_ns() + SLEEP_NS_MAX
        elif msg.next_ns is not None:
            self._not_later_than(msg.next_ns)
        self._arm()

    def _ops(self, schedules: list[Schedule]) -> tuple[FireSchedule, ...]:
        """For as many as there is time for; the others will be found again."""
        end_ns = self._clock.monotonic_ns() + _COMPUTING_NS_MAX
        ops: list[FireSchedule] = []
        for schedule in schedules:
            op = self._op(schedule)
            if op is not None:
                ops.append(op)
            if ops and self._clock.monotonic_ns() >= end_ns:
                break
        return tuple(ops)

    def _op(self, schedule: Schedule) -> FireSchedule | None:
        assert schedule.next_ns is not None
        now_ns = self._clock.now_ns()
        if schedule.next_ns > now_ns:
            return None  # The clock has been put back since the question was asked.
        try:
            now = firing(schedule, now_ns)
        except ValidationFailed as error:
            # Its plan was accepted by a node that knows more time zones than this one.
            self._errors_total += 1
            log.warning("schedule.unknown", schedule_id=schedule.id, error=error.message)
            return None
        return FireSchedule(
            schedule.id, schedule.version, schedule.next_ns, now.slots, now.missed_ns, now.next_ns
        )

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        for outcome in msg.outcomes:
            if isinstance(outcome, CorvoError):
                self._failed(outcome)
                return
            assert isinstance(outcome, ScheduleFired)
            self._fired_total += outcome.fired
            self._skipped_total += outcome.skipped
        self._last_ns = self._clock.now_ns()
        if msg.tag == self._round and self._leading:
            self._look(self._last_ns)
            self._arm()

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        self._failed(msg.error)

    def _failed(self, error: CorvoError) -> None:
        self._errors_total += 1
        self._busy_since_ns = None
        self._next_ns = self._clock.now_ns() + _RETRY_NS
        log.warning("schedule.refused", code=error.code, error=error.message)
        self._arm()

    # Telling

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        cron = TaskStatus(self._fired_total, self._errors_total, self._last_ns, self._skipped_total)
        self.send(sender, ScheduleFirerStatus(cron))
