"""What is asked about batches, besides a single one."""

from corvo.actors.kernel.messages import Message
from corvo.core.batch import Batch


class ListBatches(Message, frozen=True):
    """edge -> fsm: batches that are older than this one, newest first. Answer: BatchesListed."""

    before_id: str | None
    limit: int


class BatchesListed(Message, frozen=True):
    batches: list[Batch]
    has_more: bool
