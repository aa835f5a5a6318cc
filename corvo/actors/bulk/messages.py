"""What is asked about bulk tasks."""

from corvo.actors.kernel.messages import Message
from corvo.core.bulk import BulkTask


class FindBulk(Message, frozen=True):
    """edge, bulk watch -> fsm. Answer: BulkMoved, or NotFound."""

    task_id: str


class ListBulk(Message, frozen=True):
    """edge -> fsm: tasks that are older than this one, newest first. Answer: BulkListed."""

    before_id: str | None
    limit: int


class ListUnfinishedBulk(Message, frozen=True):
    """bulk runner -> fsm: all tasks that have not ended. Answer: BulkListed."""


class BulkListed(Message, frozen=True):
    tasks: list[BulkTask]
    has_more: bool
