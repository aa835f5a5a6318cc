"""Messages about schedules, and about what becomes due."""

from corvo.actors.kernel.messages import Message
from corvo.core.namespace import Reach
from corvo.core.schedule import Schedule

# Schedules


class FindSchedule(Message, frozen=True):
    """edge -> fsm: a schedule by its id or its name. Answer: ScheduleFound, or NotFound."""

    #: A name as its owner knows it.
    id_or_name: str
    reach: Reach | None = None


class ScheduleFound(Message, frozen=True):
    schedule: Schedule


class ListSchedules(Message, frozen=True):
    """edge -> fsm: schedules whose names come after this one, in order. Answer: SchedulesListed."""

    #: A name as its owner knows it.
    after: str
    limit: int
    reach: Reach | None = None


class SchedulesListed(Message, frozen=True):
    schedules: list[Schedule]
    #: There are others after these.
    more: bool


class FindDueSchedules(Message, frozen=True):
    """schedule firer -> fsm: schedules whose time has come. Answer: SchedulesDue."""

    now_ns: int
    limit: int


class SchedulesDue(Message, frozen=True):
    schedules: list[Schedule]
    #: The earliest fire time of any schedule, due or not.
    next_ns: int | None


# Due times

#: Not key families, but the state machine tells of them in the same way.
EVENTS = b"events"
WORKERS = b"workers"
AUDIT = b"audit"


class LookDue(Message, frozen=True):
    """scheduler -> fsm: when is the next thing of this family due? Answer: DueFound."""

    family: bytes
    #: Of things that are kept up to a number: more than this many are due at once.
    kept_max: int = 0


class DueFound(Message, frozen=True):
    family: bytes
    at_ns: int | None


class DueChanged(Message, frozen=True):
    """fsm -> scheduler, schedule firer: in these families something may be due earlier than you know."""

    due: dict[bytes, int]
