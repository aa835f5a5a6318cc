"""Batches over kill -9: ten jobs that end in any way, and exactly one callback with the right counts.

Every way of ending is a generator that stops at each place where the node is to be killed. All of them go on
in step, so one kill hits all batches at once, each in the middle of something. Some requests are sent and the
node is killed without reading the answer: nobody knows whether they were done, and they are repeated.
"""

import json
import socket
import time

import pytest

from chaos.process import Client, Server, free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

JOBS = 10


class Flow:
    """One batch: its jobs, and what is expected of it."""

    def __init__(self, server, name, **fields):
        self.server = server
        self.name = name
        body = {
            "jobs": [{"queue": f"work-{name}"} | fields for _ in range(JOBS)],
            "batch": {"callback_queue": f"done-{name}", "callback_payload": {"name": name}},
        }
        made = self.call("POST", "/api/v1/enqueue/batch", body)
        self.jobs = made["job_ids"]
        self.batch_id = made["batch_id"]

    def call(self, method, path, body=None, ok=(200, 201)):
        with Client(self.server.port) as client:
            status, answer = client.call(method, path, body)
        assert status in ok, (method, path, status, answer)
        return answer

    def fire(self, method, path, body=None):
        """Send a request and do not wait for the answer: the next thing that happens is a kill."""
        data = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(data)}\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
            connection.sendall(head + data)
            time.sleep(0.002)

    def lease(self):
        body = {"queues": [f"work-{self.name}"], "count": JOBS, "timeout": 5, "lease_duration": 600}
        leased = self.call("POST", "/api/v1/fetch/batch", body)["jobs"]
        assert len(leased) == JOBS
        return {job["job_id"]: job["lease_token"] for job in leased}

    def act(self, job_id, action, **how):
        if action == "delete":
            self.call("DELETE", f"/api/v1/jobs/{job_id}", **how)
        else:
            self.call("POST", f"/api/v1/jobs/{job_id}/{action}", **how)

    def callbacks(self):
        body = {"queues": [f"done-{self.name}"], "count": 100, "timeout": 2}
        return self.call("POST", "/api/v1/fetch/batch", body)["jobs"]


def acked_in_one_request(flow):
    tokens = flow.lease()
    yield
    body = {"acks": [{"job_id": job_id, "lease_token": token} for job_id, token in tokens.items()]}
    flow.fire("POST", "/api/v1/ack/batch", body)
    yield
    flow.call("POST", "/api/v1/ack/batch", body)
    yield
    # A client that repeats itself long after the callback is out changes nothing.
    flow.call("POST", "/api/v1/ack/batch", body)


def acked_in_ten_requests(flow):
    tokens = flow.lease()
    for number, (job_id, token) in enumerate(tokens.items()):
        path, body = f"/api/v1/ack/{job_id}", {"lease_token": token}
        if number in (4, 9):
            flow.fire("POST", path, body)
            yield
        flow.call("POST", path, body)
    yield


def ended_by_hand(action):
    def end(flow):
        for number, job_id in enumerate(flow.jobs):
            if number in (3, 9):
                method = "DELETE" if action == "delete" else "POST"
                path = f"/api/v1/jobs/{job_id}" + ("" if action == "delete" else f"/{action}")
                flow.fire(method, path)
                yield
                flow.act(job_id, action, ok=(200, 400, 404))
            else:
                flow.act(job_id, action)
        yield

    return end


def expired(flow):
    # The time runs out whether the node lives or not.
    yield
    yield
    yield


def mixed(flow):
    tokens = flow.lease()
    ids = list(tokens)
    for job_id in ids[:3]:
        flow.call("POST", f"/api/v1/ack/{job_id}", {"lease_token": tokens[job_id]})
    yield
    for job_id in ids[3:5]:
        flow.call("POST", f"/api/v1/fail/{job_id}", {"error": "no", "retry": False})
    for job_id in ids[5:7]:
        flow.act(job_id, "cancel")
    yield
    for job_id in ids[7:9]:
        flow.act(job_id, "delete")
    flow.fire("POST", f"/api/v1/ack/{ids[9]}", {"lease_token": tokens[ids[9]]})
    yield
    flow.call("POST", f"/api/v1/ack/{ids[9]}", {"lease_token": tokens[ids[9]]})


WAYS = {
    "one-request": (acked_in_one_request, {}, 10),
    "ten-requests": (acked_in_ten_requests, {}, 10),
    "cancelled": (ended_by_hand("cancel"), {}, 0),
    "deleted": (ended_by_hand("delete"), {}, 0),
    "expired": (expired, {"expire_after": "2s"}, 0),
    "mixed": (mixed, {}, 4),
}


def settled(flow, wait_s=30.0):
    """The batch, once all its jobs have ended."""
    end = time.monotonic() + wait_s
    while time.monotonic() < end:
        batch = flow.call("GET", f"/api/v1/batch/{flow.batch_id}")
        if "ended_at" in batch:
            return batch
        time.sleep(0.05)
    raise AssertionError(f"{flow.name}: {batch}")


def test_exactly_one_callback_with_the_right_counts_over_kill_9(tmp_path):
    server = Server(tmp_path / "data", free_port())
    server.start()
    try:
        flows = {name: Flow(server, name, **fields) for name, (_, fields, _) in WAYS.items()}
        under_way = [way(flows[name]) for name, (way, _, _) in WAYS.items()]
        kills = 0
        while under_way:
            under_way = [steps for steps in under_way if next(steps, "over") != "over"]
            server.kill()
            server.start()
            kills += 1
        assert kills >= 3
        for name, (_, _, succeeded) in WAYS.items():
            batch = settled(flows[name])
            counts = {"id": batch["id"], "total": JOBS, "succeeded": succeeded, "failed": JOBS - succeeded}
            assert {key: batch[key] for key in counts} == counts, name
            callbacks = flows[name].callbacks()
            assert [job["payload"] for job in callbacks] == [{"name": name, "batch": counts}]
            assert callbacks[0]["job_id"] == batch["callback_job_id"]
        code, words = server.doctor()
        assert code == 0, words
        server.kill()
        code, words = server.doctor()
        assert code == 0, words
    finally:
        server.close()
