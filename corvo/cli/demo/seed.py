"""Filling a server with demo data: jobs in every state, a batch, a chain, dependencies, limits, schedules."""

from collections.abc import Callable
from itertools import cycle, islice
from random import Random
from typing import Any

from corvo.cli.demo import sample_jobs
from corvo.cli.problems import ApiError
from corvo.cli.request.client import Api, segment

#: What becomes of a job; the shares are those of a server that is mostly well.
_FATES = (
    *("dead", "retrying", "scheduled", "held", "cancelled", "active", "pending", "completed"),
    *("completed", "pending", "completed", "completed", "dead", "completed", "pending", "completed"),
)
_LEASE_S = 3_600
_WORKERS = 3
_LIMIT = 4

_SCHEDULES = (
    ("nightly-revenue", "reports", "0 3 * * *"),
    ("invoices", "billing", "0 6 1 * *"),
    ("digest", "emails", "*/15 * * * *"),
)


class Seeding:
    def __init__(self, api: Api, prefix: str, random: Random, in_an_hour: str) -> None:
        self._api = api
        self._prefix = prefix
        self._random = random
        self._in_an_hour = in_an_hour

    def run(self, count: int, progress: Callable[[int], None]) -> int:
        """How many jobs there are now that were not before."""
        queues = list(sample_jobs.QUEUES)
        # Those a worker must have had first: fetching must find them and nothing else.
        fates = sorted(islice(cycle(_FATES), count), key=_needs_worker, reverse=True)
        for done, fate in enumerate(fates):
            self._make(queues[done % len(queues)], fate)
            progress(done + 1)
        made = count + self._flows()
        self._settings()
        return made

    def _make(self, queue: str, fate: str) -> None:
        job = sample_jobs.job(queue, self._random, self._prefix)
        if fate == "scheduled":
            job["scheduled_at"] = self._in_an_hour
        # First in line, so that the fetch that follows gets this one.
        if _needs_worker(fate):
            job["priority"] = "critical"
        job_id = self._api.post("/api/v1/enqueue", job)["job_id"]
        if fate == "held":
            self._act(job_id, "hold", {"reason": "amount above the limit of the month"})
        elif fate == "cancelled":
            self._act(job_id, "cancel", None)
        elif _needs_worker(fate):
            self._work(job["queue"], fate)

    def _act(self, job_id: str, verb: str, body: Any) -> None:
        self._api.post(f"/api/v1/jobs/{segment(job_id)}/{verb}", body)

    def _work(self, queue: str, fate: str) -> None:
        worker = self._random.randrange(_WORKERS)
        request = {"queues": [queue], "worker_id": f"demo-{worker}", "hostname": f"host-{worker}.example"}
        claimed = self._api.post("/api/v1/fetch", request | {"timeout": 1, "lease_duration": _LEASE_S})
        if claimed is None:
            return  # The queue is paused, or another worker was faster.
        job_id, token = claimed["job_id"], claimed["lease_token"]
        beat = {"lease_token": token, "progress": {"percent": self._random.randrange(10, 95)}}
        self._api.post("/api/v1/heartbeat", {"jobs": {job_id: beat}})
        if fate == "completed":
            self._api.post(f"/api/v1/ack/{segment(job_id)}", {"lease_token": token, "result": {"ok": True}})
        elif fate in ("dead", "retrying"):
            verdict = {"retry": False} if fate == "dead" else {"retry_after": "30m"}
            failure = {"error": self._random.choice(sample_jobs.ERRORS), "backtrace": sample_jobs.BACKTRACE}
            self._api.post(f"/api/v1/fail/{segment(job_id)}", {"lease_token": token} | failure | verdict)

    def _flows(self) -> int:
        """A batch with a callback, a chain, and a job that waits for the first one of the chain."""
        jobs = [sample_jobs.job("images", self._random, self._prefix) for _ in range(4)]
        batch = {"callback_queue": f"{self._prefix}emails", "callback_payload": {"template": "album-ready"}}
        self._api.post("/api/v1/enqueue/batch", {"jobs": jobs, "batch": batch})
        steps = [{"queue": f"{self._prefix}{queue}"} for queue in ("reports", "billing", "emails")]
        chain = sample_jobs.job("reports", self._random, self._prefix) | {"chain": {"steps": steps}}
        first = self._api.post("/api/v1/enqueue", chain)["job_id"]
        last = sample_jobs.job("webhooks", self._random, self._prefix) | {"depends_on": [first]}
        self._api.post("/api/v1/enqueue", last)
        return 6

    def _settings(self) -> None:
        images = f"/api/v1/queues/{segment(self._prefix + 'images')}"
        # No less than are active already: a limit that does not hold would be a bad example.
        most = max(_LIMIT, self._api.get(images)["active"])
        self._api.post(f"{images}/concurrency", {"max": most})
        throttle = {"rate": 50, "period": "1s"}
        self._api.post(f"/api/v1/queues/{segment(self._prefix + 'webhooks')}/throttle", throttle)
        for name, queue, cron in _SCHEDULES:
            self._schedule({"name": self._prefix + name, "queue": self._prefix + queue, "cron": cron})

    def _schedule(self, body: dict[str, Any]) -> None:
        try:
            self._api.post("/api/v1/schedules", body | {"payload": {"demo": True}})
        except ApiError as error:
            # There from the last time, or a server without schedules.
            if error.status not in (404, 405, 409):
                raise


def _needs_worker(fate: str) -> bool:
    return fate in ("completed", "dead", "retrying", "active")
