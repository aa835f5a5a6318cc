"""Single jobs: look at them, explain them, act on them; and finding them."""

from collections.abc import AsyncGenerator, Iterable
from typing import Any, Unpack

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import Call, path, read, write
from corvo_sdk.models.base import Status
from corvo_sdk.models.failures import Failures
from corvo_sdk.models.job import (
    Errors,
    Explanation,
    Found,
    FullText,
    Graph,
    History,
    Job,
    JobError,
    JobList,
    Page,
)
from corvo_sdk.options import Priority
from corvo_sdk.search import Filter, filter_body

_IDS_PER_REQUEST = 1_000


class AsyncJobs:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    # Looking

    async def get(self, job_id: str) -> Job:
        return await self._connection.send(read("GET", path("jobs", job_id), Job))

    async def get_many(self, job_ids: Iterable[str]) -> list[Job]:
        """In the order given; those that do not exist are left out."""
        ids = list(job_ids)
        found: list[Job] = []
        for start in range(0, len(ids), _IDS_PER_REQUEST):
            body = {"job_ids": ids[start : start + _IDS_PER_REQUEST]}
            answer = await self._connection.send(Call("POST", path("jobs", "bulk-get"), JobList, body))
            found += answer.jobs
        return found

    async def why(self, job_id: str) -> Explanation:
        """Why it is not running."""
        return await self._connection.send(read("GET", path("jobs", job_id, "explain"), Explanation))

    async def graph(self, job_id: str) -> Graph:
        """Its relatives: parent, chain, batch, dependencies."""
        return await self._connection.send(read("GET", path("jobs", job_id, "graph"), Graph))

    async def history(self, job_id: str) -> History:
        return await self._connection.send(read("GET", path("jobs", job_id, "events"), History))

    async def errors(self, job_id: str) -> AsyncGenerator[JobError, None]:
        """All there are, newest first, page by page as they are asked for; `get` has only the newest."""
        cursor: str | None = None
        while True:
            page = await self._connection.send(
                read("GET", path("jobs", job_id, "errors"), Errors, cursor=cursor)
            )
            for error in reversed(page.errors):
                yield error
            if not page.has_more or page.cursor is None:
                return
            cursor = page.cursor

    # Finding

    async def search(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[Filter]) -> Page:
        """One page of the jobs that match all filters."""
        body = filter_body(filters) | {"limit": limit}
        if cursor is not None:
            body["cursor"] = cursor
        return await self._connection.send(Call("POST", path("jobs", "search"), Page, body))

    async def find(self, **filters: Unpack[Filter]) -> AsyncGenerator[Job, None]:
        """All jobs that match, page by page as they are asked for."""
        cursor: str | None = None
        while True:
            page = await self.search(limit=_IDS_PER_REQUEST, cursor=cursor, **filters)
            for job in page.jobs:
                yield job
            if not page.has_more or page.cursor is None:
                return
            cursor = page.cursor

    async def dead(self, queue: str | None = None, *, limit: int = 50, cursor: str | None = None) -> Page:
        """Jobs that have failed for good, newest first."""
        return await self._connection.send(
            read("GET", path("dead"), Page, queue=queue, limit=limit, cursor=cursor)
        )

    async def failures(
        self, queue: str | None = None, *, query: str | None = None, limit: int = 50
    ) -> Failures:
        """Dead and retrying jobs grouped by error, most first. `failure` is a filter of `bulk`, too."""
        return await self._connection.send(
            read("GET", path("failures"), Failures, queue=queue, q=query, limit=limit)
        )

    async def full_text(self, words: str, *, limit: int = 50) -> list[Found]:
        """By the words of payload, tags, queue and id, newest first."""
        call = read("GET", path("search", "fulltext"), FullText, q=words, limit=limit)
        return (await self._connection.send(call)).results

    # Acting

    async def retry(self, job_id: str) -> str:
        """Run a job that has ended again, from its first attempt."""
        return await self._act(job_id, "retry")

    async def cancel(self, job_id: str) -> str:
        """Answers `cancelled`, or `cancelling` while a worker still has to hear of it."""
        return await self._act(job_id, "cancel")

    async def hold(self, job_id: str, reason: str | None = None) -> str:
        """Keep it from running until somebody approves it."""
        return await self._act(job_id, "hold", {"reason": reason} if reason else None)

    async def approve(self, job_id: str) -> str:
        return await self._act(job_id, "approve")

    async def reject(self, job_id: str, reason: str | None = None) -> str:
        return await self._act(job_id, "reject", {"reason": reason} if reason else None)

    async def move(self, job_id: str, queue: str) -> str:
        return await self._act(job_id, "move", {"queue": queue})

    async def change_priority(self, job_id: str, priority: Priority) -> str:
        return await self._act(job_id, "priority", {"priority": priority})

    async def delete(self, job_id: str) -> str:
        call = write("DELETE", path("jobs", job_id), Status)
        return (await self._connection.send(call)).status

    async def _act(self, job_id: str, action: str, body: Any = None) -> str:
        call = write("POST", path("jobs", job_id, action), Status, body)
        return (await self._connection.send(call)).status
