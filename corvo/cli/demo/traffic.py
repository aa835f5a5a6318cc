"""Traffic for demonstrations: a producer and a few workers, in threads, until told to stop."""

import threading
from random import Random
from typing import Any

from corvo.cli.demo import sample_jobs
from corvo.cli.problems import Problem
from corvo.cli.request.client import Api, Target, segment

_WORKERS = 3
#: A job does its work in so many steps, with a sign of life after each.
_STEPS = 4
_FAILURES = 0.08


class Traffic:
    def __init__(self, target: Target, jobs_per_s: float) -> None:
        self._target = target
        self._pause_s = 1 / jobs_per_s
        self._stopped = threading.Event()
        self._threads = [threading.Thread(target=self._produce, daemon=True)]
        self._threads += [
            threading.Thread(target=self._work, args=(number,), daemon=True) for number in range(_WORKERS)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopped.set()

    def _produce(self) -> None:
        api, random = Api(self._target), Random()  # noqa: S311 - made-up jobs, not secrets
        while not self._stopped.wait(random.uniform(0, 2 * self._pause_s)):
            queue = random.choice(list(sample_jobs.QUEUES))
            self._say(api, "/api/v1/enqueue", sample_jobs.job(queue, random))

    def _work(self, number: int) -> None:
        api, random = Api(self._target), Random()  # noqa: S311 - see above
        request = {"queues": list(sample_jobs.QUEUES), "worker_id": f"dev-{number}", "hostname": "localhost"}
        while not self._stopped.is_set():
            job = self._say(api, "/api/v1/fetch", request | {"timeout": 5, "lease_duration": 30})
            if job:
                self._handle(api, random, job)

    def _handle(self, api: Api, random: Random, job: dict[str, Any]) -> None:
        usual_s = sample_jobs.QUEUES.get(job["queue"], 0.2)
        job_id, lease = job["job_id"], {"lease_token": job["lease_token"]}
        for step in range(1, _STEPS + 1):
            # A worker that is told to stop leaves its job; it comes back when the lease is over.
            if self._stopped.wait(random.uniform(0.5, 1.5) * usual_s / _STEPS):
                return
            beat = lease | {"progress": {"percent": 100 * step // _STEPS}}
            answer = self._say(api, "/api/v1/heartbeat", {"jobs": {job_id: beat}})
            if answer and answer["jobs"][job_id]["status"] == "cancel":
                return
        if random.random() < _FAILURES:
            failure = {"error": random.choice(sample_jobs.ERRORS), "backtrace": sample_jobs.BACKTRACE}
            self._say(api, f"/api/v1/fail/{segment(job_id)}", lease | failure)
        else:
            self._say(api, f"/api/v1/ack/{segment(job_id)}", lease | {"result": {"ok": True}})

    def _say(self, api: Api, path: str, body: Any) -> Any:
        try:
            return api.post(path, body)
        except Problem:
            # The node is stopping, or busy: this is only for show.
            self._stopped.wait(0.5)
            return None
