"""A server of one's own for a test: enqueue, push the clock, run handlers, look."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from corvo_sdk.errors import NotFound
from corvo_sdk.models.job import Job
from corvo_sdk.models.server import Queue
from corvo_sdk.retrying import NO_RETRIES
from corvo_sdk.sync.client import Client
from corvo_sdk.worker.app import Worker

try:
    from corvo.testing import LocalServer, TestClock
except ModuleNotFoundError as missing:
    raise ImportError("the testing aids start a real server: pip install corvo-sdk[testing]") from missing


@dataclass(frozen=True, slots=True)
class DrainReport:
    """What came of running everything there was to run."""

    completed: int
    #: Attempts that failed, whether the job is tried again or dead.
    failed: int


class Sandbox:
    def __init__(self, server: LocalServer) -> None:
        self._server = server
        self.client = Client(server.url, retry=NO_RETRIES)

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def clock(self) -> TestClock:
        """The server's. Time goes on as usual; `clock.advance("2h")` pushes it.

        That returns when everything that has become due by then is done: delayed jobs are pending, leases
        have run out, schedules have fired.
        """
        return self._server.clock

    # Running

    def drain(self, *queues: str, worker: Worker, timeout_s: float = 30.0) -> DrainReport:
        """Run the worker's real handlers until these queues (or all of its queues) have nothing left to run.

        Jobs that wait for their time stay: push the clock and drain again.
        """
        names = queues or tuple(worker.queues)
        before = [self._queue(name) for name in names]
        with worker.running(url=self.url, queues=names):
            deadline = time.monotonic() + timeout_s
            while left := [name for name in names if self._is_busy(name)]:
                if time.monotonic() > deadline:
                    raise AssertionError(f"still busy after {timeout_s:g} s: {', '.join(left)}")
                time.sleep(0.01)
        after = [self._queue(name) for name in names]
        return DrainReport(
            completed=sum(q.completed_total for q in after) - sum(q.completed_total for q in before),
            failed=sum(q.failed for q in after) - sum(q.failed for q in before),
        )

    def _is_busy(self, name: str) -> bool:
        queue = self._queue(name)
        waiting = 0 if queue.paused else queue.pending - queue.blocked
        return bool(waiting or queue.active)

    def _queue(self, name: str) -> Queue:
        try:
            return self.client.queues.get(name)
        except NotFound:
            return Queue(name=name)

    # Looking

    def jobs(self, queue: str) -> list[Job]:
        """All jobs of a queue, in the order they were enqueued."""
        found = self.client.jobs.find(queue=queue, order="asc", sort="created_at")
        return self.client.jobs.get_many(job.id for job in found)

    def assert_enqueued(
        self, queue: str, *, payload: Any = None, count: int | None = None, **fields: Any
    ) -> Job:
        """There is such a job: the first one is returned.

        A payload that is an object matches if it holds at least these members. Other fields are those of Job,
        such as state="scheduled" or unique_key="order-7".
        """
        jobs = self.jobs(queue)
        matching = [job for job in jobs if _matches(job, payload, fields)]
        if (count is None and matching) or (count is not None and len(matching) == count):
            return matching[0] if matching else Job(id="", queue=queue, state="")
        wanted = {"payload": payload, **fields}
        seen = "".join(f"\n  {job.id} {job.state} {job.payload!r}" for job in jobs) or " none"
        raise AssertionError(
            f"{len(matching)} jobs in {queue!r} match {wanted}, not {'some' if count is None else count}."
            f" There are:{seen}"
        )

    def refute_enqueued(self, queue: str, *, payload: Any = None, **fields: Any) -> None:
        """There is no such job."""
        self.assert_enqueued(queue, payload=payload, count=0, **fields)


def _matches(job: Job, payload: Any, fields: dict[str, Any]) -> bool:
    if isinstance(payload, dict) and isinstance(job.payload, dict):
        if any(job.payload.get(name, ...) != value for name, value in payload.items()):
            return False
    elif payload is not None and job.payload != payload:
        return False
    return all(getattr(job, name) == value for name, value in fields.items())


@contextmanager
def sandbox(**settings: Any) -> Iterator[Sandbox]:
    """A server that lasts as long as the `with`. Settings are those of `corvo serve`."""
    with LocalServer(**settings) as server:
        box = Sandbox(server)
        try:
            yield box
        finally:
            box.client.close()
