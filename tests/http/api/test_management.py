"""Queues and job actions over HTTP. What they mean is tested in tests/fsm."""

import asyncio

import pytest

from tests.support.node import until

JOBS = "/api/v1/jobs"
QUEUES = "/api/v1/queues"


async def status(client, method, path, body=None):
    reply = await client.request(method, path, body)
    assert reply.status == 200, reply
    return reply.json()["status"]


# Queues


async def test_pausing_and_resuming(client):
    await client.enqueue()
    assert await status(client, "POST", f"{QUEUES}/q/pause") == "paused"
    assert await client.fetch() is None
    waiting = asyncio.create_task(client.fetch(timeout=10))
    assert await status(client, "POST", f"{QUEUES}/q/resume") == "resumed"
    async with asyncio.timeout(2):
        assert (await waiting) is not None


async def test_a_queue_can_be_looked_at_alone(client):
    await client.enqueue()
    reply = await client.get(f"{QUEUES}/q")
    assert (reply.json()["pending"], reply.json()["blocked"]) == (1, 0)
    assert (await client.get(f"{QUEUES}/none")).code == "NOT_FOUND"


async def test_concurrency_and_throttle(client):
    for _ in range(5):
        await client.enqueue()
    assert await status(client, "POST", f"{QUEUES}/q/concurrency", {"max": 1}) == "ok"
    first = await client.fetch()
    assert await client.fetch() is None
    await client.post(f"/api/v1/ack/{first['job_id']}")
    assert await client.fetch() is not None
    assert await status(client, "POST", f"{QUEUES}/q/concurrency", {"max": 0}) == "ok"
    assert await status(client, "POST", f"{QUEUES}/q/throttle", {"rate": 1, "period": "1h"}) == "ok"
    queue = (await client.get(f"{QUEUES}/q")).json()
    assert (queue["rate_limit"], queue["rate_window_ms"]) == (1, 3_600_000)
    assert "max_concurrency" not in queue
    assert await client.fetch() is not None
    assert await client.fetch() is None
    assert await status(client, "DELETE", f"{QUEUES}/q/throttle") == "ok"
    assert await client.fetch() is not None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"rate": 0, "window_ms": 5},
        {"rate": 1},
        {"rate": 1, "period": "x"},
        {"rate": 10**9, "window_ms": 5},
    ],
)
async def test_a_throttle_needs_both_numbers(client, body):
    assert (await client.post(f"{QUEUES}/q/throttle", body)).code == "VALIDATION_ERROR"


async def test_draining_waits_for_active_jobs_if_asked_to(client):
    job_id = await client.enqueue()
    await client.fetch()
    assert (await client.post(f"{QUEUES}/q/drain")).json() == {"status": "draining", "active": 1}
    reply = await client.post(f"{QUEUES}/q/drain?wait=100ms")
    assert reply.json() == {"status": "draining", "active": 1}
    waiting = asyncio.create_task(client.post(f"{QUEUES}/q/drain?wait=20s"))
    await asyncio.sleep(0.05)
    await client.post(f"/api/v1/ack/{job_id}")
    async with asyncio.timeout(2):
        assert (await waiting).json() == {"status": "drained", "active": 0}


@pytest.mark.parametrize(
    ("method", "path", "status"), [("POST", "q/clear", "cleared"), ("DELETE", "q?confirm=true", "deleted")]
)
async def test_who_repeats_a_request_that_is_still_under_way_gets_its_answer(client, method, path, status):
    await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}] * 5_000})
    replies = await asyncio.gather(
        *(client.request(method, f"{QUEUES}/{path}", Idempotency_Key="k") for _ in range(4))
    )
    assert [reply.json() for reply in replies] == [{"status": status, "deleted": 5_000}] * 4
    assert sum("idempotency-replayed" in reply.headers for reply in replies) == 3


async def test_clearing_and_destroying(client):
    await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}] * 2_500})
    assert (await client.post(f"{QUEUES}/q/clear", Idempotency_Key="c1")).json() == {
        "status": "cleared",
        "deleted": 2_500,
    }
    again = await client.post(f"{QUEUES}/q/clear", Idempotency_Key="c1")
    assert (again.json()["deleted"], again.headers["idempotency-replayed"]) == (2_500, "true")
    await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}] * 1_500})
    await client.fetch()
    refused = await client.request("DELETE", f"{QUEUES}/q")
    assert (refused.status, refused.code) == (400, "VALIDATION_ERROR")
    reply = await client.request("DELETE", f"{QUEUES}/q?confirm=true")
    assert reply.json() == {"status": "deleted", "deleted": 1_500}
    assert (await client.get(QUEUES)).json() == []
    assert (await client.request("DELETE", f"{QUEUES}/q?confirm=true")).code == "NOT_FOUND"
    check = (await client.post("/api/v1/admin/check")).json()
    assert check["problems"] == []


async def test_queues_show_their_rates(client):
    for _ in range(3):
        await client.enqueue()

    async def counted():
        (queue,) = (await client.get(QUEUES)).json()
        return queue["rates"]["hour"] == {"enqueued": 3, "completed": 0, "failed": 0}

    await until(counted)


# Actions


async def test_every_action_answers_with_its_word(client):
    job_id = await client.enqueue()
    path = f"{JOBS}/{job_id}"
    assert await status(client, "POST", f"{path}/hold", {"reason": "wait"}) == "held"
    assert (await client.job(job_id))["hold_reason"] == "wait"
    assert await status(client, "POST", f"{path}/approve") == "pending"
    assert await status(client, "POST", f"{path}/move", {"queue": "b"}) == "moved"
    assert await status(client, "POST", f"{path}/priority", {"priority": "high"}) == "changed"
    assert (await client.job(job_id))["priority"] == 1
    assert await status(client, "POST", f"{path}/cancel") == "cancelled"
    assert await status(client, "POST", f"{path}/retry") == "retried"
    await client.fetch("b")
    assert await status(client, "POST", f"{path}/cancel") == "cancelling"
    assert (await client.job(job_id))["state"] == "cancelled"
    assert await status(client, "POST", f"{path}/retry") == "retried"
    await status(client, "POST", f"{path}/hold")
    assert await status(client, "POST", f"{path}/reject", {"reason": "no"}) == "dead"
    assert await status(client, "DELETE", path) == "deleted"
    assert (await client.get(path)).status == 404


@pytest.mark.parametrize(
    ("action", "code"),
    [("retry", "RETRY_ERROR"), ("approve", "APPROVE_ERROR"), ("reject", "REJECT_ERROR")],
)
async def test_what_does_not_fit_the_state_is_refused_by_code(client, action, code):
    job_id = await client.enqueue()
    reply = await client.post(f"{JOBS}/{job_id}/{action}")
    assert (reply.status, reply.code, reply.json()["job_state"]) == (400, code, "pending")
    assert (await client.post(f"{JOBS}/job_none/{action}")).code == "NOT_FOUND"


async def test_arguments_are_checked(client):
    job_id = await client.enqueue()
    for path, body in (
        ("move", {}),
        ("move", {"queue": "a/b"}),
        ("priority", {}),
        ("priority", {"priority": "x"}),
    ):
        assert (await client.post(f"{JOBS}/{job_id}/{path}", body)).code == "VALIDATION_ERROR"


async def test_a_cancelled_active_job_is_told_to_its_worker(client):
    job_id = await client.enqueue()
    token = (await client.fetch())["lease_token"]
    await client.post(f"{JOBS}/{job_id}/cancel")
    beat = (await client.post("/api/v1/heartbeat", {"jobs": {job_id: {"lease_token": token}}})).json()
    assert beat["jobs"][job_id] == {"status": "cancel", "reason": "cancelled"}
    assert (await client.post(f"/api/v1/ack/{job_id}")).code == "ACK_ERROR"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "pause", None),
        ("POST", "resume", None),
        ("POST", "drain", None),
        ("POST", "concurrency", {"max": 3}),
        ("POST", "throttle", {"rate": 1, "period": "1s"}),
        ("DELETE", "throttle", None),
    ],
)
async def test_a_client_that_means_an_existing_queue_makes_none(client, method, path, body):
    refused = await client.request(method, f"{QUEUES}/nosuch/{path}?existing=1", body)
    assert (refused.status, refused.code) == (404, "NOT_FOUND")
    assert (await client.get(QUEUES)).json() == []
    assert (await client.request(method, f"{QUEUES}/nosuch/{path}", body)).status == 200
    assert (await client.request(method, f"{QUEUES}/nosuch/{path}?existing=true", body)).status == 200


# Many queues


async def test_many_queues_are_read_a_few_at_a_time_and_none_is_forgotten(client, monkeypatch):
    for module in (
        "corvo.actors.state.reader",
        "corvo.actors.events.throughput",
        "corvo.http.api.stats",
        "corvo.http.api.routes.manage.queues",
        "corvo.http.api.routes.operate.metrics",
    ):
        monkeypatch.setattr(f"{module}.QUEUES_AT_ONCE", 3)
    # Also by a thread, as if there were enough of them.
    monkeypatch.setattr("corvo.http.serve.off_loop._ROWS_MIN", 1)
    names = [f"queue-{number:02}" for number in range(11)]
    await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": name} for name in reversed(names)]})
    listed = (await client.get(QUEUES)).json()
    assert [(queue["name"], queue["pending"]) for queue in listed] == [(name, 1) for name in names]
    assert all(queue["rates"]["hour"]["enqueued"] == 1 for queue in listed)
    text = (await client.get("/metrics")).body.decode()
    assert [name for name in names if f'queue="{name}",state="pending"}} 1.0' not in text] == []
    hours = (await client.get("/api/v1/metrics/throughput/queues")).json()["queues"]
    assert sorted(hours) == names
    found = await client.post(f"{JOBS}/search", {"state": ["pending"]})
    assert found.json()["total"] == 11
