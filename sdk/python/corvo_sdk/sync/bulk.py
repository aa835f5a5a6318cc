# Made from corvo_sdk/aio/bulk.py by make_sync.py: change that file, then run `make sdk`.
"""Many jobs at once, by id or by filter."""

import time
from collections.abc import Generator, Sequence
from typing import Any, Literal, TypedDict, Unpack

import msgspec

from corvo_sdk.call import Call, path, read, write
from corvo_sdk.models.job import BulkDone, BulkProgress, BulkTask, BulkTasks
from corvo_sdk.options import Priority
from corvo_sdk.search import Filter, filter_body
from corvo_sdk.sync.connection import Connection
from corvo_sdk.sync.events import SILENCE_S

Action = Literal[
    "retry", "delete", "cancel", "move", "requeue", "change_priority", "hold", "approve", "reject"
]


class BulkOptions(TypedDict, total=False):
    """What some actions need, and how it is done."""

    job_ids: Sequence[str]
    filter: Filter
    move_to_queue: str
    priority: Priority
    #: In the background, at this many jobs a second.
    rate: int
    #: Change nothing; count what would be changed.
    dry_run: bool


class Bulk:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __call__(
        self, action: Action, *, background: bool = False, **options: Unpack[BulkOptions]
    ) -> BulkDone:
        """Do it now, or begin it in the background: then follow it by `bulk_operation_id`."""
        body: dict[str, Any] = {"action": action, **options}
        if "filter" in options:
            body["filter"] = filter_body(options["filter"])
        if background:
            body["async"] = True
        return self._connection.send(write("POST", path("jobs", "bulk"), BulkDone, body))

    def all(self) -> list[BulkTask]:
        """Those of the last day, newest first."""
        found: list[BulkTask] = []
        cursor: str | None = None
        while True:
            page = self._connection.send(read("GET", path("bulk"), BulkTasks, limit=200, cursor=cursor))
            found += page.tasks
            if not page.has_more:
                return found
            cursor = page.cursor

    def get(self, task_id: str) -> BulkTask:
        return self._connection.send(read("GET", path("bulk", task_id), BulkTask))

    def cancel(self, task_id: str) -> BulkTask:
        """Stop it; what is done stays done."""
        return self._connection.send(write("POST", path("bulk", task_id, "cancel"), BulkTask))

    def progress(self, task_id: str) -> Generator[BulkProgress, None, None]:
        """How far it is, as it goes, until it has ended."""
        call = Call("GET", path("bulk", task_id, "progress"), type(None), silence_s=SILENCE_S)
        with self._connection.lines(call) as lines:
            for line in lines:
                if line.startswith("data: "):
                    yield msgspec.json.decode(line[6:], type=BulkProgress)

    def wait(self, task_id: str) -> BulkTask:
        """The task when it has ended."""
        while True:
            task = self.get(task_id)
            if task.ended:
                return task
            time.sleep(0.2)
