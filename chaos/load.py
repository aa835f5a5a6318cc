"""Producers and workers that go on through restarts, and write down what they were told."""

import random
import threading
import time
from collections.abc import Callable

from chaos.history import History
from chaos.process import Client

LEASE_S = 10


class Load:
    """Threads that run until stopped."""

    def __init__(self, port: int, history: History, *, producers: int, workers: int, seed: int) -> None:
        self._stop = threading.Event()
        self._port = port
        self._history = history
        self._errors: list[str] = []
        self._threads = [
            threading.Thread(
                target=self._guard, args=(self._produce, random.Random(seed + n), n), daemon=True
            )
            for n in range(producers)
        ]
        self._threads += [
            threading.Thread(
                target=self._guard, args=(self._work, random.Random(seed + 100 + n), n), daemon=True
            )
            for n in range(workers)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> list[str]:
        """Sentences about anything clients saw that no client should see."""
        self._stop.set()
        for thread in self._threads:
            thread.join(60)
        return self._errors

    def _guard(
        self, body: Callable[[Client, random.Random, int], None], chance: random.Random, number: int
    ) -> None:
        try:
            with Client(self._port) as client:
                body(client, chance, number)
        except Exception as error:
            self._errors.append(f"a client failed: {error!r}")

    def _produce(self, client: Client, chance: random.Random, number: int) -> None:
        sent = 0
        while not self._stop.is_set():
            sent += 1
            job = {
                "queue": f"q{chance.randrange(3)}",
                "payload": {"n": sent, "by": number},
                "max_retries": 1_000,
            }
            try:
                if chance.random() < 0.3:
                    jobs = [job] * chance.randrange(1, 40)
                    status, body = client.call("POST", "/api/v1/enqueue/batch", {"jobs": jobs})
                    if status == 201:
                        self._history.accept(*body["job_ids"])
                else:
                    status, body = client.call("POST", "/api/v1/enqueue", job)
                    if status == 201:
                        self._history.accept(body["job_id"])
            except OSError:
                self._pause()
                continue
            if status not in (201, 429, 503):
                self._errors.append(f"enqueue was answered {status}: {body}")

    def _work(self, client: Client, chance: random.Random, number: int) -> None:
        while not self._stop.is_set():
            request = {
                "queues": ["q0", "q1", "q2"],
                "worker_id": f"worker-{number}",
                "timeout": 1,
                "lease_duration": LEASE_S,
                "count": chance.randrange(1, 20),
            }
            try:
                status, body = client.call("POST", "/api/v1/fetch/batch", request)
                if status != 200:
                    self._pause()
                    continue
                for job in body["jobs"]:
                    self._history.claim(job["job_id"], job["lease_token"], job["lease_version"], LEASE_S)
                for job in body["jobs"]:
                    self._finish(client, chance, job["job_id"], job["lease_token"])
            except OSError:
                # The claim may have been made and its answer lost: then its lease runs out unused.
                self._history.shrug()
                self._pause()

    def _finish(self, client: Client, chance: random.Random, job_id: str, token: str) -> None:
        if chance.random() < 0.1:
            self._history.end(token)  # From here on the lease may be over, whatever the answer.
            client.call("POST", f"/api/v1/release/{job_id}", {"lease_token": token})
            return
        if chance.random() < 0.1:
            self._history.end(token)
            client.call(
                "POST",
                f"/api/v1/fail/{job_id}",
                {"lease_token": token, "error": "chance", "retry_after": "0"},
            )
            return
        status, body = client.call(
            "POST", f"/api/v1/ack/{job_id}", {"lease_token": token, "result": {"by": token}}
        )
        if status == 200:
            self._history.ack(job_id, token)
            self._history.end(token)
        elif status not in (409, 429, 503):
            self._errors.append(f"the ack of {job_id} was answered {status}: {body}")

    def _pause(self) -> None:
        self._stop.wait(0.05)


def drain(port: int, history: History, seconds: float = 120.0) -> bool:
    """Finish everything that is left, until every accepted job is done."""
    deadline = time.monotonic() + seconds
    with Client(port) as client:
        while time.monotonic() < deadline:
            if not _finish_some(client, history) and _is_drained(client):
                return True
    return False


def _finish_some(client: Client, history: History) -> bool:
    request = {
        "queues": ["q0", "q1", "q2"],
        "worker_id": "drain",
        "timeout": 1,
        "count": 500,
        "lease_duration": LEASE_S,
    }
    _, body = client.call("POST", "/api/v1/fetch/batch", request)
    jobs = body["jobs"]
    for job in jobs:
        history.claim(job["job_id"], job["lease_token"], job["lease_version"], LEASE_S)
    if jobs:
        acks = [{"job_id": job["job_id"], "lease_token": job["lease_token"]} for job in jobs]
        status, body = client.call("POST", "/api/v1/ack/batch", {"acks": acks})
        assert status == 200, body
    for job in jobs:
        history.ack(job["job_id"], job["lease_token"])
        history.end(job["lease_token"])
    return bool(jobs)


def _is_drained(client: Client) -> bool:
    _, queues = client.call("GET", "/api/v1/queues")
    waiting = ("pending", "active", "retrying", "scheduled")
    return all(not queue[state] for queue in queues for state in waiting)
