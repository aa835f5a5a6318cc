"""Ops by which people change what becomes of jobs."""

import enum

from corvo.core.namespace import Qualified, Reach
from corvo.core.priority import Priority
from corvo.ops.base import Op, op


class Action(enum.IntEnum):
    """Stored as the number, shown as the lower-case name."""

    RETRY = 1
    REQUEUE = 2
    CANCEL = 3
    HOLD = 4
    APPROVE = 5
    REJECT = 6
    MOVE = 7
    CHANGE_PRIORITY = 8
    DELETE = 9


@op
class Act(Op, frozen=True, tag=17):
    action: Action
    job_id: str
    #: Where to, for a move.
    queue: Qualified | None = None
    priority: Priority | None = None
    reason: str | None = None
    reach: Reach | None = None


@op
class ActMany(Op, frozen=True, tag=18):
    """One action for many jobs; jobs whose state does not allow it are skipped."""

    action: Action
    job_ids: list[str]
    queue: Qualified | None = None
    priority: Priority | None = None
    reason: str | None = None
    reach: Reach | None = None
