"""Ops about schedules. Fire times are fields: the state machine knows no calendar (core/schedule.py)."""

from corvo.core.namespace import Reach
from corvo.core.schedule import Plan
from corvo.ops.base import Op, op


@op
class SetSchedule(Op, frozen=True, tag=35):
    """Make a schedule, or change one if its plan still has the version that was read."""

    schedule_id: str
    #: None to make a new one.
    version: int | None
    plan: Plan
    #: When it fires next by this plan; ignored if fire times stay as they are.
    next_ns: int | None
    #: Up to where fire times had been dealt with when that was computed.
    dealt_ns: int = 0
    reach: Reach | None = None


@op
class DeleteSchedule(Op, frozen=True, tag=36):
    schedule_id: str
    reach: Reach | None = None


@op
class FireSchedule(Op, frozen=True, tag=37):
    """Make the jobs that are due, if that has not been done yet.

    It holds for the plan it was computed from and for the fire time that was next then. So of the ops of
    two leaders, or of one leader that got no answer and asked again, only the first has an effect.
    """

    schedule_id: str
    version: int
    due_ns: int
    #: Fire times that get a job, oldest first.
    slots: tuple[int, ...]
    #: The latest one that was missed and is left out.
    missed_ns: int | None
    next_ns: int | None


@op
class RunSchedule(Op, frozen=True, tag=38):
    """Make one job now; fire times stay as they are."""

    schedule_id: str
    reach: Reach | None = None
