"""Batches, chains and dependencies over HTTP. What they mean is tested in tests/fsm."""

import pytest


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
