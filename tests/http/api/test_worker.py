import asyncio

import pytest

from tests.support.node import until


async def test_the_life_of_a_job_from_enqueue_to_ack(client):
    job_id = await client.enqueue(payload={"n": 1}, tags={"k": "v"}, checkpoint=[1])

    fetched = await client.fetch(worker_id="w1", hostname="h1", lease_duration=30)
    assert fetched["job_id"] == job_id
    assert (fetched["queue"], fetched["payload"], fetched["attempt"], fetched["max_retries"]) == (
        "q",
        {"n": 1},
        1,
        3,
    )
    assert (fetched["tags"], fetched["checkpoint"], fetched["lease_duration"]) == ({"k": "v"}, [1], 30)
    assert fetched["lease_token"].isdigit()
    active = await client.job(job_id)
    assert active["state"] == "active"
    assert (active["worker_id"], active["hostname"]) == ("w1", "h1")
    assert active["worker"] == {"id": "w1", "hostname": "h1"}
    assert "lease_token" not in active

    reply = await client.post(
        f"/api/v1/ack/{job_id}", {"result": {"ok": True}, "lease_token": fetched["lease_token"]}
    )
    assert reply.json() == {"status": "ok", "state": "completed"}
    done = await client.job(job_id)
    assert (done["state"], done["attempt"], done["result"]) == ("completed", 1, {"ok": True})
    assert "completed_at" in done
    assert "worker_id" not in done


async def test_fetch_of_an_empty_queue_answers_204_when_the_time_is_over(client):
    started = asyncio.get_running_loop().time()
    reply = await client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 1})
    assert (reply.status, reply.body) == (204, b"")
    assert 0.9 < asyncio.get_running_loop().time() - started < 3


async def test_fetch_batch_of_an_empty_queue_answers_an_empty_list(client):
    reply = await client.post("/api/v1/fetch/batch", {"queues": ["q"], "timeout": 1, "count": 5})
    assert (reply.status, reply.json()) == (200, {"jobs": []})


async def test_fetch_batch_gives_up_to_count_and_at_most_512(client):
    await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": "q", "payload": n} for n in range(600)]})
    few = await client.post("/api/v1/fetch/batch", {"queues": ["q"], "count": 3})
    many = await client.post("/api/v1/fetch/batch", {"queues": ["q"], "count": 9_999})
    assert [job["payload"] for job in few.json()["jobs"]] == [0, 1, 2]
    assert len(many.json()["jobs"]) == 512


async def test_a_waiting_fetch_is_woken_by_an_enqueue(client):
    waiting = asyncio.create_task(client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 30}))
    await asyncio.sleep(0.05)
    job_id = await client.enqueue()
    async with asyncio.timeout(2):
        assert (await waiting).json()["job_id"] == job_id


async def test_a_client_that_hangs_up_gets_no_job(node, client):
    connection = await client.connect()
    await connection.send("POST", "/api/v1/fetch", {"queues": ["q"], "timeout": 30, "worker_id": "gone"})

    async def known():
        return (await client.get("/api/v1/metrics")).body.find(b"corvo_fetch_waiting 1.0") > 0

    await until(known)
    await connection.close()

    async def forgotten():
        return (await client.get("/api/v1/metrics")).body.find(b"corvo_fetch_waiting 0.0") > 0

    await until(forgotten)
    job_id = await client.enqueue()
    assert (await client.job(job_id))["state"] == "pending"
    assert (await client.fetch())["attempt"] == 1


async def test_a_fetch_whose_answer_was_lost_is_repeated_under_its_key(client):
    ids = [await client.enqueue() for _ in range(3)]
    body = {"queues": ["q"], "worker_id": "w1", "timeout": 1, "count": 2}
    first = await client.post("/api/v1/fetch/batch", body, idempotency_key="k")
    again = await client.post("/api/v1/fetch/batch", body, idempotency_key="k")
    assert (first.status, first.json()) == (again.status, again.json())
    assert [job["job_id"] for job in first.json()["jobs"]] == ids[:2]
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"

    token = first.json()["jobs"][0]["lease_token"]
    assert (await client.post(f"/api/v1/ack/{ids[0]}", {"lease_token": token})).status == 200
    left = await client.post("/api/v1/fetch/batch", body, idempotency_key="k")
    assert [job["job_id"] for job in left.json()["jobs"]] == ids[1:2]

    other = await client.post("/api/v1/fetch/batch", body | {"count": 1}, idempotency_key="k")
    assert (other.status, other.code) == (409, "IDEMPOTENCY_MISMATCH")
    assert (await client.fetch())["job_id"] == ids[2]


async def test_a_fetch_that_brought_nothing_may_be_repeated_until_it_does(client):
    body = {"queues": ["q"], "timeout": 1}
    assert (await client.post("/api/v1/fetch", body, idempotency_key="k")).status == 204
    waiting = asyncio.create_task(client.post("/api/v1/fetch", body | {"timeout": 10}, idempotency_key="l"))
    job_id = await client.enqueue()
    assert (await waiting).json()["job_id"] == job_id
    again = await client.post("/api/v1/fetch", body | {"timeout": 10}, idempotency_key="l")
    assert (again.json()["job_id"], again.headers["idempotency-replayed"]) == (job_id, "true")


@pytest.mark.parametrize(
    "body", [{}, {"queues": []}, {"queues": None}, {"queues": [""]}, {"queues": ["a/b"]}]
)
async def test_fetch_needs_a_queue(client, body):
    reply = await client.post("/api/v1/fetch", body)
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


# Ack


async def test_an_empty_body_is_a_plain_ack_and_a_broken_one_is_refused(client):
    job_id = await client.enqueue()
    await client.fetch()
    broken = await client.post(f"/api/v1/ack/{job_id}", b"{")
    assert (broken.status, broken.code) == (400, "PARSE_ERROR")
    assert (await client.job(job_id))["state"] == "active"
    assert (await client.post(f"/api/v1/ack/{job_id}")).status == 200


async def test_a_repeated_ack_says_so(client):
    job_id = await client.enqueue()
    token = (await client.fetch())["lease_token"]
    for body in ({"lease_token": token}, {"lease_token": int(token)}, {}):
        await client.post(f"/api/v1/ack/{job_id}", {"lease_token": token})
        again = await client.post(f"/api/v1/ack/{job_id}", body)
        assert again.json() == {"status": "ok", "state": "completed", "duplicate": True}


async def test_the_token_may_come_in_a_header(client):
    job_id = await client.enqueue()
    await client.fetch()
    reply = await client.post(f"/api/v1/ack/{job_id}", {}, X_Corvo_Lease_Token="99")
    assert (reply.status, reply.code) == (409, "LEASE_CONFLICT")
    assert reply.json()["job_state"] == "active"


async def test_a_token_in_a_header_is_part_of_the_request_that_a_key_stands_for(client):
    await client.enqueue()
    first = await client.fetch()
    key, path = {"idempotency_key": "k"}, f"/api/v1/release/{first['job_id']}"
    reply = await client.post(path, X_Corvo_Lease_Token=first["lease_token"], **key)
    assert reply.status == 200
    second = await client.fetch()
    reply = await client.post(path, X_Corvo_Lease_Token=second["lease_token"], **key)
    assert (reply.status, reply.code) == (409, "IDEMPOTENCY_MISMATCH")


async def test_acks_that_cannot_be_are_refused_by_code(client):
    job_id = await client.enqueue()
    assert (await client.post("/api/v1/ack/job_none")).code == "NOT_FOUND"
    pending = await client.post(f"/api/v1/ack/{job_id}")
    assert (pending.status, pending.code, pending.json()["job_state"]) == (400, "ACK_ERROR", "pending")
    assert (await client.post(f"/api/v1/ack/{job_id}", {"ack_status": "x"})).code == "VALIDATION_ERROR"


@pytest.mark.parametrize("status", ["continue", "hold", "Hold", "nonsense"])
async def test_who_says_that_an_agent_job_is_not_done_does_not_complete_it(client, status):
    job_id = await client.enqueue()
    await client.fetch()
    said = {"agent_status": status}
    for path, body in ((f"ack/{job_id}", said), ("ack/batch", {"acks": [said | {"job_id": job_id}]})):
        reply = await client.post(f"/api/v1/{path}", body)
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
    assert (await client.job(job_id))["state"] == "active"
    assert (await client.post(f"/api/v1/ack/{job_id}", {"agent_status": "done"})).status == 200


async def test_newer_clients_may_hold_a_job_by_ack(client):
    job_id = await client.enqueue()
    await client.fetch()
    reply = await client.post(f"/api/v1/ack/{job_id}", {"ack_status": "hold", "hold_reason": "look"})
    assert reply.json()["state"] == "held"
    assert (await client.job(job_id))["hold_reason"] == "look"


async def test_a_batch_of_acks_reports_each(client):
    first, second, third = [await client.enqueue() for _ in range(3)]
    tokens = {}
    for _ in range(2):
        fetched = await client.fetch()
        tokens[fetched["job_id"]] = fetched["lease_token"]
    reply = await client.post(
        "/api/v1/ack/batch",
        {
            "acks": [
                {"job_id": first, "lease_token": tokens[first], "result": 1},
                {"job_id": first, "lease_token": tokens[first]},
                {"job_id": second, "lease_token": "77"},
                {"job_id": third},
                {"job_id": "job_none"},
            ]
        },
    )
    assert reply.json() == {
        "acked": 1,
        "results": [
            {"job_id": first, "status": "ok"},
            {"job_id": first, "status": "ok", "duplicate": True},
            {"job_id": second, "status": "stale"},
            {"job_id": third, "status": "skipped"},
            {"job_id": "job_none", "status": "not_found"},
        ],
    }


@pytest.mark.parametrize("acks", [None, [], [{}], [{"job_id": "j"}] * 513])
async def test_a_batch_of_acks_has_its_limits(client, acks):
    reply = await client.post("/api/v1/ack/batch", {"acks": acks})
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


# Fail


async def test_a_failure_is_retried_and_the_last_is_final(client):
    job_id = await client.enqueue(max_retries=2, retry_backoff="none", payload={"big": "x" * 5_000})
    await client.fetch()
    first = await client.post(f"/api/v1/fail/{job_id}", {"error": "boom", "backtrace": "line 1"})
    assert first.status == 200
    body = first.json()
    assert (body["status"], body["attempts_remaining"], body["attempt"]) == ("retrying", 1, 1)
    assert "next_attempt_at" in body
    assert body["job"]["id"] == job_id
    assert body["job"]["payload"] == {"big": "x" * 5_000}

    await client.fetch()
    last = (await client.post(f"/api/v1/fail/{job_id}", {"error": "again"})).json()
    assert (last["status"], last["attempts_remaining"], last["attempt"]) == ("dead", 0, 2)
    assert "next_attempt_at" not in last
    job = await client.job(job_id)
    assert [(e["attempt"], e["error"]) for e in job["errors"]] == [(1, "boom"), (2, "again")]
    assert job["errors"][0]["backtrace"] == "line 1"
    assert job["errors"][0]["at"] == job["errors"][0]["created_at"]
    assert job["last_error"] == "again"


async def test_verdicts_of_the_worker(client):
    never = await client.enqueue()
    await client.fetch()
    reply = (await client.post(f"/api/v1/fail/{never}", {"error": "x", "retry": False})).json()
    assert (reply["status"], reply["attempts_remaining"]) == ("dead", 0)

    later = await client.enqueue()
    await client.fetch()
    reply = (await client.post(f"/api/v1/fail/{later}", {"error": "x", "retry_after": "10m"})).json()
    job = await client.job(later)
    assert job["state"] == "retrying"
    assert reply["next_attempt_at"] == job["scheduled_at"] > job["failed_at"]


async def test_a_failure_needs_a_body_but_no_error_text(client):
    job_id = await client.enqueue()
    await client.fetch()
    assert (await client.post(f"/api/v1/fail/{job_id}")).code == "PARSE_ERROR"
    assert (await client.post(f"/api/v1/fail/{job_id}", {})).status == 200


async def test_long_error_texts_are_cut_and_not_refused(client):
    job_id = await client.enqueue()
    await client.fetch()
    reply = await client.post(f"/api/v1/fail/{job_id}", {"error": "é" * 20_000, "backtrace": "b" * 100_000})
    assert reply.status == 200
    (error,) = (await client.job(job_id))["errors"]
    assert len(error["error"].encode()) <= 16 * 1024
    assert len(error["backtrace"]) == 64 * 1024


# Heartbeat and release


async def test_a_heartbeat_tells_of_each_job_in_every_spelling(client):
    first = await client.enqueue()
    second = await client.enqueue()
    tokens = [(await client.fetch(lease_duration=5))["lease_token"] for _ in range(2)]
    await client.post(f"/api/v1/ack/{second}")

    reply = await client.post(
        "/api/v1/heartbeat",
        {
            "jobs": {
                first: {"progress": 40, "checkpoint": {"page": 4}, "lease_token": tokens[0]},
                second: {},
                "job_none": None,
            }
        },
    )

    body = reply.json()
    assert body["jobs"][first] == {"status": "ok"}
    assert body["jobs"][second] == {"status": "cancel", "reason": "completed"}
    assert body["jobs"]["job_none"] == {"status": "cancel", "reason": "not_found"}
    assert (body["acked"], body["unknown"]) == ([first], ["job_none"])
    assert set(body["canceled"]) == {second, "job_none"}
    job = await client.job(first)
    assert (job["progress"], job["checkpoint"]) == (40, {"page": 4})
    assert body["lease_expires_at"] == job["lease_expires_at"]


async def test_the_list_form_carries_json_as_text(client):
    job_id = await client.enqueue()
    await client.fetch()
    reply = await client.post(
        "/api/v1/heartbeat",
        {"worker_id": "w", "jobs": [{"job_id": job_id, "progress": '{"done": 3}', "checkpoint": "not json"}]},
    )
    assert reply.json()["jobs"][job_id] == {"status": "ok"}
    job = await client.job(job_id)
    assert (job["progress"], job["checkpoint"]) == ({"done": 3}, "not json")


async def test_text_that_is_nested_too_deeply_to_be_json_is_text(client):
    job_id = await client.enqueue()
    await client.fetch()
    deep = "[" * 100_000
    reply = await client.post("/api/v1/heartbeat", {"jobs": [{"job_id": job_id, "progress": deep}]})
    assert reply.json()["acked"] == [job_id], reply
    assert (await client.job(job_id))["progress"] == deep


async def test_a_checkpoint_comes_back_with_the_next_attempt(client):
    job_id = await client.enqueue(retry_backoff="none")
    await client.fetch()
    await client.post("/api/v1/heartbeat", {"jobs": {job_id: {"checkpoint": {"page": 7}}}})
    await client.post(f"/api/v1/fail/{job_id}", {"error": "x"})
    fetched = await client.fetch()
    assert (fetched["attempt"], fetched["checkpoint"]) == (2, {"page": 7})


async def test_a_lost_lease_is_noticed_by_heartbeat_and_ack(client):
    job_id = await client.enqueue()
    old = (await client.fetch(lease_duration=1))["lease_token"]
    new = await client.fetch(timeout=5)
    assert new["job_id"] == job_id
    assert (new["attempt"], new["lease_version"]) == (2, 2)
    beat = (await client.post("/api/v1/heartbeat", {"jobs": {job_id: {"lease_token": old}}})).json()
    assert beat["jobs"][job_id] == {"status": "cancel", "reason": "lease_lost"}
    reply = await client.post(f"/api/v1/ack/{job_id}", {"lease_token": old})
    assert (reply.status, reply.code) == (409, "LEASE_CONFLICT")
    assert (await client.post(f"/api/v1/ack/{job_id}", {"lease_token": new["lease_token"]})).status == 200


async def test_a_released_job_is_free_again_and_uncounted(client):
    job_id = await client.enqueue()
    token = (await client.fetch())["lease_token"]
    reply = await client.post(f"/api/v1/release/{job_id}", {"checkpoint": [2], "lease_token": token})
    assert reply.json() == {"status": "released", "state": "pending"}
    fetched = await client.fetch()
    assert (fetched["attempt"], fetched["checkpoint"], fetched["lease_version"]) == (1, [2], 2)

    delayed = await client.post(f"/api/v1/release/{job_id}", {"delay": "1h"})
    assert delayed.json()["state"] == "scheduled"
    assert "scheduled_at" in delayed.json()
    assert (await client.post(f"/api/v1/release/{job_id}", {})).code == "RELEASE_ERROR"


# Reading


async def test_bulk_get_keeps_the_order_and_leaves_out_the_missing(client):
    first, second = [await client.enqueue() for _ in range(2)]
    reply = await client.post("/api/v1/jobs/bulk-get", {"job_ids": [second, "job_none", first]})
    assert [job["id"] for job in reply.json()["jobs"]] == [second, first]
    assert (await client.post("/api/v1/jobs/bulk-get", {})).json() == {"jobs": []}
    assert (await client.post("/api/v1/jobs/bulk-get", {"job_ids": ["x"] * 1_001})).code == "VALIDATION_ERROR"


async def test_a_read_can_ask_for_an_index(client):
    reply = await client.post("/api/v1/enqueue", {"queue": "q"})
    index = reply.headers["x-corvo-index"]
    path = f"/api/v1/jobs/{reply.json()['job_id']}"
    assert (await client.get(path, X_Corvo_Min_Index=index)).status == 200
    stale = await client.get(path, X_Corvo_Min_Index=str(int(index) + 1_000))
    assert (stale.status, stale.code) == (503, "STALE")
    assert (await client.get(path, X_Corvo_Min_Index="x")).code == "VALIDATION_ERROR"


async def test_queues_show_live_counters(client):
    for _ in range(3):
        await client.enqueue("emails")
    await client.enqueue("later", scheduled_at="2099-01-01T00:00:00Z")
    fetched = await client.fetch("emails")
    await client.post(f"/api/v1/ack/{fetched['job_id']}")
    await client.fetch("emails")
    emails, later = (await client.get("/api/v1/queues")).json()
    assert emails["name"] == "emails"
    assert (emails["pending"], emails["active"], emails["completed"], emails["enqueued"]) == (1, 1, 1, 3)
    assert emails["oldest_pending_at"] > emails["created_at"]
    assert (later["name"], later["scheduled"], later["pending"]) == ("later", 1, 0)
    assert "oldest_pending_at" not in later


async def test_workers_are_known_from_their_fetches(client):
    await client.enqueue()
    await client.fetch(worker_id="busy", hostname="h1")
    await client.fetch("empty", "q", worker_id="idle")
    workers = {worker["id"]: worker for worker in (await client.get("/api/v1/workers")).json()}
    assert workers["busy"]["active_jobs"] == 1
    assert workers["busy"]["hostname"] == "h1"
    assert workers["idle"]["queue_names"] == ["empty", "q"]
    assert workers["idle"]["queues"] == '["empty", "q"]'
    assert workers["idle"]["hostname"] is None


async def test_a_server_may_insist_on_tokens(tmp_path):
    from tests.support.node import running

    async with running(tmp_path / "strict", require_lease_token=True) as node:
        job_id = await node.client.enqueue()
        token = (await node.client.fetch())["lease_token"]
        reply = await node.client.post(f"/api/v1/ack/{job_id}")
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
        assert (await node.client.post(f"/api/v1/ack/{job_id}", {"lease_token": token})).status == 200


async def test_a_job_for_a_waiting_worker_is_enqueued_and_claimed_by_one_entry(client):
    worker = await client.connect()
    await worker.send("POST", "/api/v1/fetch", {"queues": ["q"], "timeout": 10, "worker_id": "w1"})

    async def waits():
        return (await client.get("/api/v1/workers")).json()

    await until(waits)
    enqueued = await client.post("/api/v1/enqueue", {"queue": "q"})
    fetched = await worker.reply()
    assert fetched.json()["job_id"] == enqueued.json()["job_id"]
    assert fetched.headers["x-corvo-index"] == enqueued.headers["x-corvo-index"]
    await worker.close()
