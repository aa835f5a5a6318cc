"""Queues, job actions, batches and flows over HTTP. What they mean is tested in tests/fsm."""

import asyncio
import json
from urllib.parse import quote

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


# Flows


async def test_a_batch_with_its_callback(client):
    reply = await client.post(
        "/api/v1/enqueue/batch",
        {"jobs": [{"queue": "q"}] * 3, "batch": {"callback_queue": "done", "callback_payload": {"x": 1}}},
    )
    batch_id = reply.json()["batch_id"]
    jobs = (await client.post("/api/v1/fetch/batch", {"queues": ["q"], "count": 3})).json()["jobs"]
    assert {job["batch_id"] for job in jobs} == {batch_id}
    acks = [{"job_id": job["job_id"], "lease_token": job["lease_token"]} for job in jobs]
    await client.post("/api/v1/ack/batch", {"acks": acks})
    callback = await client.fetch("done")
    counts = {"id": batch_id, "total": 3, "succeeded": 3, "failed": 0}
    assert callback["payload"] == {"x": 1, "batch": counts}
    batch = (await client.get(f"/api/v1/batch/{batch_id}")).json()
    assert (batch["pending"], batch["succeeded"], batch["callback_job_id"]) == (0, 3, callback["job_id"])
    assert (await client.get("/api/v1/batch/none")).code == "NOT_FOUND"


async def test_an_open_batch(client):
    opened = await client.post("/api/v1/batch", {"callback_queue": "done"})
    assert opened.status == 201
    batch_id = opened.json()["batch_id"]
    job_id = await client.enqueue(batch_id=batch_id)
    assert (await client.job(job_id))["batch_id"] == batch_id
    assert (await client.post(f"/api/v1/batch/{batch_id}/seal")).json() == {"status": "sealed"}
    late = await client.post("/api/v1/enqueue", {"queue": "q", "batch_id": batch_id})
    assert (late.status, late.code) == (400, "VALIDATION_ERROR")

    empty = (await client.post("/api/v1/batch", {"callback_queue": "done"})).json()["batch_id"]
    sealed = (await client.post(f"/api/v1/batch/{empty}/seal")).json()
    assert sealed["callback_job"]["queue"] == "done"


async def test_a_chain_by_single_and_batch_acks(client):
    chain = {
        "steps": [{"queue": "one"}, {"queue": "two", "payload": {"b": 2}}, {"queue": "three"}],
        "on_failure": "sorry",
        "on_exit": {"queue": "bye", "payload": {"z": 1}},
    }
    first = await client.enqueue("one", {"a": 1}, chain=chain)
    job = await client.job(first)
    assert (job["chain_step"], job["chain_id"][:4]) == (0, "chn_")
    assert job["chain_config"]["on_failure"] == {"queue": "sorry"}
    await client.fetch("one")
    await client.post(f"/api/v1/ack/{first}", {"result": [1]})
    second = await client.fetch("two")
    assert second["payload"] == {"previous_job_id": first, "previous_result": [1], "b": 2}
    assert (second["chain_id"], second["chain_step"]) == (job["chain_id"], 1)
    await client.post(
        "/api/v1/ack/batch",
        {"acks": [{"job_id": second["job_id"], "step_status": "exit", "exit_reason": "r"}]},
    )
    last = await client.fetch("bye")
    assert last["payload"] == {"previous_job_id": second["job_id"], "exit_reason": "r", "z": 1}
    assert last["chain_step"] == -1


@pytest.mark.parametrize(
    "chain",
    [
        {},
        {"steps": [{"queue": "q"}]},
        {"steps": [{"queue": "x"}, {"queue": "y"}]},
        {"steps": [{"queue": "q"}, {}]},
        {"steps": [{"queue": "q"}, {"queue": "b"}], "on_exit": {"queue": "a/b"}},
    ],
)
async def test_chains_are_checked(client, chain):
    reply = await client.post("/api/v1/enqueue", {"queue": "q", "chain": chain})
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


@pytest.mark.parametrize("word", ["stop", "continue", "", None])
async def test_words_that_mean_no_handler(client, word):
    chain = {"steps": [{"queue": "q"}, {"queue": "b"}], "on_failure": word, "on_exit": None}
    job = await client.job(await client.enqueue(chain=chain))
    assert "on_failure" not in job["chain_config"]


async def test_dependencies(client):
    first = await client.enqueue("a")
    second = await client.enqueue("b", depends_on=[first, f" {first} "])
    job = await client.job(second)
    assert (job["depends_on"], job["waiting_for"]) == ([first], 1)
    assert await client.fetch("b") is None
    await client.fetch("a")
    await client.post(f"/api/v1/ack/{first}")
    assert (await client.fetch("b"))["job_id"] == second
    unknown = await client.post("/api/v1/enqueue", {"queue": "q", "depends_on": ["job_none"]})
    assert (unknown.status, unknown.code) == (400, "VALIDATION_ERROR")
    mode = await client.post(
        "/api/v1/enqueue", {"queue": "q", "depends_on": [second], "on_dependency_failure": "x"}
    )
    assert mode.code == "VALIDATION_ERROR"


# Events


async def stream(client, query="", **headers):
    """An open event stream, as a reader of whole events."""
    connection = await client.connect()
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    connection._writer.write(f"GET /api/v1/events{query} HTTP/1.1\r\nhost: x\r\n{lines}\r\n".encode())
    head = await connection._reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    assert b"text/event-stream" in head

    async def read(count):
        text = ""
        async with asyncio.timeout(5):
            while text.count("\ndata: ") < count:
                size = int(await connection._reader.readline(), 16)
                text += (await connection._reader.readexactly(size + 2))[:-2].decode()
        return [line[6:] for line in text.split("\n") if line.startswith("data: ")]

    connection.read = read
    return connection


async def test_a_live_stream_of_events(client):
    connection = await stream(client, "?types=enqueued,completed")
    job_id = await client.enqueue("emails")
    await client.fetch("emails")
    await client.post(f"/api/v1/ack/{job_id}")
    first, second = await connection.read(2)
    assert '"type":"enqueued"' in first
    assert '"type":"completed"' in second
    await connection.close()


async def test_a_stream_resumes_by_number_or_header(client):
    for _ in range(3):
        await client.enqueue()
    by_header = await stream(client, "", Last_Event_ID="1")
    by_query = await stream(client, f"?last_event_id={'0' * 5_000}&queues=q")
    assert ['"seq":2,' in e for e in await by_header.read(2)] == [True, False]
    assert len(await by_query.read(3)) == 3
    await by_header.close()
    await by_query.close()


async def test_an_event_with_a_client_s_own_lines_in_it_is_one_line(client):
    job_id = await client.enqueue()
    await client.fetch()
    connection = await stream(client)
    await client.post(
        "/api/v1/heartbeat", b'{"jobs": {"%s": {"progress": {\n\r\n\r"n": 1}}}}' % job_id.encode()
    )
    await client.enqueue()
    progress, _ = await connection.read(2)
    assert json.loads(progress)["data"] == {"n": 1}
    await connection.close()


async def test_a_stream_can_be_narrowed_to_queues_with_a_comma_in_their_name(client):
    connection = await stream(client, f"?queues={quote(json.dumps(['a,b', '[c']))}")
    odd = await stream(client, "?queues=[c")
    for queue in ("a", "a,b", "b", "[c"):
        await client.enqueue(queue)
    assert [json.loads(text)["queue"] for text in await connection.read(2)] == ["a,b", "[c"]
    assert json.loads((await odd.read(1))[0])["queue"] == "[c"
    await connection.close()
    await odd.close()


async def test_a_number_of_very_many_digits_is_one_that_was_never_reached(client):
    connection = await stream(client, f"?last_event_id={'9' * 5_000}")
    await connection.close()


async def test_counters_of_queues_on_the_stream(client):
    connection = await stream(client, "?counters=only")
    await client.enqueue("emails")
    (counters,) = await connection.read(1)
    assert '"name":"emails"' in counters
    assert '"pending":1' in counters
    await connection.close()


@pytest.mark.parametrize("query", ["?types=nonsense", "?last_event_id=x", "?counters=x"])
async def test_bad_stream_requests_are_refused(client, query):
    assert (await client.get(f"/api/v1/events{query}")).code == "VALIDATION_ERROR"


async def test_a_reader_that_hangs_up_is_forgotten(client):
    connection = await stream(client)
    await connection.close()

    async def forgotten():
        return b"corvo_event_streams_open 0.0" in (await client.get("/api/v1/metrics")).body

    await until(forgotten)


async def test_the_history_of_a_job(client):
    job_id = await client.enqueue()
    await client.fetch(worker_id="w1")
    await client.post(f"/api/v1/fail/{job_id}", {"error": "x"})
    await client.post(f"{JOBS}/{job_id}/cancel")
    history = (await client.get(f"{JOBS}/{job_id}/events")).json()
    assert [event["type"] for event in history["events"]] == ["enqueued", "started", "failed", "cancelled"]
    assert history["complete"]
    assert (await client.get(f"{JOBS}/job_none/events")).code == "NOT_FOUND"


# Waiting and explaining


async def test_enqueue_can_wait_for_the_result(client):
    waiting = asyncio.create_task(client.post("/api/v1/enqueue?wait=10s", {"queue": "q", "payload": 1}))
    fetched = await client.fetch(timeout=5)
    await client.post(f"/api/v1/ack/{fetched['job_id']}", {"result": {"answer": 42}})
    reply = await waiting
    body = reply.json()
    assert (reply.status, body["status"], body["job"]["result"]) == (201, "completed", {"answer": 42})
    late = (await client.post("/api/v1/enqueue?wait=50ms", {"queue": "q"})).json()
    assert (late["status"], late["job"]["state"]) == ("pending", "pending")
    assert (await client.post("/api/v1/enqueue?wait=x", {"queue": "q"})).code == "VALIDATION_ERROR"


async def test_waiting_for_a_job_that_is_deleted_still_answers_that_it_was_enqueued(client):
    waiting = asyncio.create_task(client.post("/api/v1/enqueue?wait=10s", {"queue": "q"}))
    job_id = (await client.fetch("q"))["job_id"]
    await client.request("DELETE", f"/api/v1/jobs/{job_id}")
    reply = await waiting
    assert (reply.status, reply.json()["job_id"], reply.json()["status"]) == (201, job_id, "deleted")


async def explained(client, job_id):
    body = (await client.get(f"{JOBS}/{job_id}/explain")).json()
    return body, {reason["code"]: reason for reason in body["reasons"]}


async def test_why_a_job_waits(client):
    first = await client.enqueue()
    second = await client.enqueue()
    body, reasons = await explained(client, first)
    assert (body["state"], set(reasons)) == ("pending", {"no_worker"})
    assert "eta_ms" not in body
    _, reasons = await explained(client, second)
    assert reasons["behind"]["text"] == "1 jobs are ahead of it"

    await client.post(f"{QUEUES}/q/pause")
    await client.post(f"{QUEUES}/q/concurrency", {"max": 1})
    _, reasons = await explained(client, first)
    assert {"paused", "no_worker"} <= set(reasons)
    await client.post(f"{QUEUES}/q/resume")
    await client.fetch(worker_id="w1")
    _, reasons = await explained(client, second)
    assert set(reasons) == {"concurrency"}
    body, reasons = await explained(client, first)
    assert (set(reasons), reasons["leased"]["text"]) == ({"leased"}, "w1 is working on it")
    assert reasons["leased"]["until"].endswith("Z")


async def test_why_a_job_waits_otherwise(client):
    later = await client.enqueue(scheduled_at="2099-01-01T00:00:00Z")
    body, reasons = await explained(client, later)
    assert reasons["scheduled"]["until"] == "2099-01-01T00:00:00Z"
    assert body["eta_ms"] > 10**12
    blocked = await client.enqueue("b", depends_on=[later])
    _, reasons = await explained(client, blocked)
    assert later in reasons["dependencies"]["text"]
    held = await client.enqueue()
    await client.post(f"{JOBS}/{held}/hold", {"reason": "legal"})
    _, reasons = await explained(client, held)
    assert reasons["held"]["text"].endswith("legal")
    await client.post(f"{JOBS}/{held}/reject")
    _, reasons = await explained(client, held)
    assert reasons["dead"]["text"] == "it is dead: rejected"
    await client.post(f"{QUEUES}/t/throttle", {"rate": 1, "period": "1h"})
    await client.enqueue("t")
    waiting = await client.enqueue("t")
    await client.fetch("t", worker_id="w1")
    _, reasons = await explained(client, waiting)
    assert set(reasons) == {"throttled"}
    assert (await client.get(f"{JOBS}/job_none/explain")).code == "NOT_FOUND"


async def test_queues_show_their_rates(client):
    for _ in range(3):
        await client.enqueue()

    async def counted():
        (queue,) = (await client.get(QUEUES)).json()
        return queue["rates"]["hour"] == {"enqueued": 3, "completed": 0, "failed": 0}

    await until(counted)
