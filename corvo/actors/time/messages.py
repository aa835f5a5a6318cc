"""What is asked about schedules."""

from corvo.actors.kernel.messages import Message
from corvo.core.schedule import Schedule


class FindSchedule(Message, frozen=True):
    """edge -> fsm: a schedule by its id or its name. Answer: ScheduleFound, or NotFound."""

    id_or_name: str


class ScheduleFound(Message, frozen=True):
    schedule: Schedule


class ListSchedules(Message, frozen=True):
    """edge -> fsm: schedules whose names come after this one, in order. Answer: SchedulesListed."""

    after: str
    limit: int


class SchedulesListed(Message, frozen=True):
    schedules: list[Schedule]
    #: There are others after these.
    more: bool


class FindDueSchedules(Message, frozen=True):
    """timekeeper -> fsm: schedules whose time has come. Answer: SchedulesDue."""

    now_ns: int
    limit: int


class SchedulesDue(Message, frozen=True):
    schedules: list[Schedule]
    #: The earliest time of any schedule, of those found if there are any.
    next_ns: int | None
