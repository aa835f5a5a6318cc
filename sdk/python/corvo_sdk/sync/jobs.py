# Made from corvo_sdk/aio/jobs.py by make_sync.py: change that file, then run `make sdk`.
"""Single jobs: look at them, explain them, act on them; and finding them."""

from collections.abc import Generator, Iterable
from typing import Any, Unpack

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
from corvo_sdk.sync.connection import Connection

_IDS_PER_REQUEST = 1_000


class Jobs:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # Looking

    def get(self, job_id: str) -> Job:
        return self._connection.send(read("GET", path("jobs", job_id), Job))

    def get_many(self, job_ids: Iterable[str]) -> list[Job]:
        """In the order given; those that do not exist are left out."""
        ids = list(job_ids)
        found: list[Job] = []
        for start in range(0, len(ids), _IDS_PER_REQUEST):
            body = {"job_ids": ids[start : start + _IDS_PER_REQUEST]}
            answer = self._connection.send(Call("POST", path("jobs", "bulk-get"), JobList, body))
            found += answer.jobs
        return found

    def why(self, job_id: str) -> Explanation:
        """Why it is not running."""
        return self._connection.send(read("GET", path("jobs", job_id, "explain"), Explanation))

    def graph(self, job_id: str) -> Graph:
        """Its relatives: parent, chain, batch, dependencies."""
        return self._connection.send(read("GET", path("jobs", job_id, "graph"), Graph))

    def history(self, job_id: str) -> History:
        return self._connection.send(read("GET", path("jobs", job_id, "events"), History))

    def errors(self, job_id: str) -> Generator[JobError, None, None]:
        """All there are, newest first, page by page as they are asked for; `get` has only the newest."""
        cursor: str | None = None
        while True:
            page = self._connection.send(read("GET", path("jobs", job_id, "errors"), Errors, cursor=cursor))
            for error in reversed(page.errors):
                yield error
            if not page.has_more or page.cursor is None:
                return
            cursor = page.cursor

    # Finding

    def search(self, *, limit: int = 50, cursor: str | None = None, **filters: Unpack[Filter]) -> Page:
        """One page of the jobs that match all filters."""
        body = filter_body(filters) | {"limit": limit}
        if cursor is not None:
            body["cursor"] = cursor
        return self._connection.send(Call("POST", path("jobs", "search"), Page, body))

    def find(self, **filters: Unpack[Filter]) -> Generator[Job, None, None]:
        """All jobs that match, page by page as they are asked for."""
        cursor: str | None = None
        while True:
            page = self.search(limit=_IDS_PER_REQUEST, cursor=cursor, **filters)
            for job in page.jobs:
                yield job
            if not page.has_more or page.cursor is None:
                return
            cursor = page.cursor

    def dead(self, queue: str | None = None, *, limit: int = 50, cursor: str | None = None) -> Page:
        """Jobs that have failed for good, newest first."""
        return self._connection.send(read("GET", path("dead"), Page, queue=queue, limit=limit, cursor=cursor))

    def failures(self, queue: str | None = None, *, query: str | None = None, limit: int = 50) -> Failures:
        """Dead and retrying jobs grouped by error, most first. `failure` is a filter of `bulk`, too."""
        return self._connection.send(
            read("GET", path("failures"), Failures, queue=queue, q=query, limit=limit)
        )

    def full_text(self, words: str, *, limit: int = 50) -> list[Found]:
        """By the words of payload, tags, queue and id, newest first."""
        call = read("GET", path("search", "fulltext"), FullText, q=words, limit=limit)
        return (self._connection.send(call)).results

    # Acting

    def retry(self, job_id: str) -> str:
        """Run a job that has ended again, from its first attempt."""
        return self._act(job_id, "retry")

    def cancel(self, job_id: str) -> str:
        """Answers `cancelled`, or `cancelling` while a worker still has to hear of it."""
        return self._act(job_id, "cancel")

    def hold(self, job_id: str, reason: str | None = None) -> str:
        """Keep it from running until somebody approves it."""
        return self._act(job_id, "hold", {"reason": reason} if reason else None)

    def approve(self, job_id: str) -> str:
        return self._act(job_id, "approve")

    def reject(self, job_id: str, reason: str | None = None) -> str:
        return self._act(job_id, "reject", {"reason": reason} if reason else None)

    def move(self, job_id: str, queue: str) -> str:
        return self._act(job_id, "move", {"queue": queue})

    def change_priority(self, job_id: str, priority: Priority) -> str:
        return self._act(job_id, "priority", {"priority": priority})

    def delete(self, job_id: str) -> str:
        call = write("DELETE", path("jobs", job_id), Status)
        return (self._connection.send(call)).status

    def _act(self, job_id: str, action: str, body: Any = None) -> str:
        call = write("POST", path("jobs", job_id, action), Status, body)
        return (self._connection.send(call)).status
