"""Producers and workers that go on through restarts, and write down what they were told."""

import random
import threading
import time
from collections.abc import Callable

from chaos.history import History
from chaos.process import Address, Client

LEASE_S = 10
QUEUES = ["q0", "q1", "q2"]


class Load:
    """Threads that run until stopped."""

    def __init__(
        self,
        *addresses: Address,
        history: History,
        producers: int,
        workers: int,
        seed: int,
        pace_s: float = 0.0,
    ) -> None:
        self._stop = threading.Event()
        #: How long a producer rests after each request. What was produced has to be finished in the end.
        self._pace_s = pace_s
        self._addresses = addresses
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
            with self._client(number) as client:
                body(client, chance, number)
        except Exception as error:
            self._errors.append(f"a client failed: {error!r}")

    def _produce(self, client: Client, chance: random.Random, number: int) -> None:
        sent = 0
        while not self._stop.is_set():
            sent += 1
            job = {
                "queue": chance.choice(QUEUES),
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
            if self._pace_s:
                self._stop.wait(self._pace_s)

    def _work(self, client: Client, chance: random.Random, number: int) -> None:
        while not self._stop.is_set():
            request = {
                "queues": QUEUES,
                "worker_id": f"worker-{number}",
                "timeout": 1,
                "lease_duration": LEASE_S,
                "count": chance.randrange(1, 20),
            }
            # A lease begins when it is granted: after it was asked for, and maybe long before it is heard of.
            until_s = time.monotonic() + LEASE_S
            try:
                status, body = client.call("POST", "/api/v1/fetch/batch", request)
                if status != 200:
                    self._pause()
                    continue
                for job in body["jobs"]:
                    self._history.claim(job["job_id"], job["lease_token"], job["lease_version"], until_s)
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

    def _client(self, number: int) -> Client:
        """Clients begin at different nodes."""
        first = number % len(self._addresses)
        return Client(*self._addresses[first:], *self._addresses[:first])

    def _pause(self) -> None:
        self._stop.wait(0.05)


def drain(history: History, *addresses: Address, seconds: float = 120.0) -> bool:
    """Finish everything that is left, until every accepted job is done."""
    deadline = time.monotonic() + seconds
    with Client(*addresses) as client:
        while time.monotonic() < deadline:
            if not _finish_some(client, history) and _is_drained(client):
                return True
    return False


def _finish_some(client: Client, history: History) -> bool:
    request = {
        "queues": QUEUES,
        "worker_id": "drain",
        "timeout": 1,
        "count": 500,
        "lease_duration": LEASE_S,
    }
    until_s = time.monotonic() + LEASE_S
    status, body = client.call("POST", "/api/v1/fetch/batch", request)
    if status != 200:
        time.sleep(0.05)  # Somebody is being elected, or is busy.
        return True
    jobs = body["jobs"]
    for job in jobs:
        history.claim(job["job_id"], job["lease_token"], job["lease_version"], until_s)
    if not jobs:
        return False
    acks = [{"job_id": job["job_id"], "lease_token": job["lease_token"]} for job in jobs]
    status, body = client.call("POST", "/api/v1/ack/batch", {"acks": acks})
    if status == 200:
        for ack, result in zip(acks, body["results"], strict=True):
            if result["status"] == "ok":
                history.ack(ack["job_id"], ack["lease_token"])
                history.end(ack["lease_token"])
    return True


def _is_drained(client: Client) -> bool:
    _, queues = client.call("GET", "/api/v1/queues")
    waiting = ("pending", "active", "retrying", "scheduled")
    return all(not queue[state] for queue in queues if queue["name"] in QUEUES for state in waiting)
