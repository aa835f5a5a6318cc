"""Ops of bulk tasks: written down first, then worked off step by step."""

from corvo.core.job import Priority
from corvo.ops.base import Op, op
from corvo.ops.job_admin import Action


@op
class CreateBulk(Op, frozen=True, tag=29):
    task_id: str
    action: Action
    queue: str | None
    priority: Priority | None
    reason: str | None
    rate: int | None


@op
class AddBulkIds(Op, frozen=True, tag=30):
    """One more step."""

    task_id: str
    job_ids: list[str]


@op
class StartBulk(Op, frozen=True, tag=31):
    """All steps are written down."""

    task_id: str


@op
class RunBulk(Op, frozen=True, tag=32):
    """Do this step, if it is the next one."""

    task_id: str
    chunk: int


@op
class CancelBulk(Op, frozen=True, tag=33):
    task_id: str


@op
class PurgeBulk(Op, frozen=True, tag=34):
    """Tasks that ended before this time are forgotten."""

    ended_before_ns: int
    limit: int
