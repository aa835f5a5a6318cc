"""Ops by which people change what becomes of jobs."""

import enum
from typing import Final

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
    #: Not for single jobs: only a bulk task does it.
    DELETE_NAMESPACE = 10
    #: Seal with the current key. For bulk tasks, whose steps bring what has to be written (ops/reseal.py).
    RESEAL = 11


#: What can be done to a job.
ON_JOBS: Final = tuple(action for action in Action if action is not Action.DELETE_NAMESPACE)


@op
class Act(Op, frozen=True, tag=17):
    action: Action
    job_id: str
    #: Where to, for a move.
    queue: Qualified | None = None
    priority: Priority | None = None
    reason: str | None = None
    reach: Reach | None = None
    #: The principal that asked for it; empty if nobody knows.
    by: str = ""


@op
class ActMany(Op, frozen=True, tag=18):
    """One action for many jobs; jobs whose state does not allow it are skipped."""

    action: Action
    job_ids: list[str]
    queue: Qualified | None = None
    priority: Priority | None = None
    reason: str | None = None
    reach: Reach | None = None
    by: str = ""
