"""Ops of bulk tasks: written down first, then worked off step by step."""

from corvo.core.namespace import Qualified, Reach
from corvo.core.priority import Priority
from corvo.ops.base import Op, op
from corvo.ops.job_admin import Action


@op
class CreateBulk(Op, frozen=True, tag=29):
    task_id: str
    action: Action
    queue: Qualified | None
    priority: Priority | None
    reason: str | None
    rate: int | None
    #: The search that finds its jobs, as JSON; None if they are written down in the same entry.
    filter: bytes | None = None
    #: How many jobs it will have, as far as is known.
    expected: int = 0
    reach: Reach | None = None
    #: The principal that asked for it; empty if nobody knows.
    by: str = ""


@op
class AddBulkIds(Op, frozen=True, tag=30):
    """One more step, if it is the next one."""

    task_id: str
    chunk: int
    job_ids: list[str]
    #: Where the search goes on.
    cursor: str | None = None


@op
class StartBulk(Op, frozen=True, tag=31):
    """All steps are written down, if there are this many."""

    task_id: str
    chunks: int


@op
class RunBulk(Op, frozen=True, tag=32):
    """Do this step, if it is the next one."""

    task_id: str
    chunk: int


@op
class CancelBulk(Op, frozen=True, tag=33):
    """End the task now: cancelled, or failed if an error is given."""

    task_id: str
    error: str | None = None
    reach: Reach | None = None


@op
class PurgeBulk(Op, frozen=True, tag=34):
    """Tasks that ended before this time are forgotten."""

    ended_before_ns: int
    limit: int
