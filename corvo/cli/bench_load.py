"""What `corvo bench` does to a server: producers and workers in threads, each with a connection of its own.

Every job that the server accepted is remembered, and every ack that it took. In the end the two must agree.
"""

import threading
import time
from collections.abc import Callable
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from corvo.cli.client import Api, Target
from corvo.cli.problems import Problem

#: How long an idle worker waits for jobs before it looks whether all is done.
_FETCH_S = 1
_LEASE_S = 300
#: Without any progress for so long, a run is given up.
_PATIENCE_S = 30.0


class Plan(NamedTuple):
    queue: str
    jobs: int
    producers: int
    workers: int
    #: Jobs in one request; 1 means the endpoints for single jobs.
    enqueue_batch: int
    fetch_batch: int
    payload_bytes: int
    #: A job goes in when the one before it was claimed.
    one_by_one: bool = False


class Figures:
    """What was measured. Threads only append, so no lock is needed."""

    def __init__(self) -> None:
        self.accepted: list[str] = []
        self.acked: list[str] = []
        self.skipped = 0
        #: Milliseconds of one request, by what it was for.
        self.latencies_ms: dict[str, list[float]] = {"enqueue": [], "fetch": [], "ack": [], "claimed": []}
        self.seconds: dict[str, float] = {}


class Load:
    def __init__(self, target: Target, plan: Plan, figures: Figures) -> None:
        self._target = target
        self._plan = plan
        self.figures = figures
        self._stopped = threading.Event()
        self._problems: SimpleQueue[Problem] = SimpleQueue()
        self._claimed: SimpleQueue[float] = SimpleQueue()
        self._left = iter(range(plan.jobs))
        self._lock = threading.Lock()
        self._filler = "x" * plan.payload_bytes

    def run(self, *, produce: bool, work: bool, name: str, progress: Callable[[int], None]) -> None:
        """Until all jobs are in, or all are done. Raises the first problem any thread had."""
        tasks: list[tuple[Any, ...]] = [(self._produce,)] * (self._plan.producers * produce)
        tasks += [(self._work, number) for number in range(self._plan.workers * work)]
        threads = [threading.Thread(target=self._guard, args=task) for task in tasks]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        done, done_at = 0, began
        try:
            while any(thread.is_alive() for thread in threads):
                now_done = len(self.figures.acked if work else self.figures.accepted)
                if now_done > done:
                    done, done_at = now_done, time.perf_counter()
                    progress(done)
                elif time.perf_counter() - done_at > _PATIENCE_S:
                    # What has not come by now is lost; the report will say so.
                    self._stopped.set()
                time.sleep(0.02)
        finally:
            self._stopped.set()
            for thread in threads:
                thread.join()
            self._stopped.clear()
        # Up to the last one: workers that find nothing more wait a while before they believe it.
        self.figures.seconds[name] = max(done_at - began, 0.001)
        try:
            raise self._problems.get_nowait()
        except Empty:
            return

    def _guard(self, task: Callable[..., None], *args: Any) -> None:
        try:
            task(Api(self._target), *args)
        except Problem as problem:
            self._problems.put(problem)
            self._stopped.set()

    def _timed(self, api: Api, what: str, path: str, body: Any) -> Any:
        began = time.perf_counter()
        # Without Idempotency-Key: that is measured which most clients do.
        answer = api.ask(path, body)
        self.figures.latencies_ms[what].append((time.perf_counter() - began) * 1_000)
        return answer

    # Producers

    def _produce(self, api: Api) -> None:
        size = self._plan.enqueue_batch
        while not self._stopped.is_set():
            numbers = self._take(size)
            jobs = [{"queue": self._plan.queue, "payload": {"n": n, "x": self._filler}} for n in numbers]
            if not jobs:
                return
            if size == 1:
                began = time.perf_counter()
                answer = self._timed(api, "enqueue", "/api/v1/enqueue", jobs[0])
                self.figures.accepted.append(answer["job_id"])
                if self._plan.one_by_one:
                    self._await_claim(began)
            else:
                answer = self._timed(api, "enqueue", "/api/v1/enqueue/batch", {"jobs": jobs})
                self.figures.accepted.extend(answer["job_ids"])

    def _await_claim(self, began: float) -> None:
        """The next job goes in only when a worker has this one."""
        while not self._stopped.is_set():
            try:
                claimed_at = self._claimed.get(timeout=_FETCH_S)
            except Empty:
                continue
            self.figures.latencies_ms["claimed"].append((claimed_at - began) * 1_000)
            return

    def _take(self, count: int) -> list[int]:
        with self._lock:
            return list(islice(self._left, count))

    # Workers

    def _work(self, api: Api, number: int) -> None:
        request = {"queues": [self._plan.queue], "worker_id": f"bench-{number}", "timeout": _FETCH_S}
        request |= {"lease_duration": _LEASE_S, "count": self._plan.fetch_batch}
        while not self._stopped.is_set() and len(self.figures.acked) + self.figures.skipped < self._plan.jobs:
            claimed = self._timed(api, "fetch", "/api/v1/fetch/batch", request)["jobs"]
            if claimed:
                if self._plan.one_by_one:
                    self._claimed.put(time.perf_counter())
                self._ack(api, claimed)

    def _ack(self, api: Api, claimed: list[dict[str, Any]]) -> None:
        if len(claimed) == 1:
            body = {"lease_token": claimed[0]["lease_token"]}
            self._timed(api, "ack", f"/api/v1/ack/{claimed[0]['job_id']}", body)
            self.figures.acked.append(claimed[0]["job_id"])
            return
        acks = [{"job_id": job["job_id"], "lease_token": job["lease_token"]} for job in claimed]
        answer = self._timed(api, "ack", "/api/v1/ack/batch", {"acks": acks})
        done = [result["job_id"] for result in answer["results"] if result["status"] == "ok"]
        self.figures.acked.extend(done)
        self.figures.skipped += len(claimed) - len(done)
