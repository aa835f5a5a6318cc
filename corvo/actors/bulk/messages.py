"""Messages about bulk tasks: questions, and what watchers are told."""

from collections.abc import Callable

import msgspec

from corvo.actors.channel import Channel
from corvo.actors.kernel.messages import Message
from corvo.core.bulk import BulkTask
from corvo.core.job import Job
from corvo.core.namespace import Reach

# Questions


class FindBulk(Message, frozen=True):
    """edge, bulk watch -> fsm. Answer: BulkMoved, or NotFound."""

    task_id: str
    reach: Reach | None = None


class BulkMoved(Message, frozen=True):
    """fsm -> bulk runner, bulk watch: this is how a task stands now."""

    task: BulkTask


class ListBulk(Message, frozen=True):
    """edge -> fsm: tasks that are older than this one, newest first. Answer: BulkListed."""

    before_id: str | None
    limit: int
    reach: Reach | None = None


class ListUnfinishedBulk(Message, frozen=True):
    """bulk runner -> fsm: all tasks that have not ended. Answer: BulkListed."""


class BulkListed(Message, frozen=True):
    tasks: list[BulkTask]
    has_more: bool


# Resealing


class FindBulkIds(Message, frozen=True):
    """reseal steps -> fsm: the jobs of a step. Answer: BulkIdsFound; none if the step is done."""

    task_id: str
    chunk: int


class BulkIdsFound(Message, frozen=True):
    job_ids: list[str]


class ReadStored(Message, frozen=True):
    """reseal steps -> fsm: the first of these jobs as they are stored, up to about so many bytes. Answer:
    StoredRead."""

    job_ids: list[str]
    bytes_max: int
    #: What whoever made the task may touch.
    reach: Reach | None


class StoredJob(msgspec.Struct, frozen=True):
    job: Job
    payload: bytes
    #: By number, each as it is stored.
    errors: dict[int, bytes]


class StoredRead(Message, frozen=True):
    #: How many of the ids were looked at.
    count: int
    jobs: list[StoredJob]


# Watching


class WatchBulk(Message, frozen=True):
    """edge -> bulk watch: send this channel how the task stands, until it ends. Answer: Watching."""

    task_id: str
    channel: Channel


class Watching(Message, frozen=True):
    accepted: bool


class StopWatching(Message, frozen=True):
    """edge -> bulk watch: the reader of this channel is gone."""

    task_id: str
    channel: Channel


class CloseWatch(Message, frozen=True):
    """shutdown -> bulk watch: end all streams."""


class BulkWording(msgspec.Struct, frozen=True):
    """How a task is written to a stream; given by the edge, which knows the format."""

    moved: Callable[[BulkTask], bytes]
    keep_alive: bytes
