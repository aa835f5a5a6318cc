"""Many jobs at once, by id or by filter."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal, TypedDict, Unpack

import msgspec

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.aio.events import SILENCE_S
from corvo_sdk.call import Call, path, read, write
from corvo_sdk.models.job import BulkDone, BulkProgress, BulkTask, BulkTasks
from corvo_sdk.options import Priority
from corvo_sdk.search import Filter, filter_body

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


class AsyncBulk:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def __call__(
        self, action: Action, *, background: bool = False, **options: Unpack[BulkOptions]
    ) -> BulkDone:
        """Do it now, or begin it in the background: then follow it by `bulk_operation_id`."""
        body: dict[str, Any] = {"action": action, **options}
        if "filter" in options:
            body["filter"] = filter_body(options["filter"])
        if background:
            body["async"] = True
        return await self._connection.send(write("POST", path("jobs", "bulk"), BulkDone, body))

    async def all(self) -> list[BulkTask]:
        """Those of the last day, newest first."""
        found: list[BulkTask] = []
        cursor: str | None = None
        while True:
            page = await self._connection.send(read("GET", path("bulk"), BulkTasks, limit=200, cursor=cursor))
            found += page.tasks
            if not page.has_more:
                return found
            cursor = page.cursor

    async def get(self, task_id: str) -> BulkTask:
        return await self._connection.send(read("GET", path("bulk", task_id), BulkTask))

    async def cancel(self, task_id: str) -> BulkTask:
        """Stop it; what is done stays done."""
        return await self._connection.send(write("POST", path("bulk", task_id, "cancel"), BulkTask))

    async def progress(self, task_id: str) -> AsyncGenerator[BulkProgress, None]:
        """How far it is, as it goes, until it has ended."""
        call = Call("GET", path("bulk", task_id, "progress"), type(None), silence_s=SILENCE_S)
        async with self._connection.lines(call) as lines:
            async for line in lines:
                if line.startswith("data: "):
                    yield msgspec.json.decode(line[6:], type=BulkProgress)

    async def wait(self, task_id: str) -> BulkTask:
        """The task when it has ended."""
        while True:
            task = await self.get(task_id)
            if task.ended:
                return task
            await asyncio.sleep(0.2)
