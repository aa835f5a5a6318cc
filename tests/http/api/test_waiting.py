"""`?wait=`: an answer when the job has ended; and where the event log begins and ends."""

import asyncio


async def test_a_job_is_answered_when_it_has_ended(client):
    job_id = await client.enqueue()
    waiting = asyncio.ensure_future(client.get(f"/api/v1/jobs/{job_id}?wait=30s"))
    job = await client.fetch()
    await client.post(f"/api/v1/ack/{job['job_id']}", {"result": 7})
    reply = await waiting
    assert (reply.json()["state"], reply.json()["result"]) == ("completed", 7)


async def test_a_job_that_does_not_end_is_answered_when_the_wait_is_over(client):
    job_id = await client.enqueue()
    assert (await client.get(f"/api/v1/jobs/{job_id}?wait=20ms")).json()["state"] == "pending"
    assert (await client.get("/api/v1/jobs/job_none?wait=20ms")).status == 404
    assert (await client.get(f"/api/v1/jobs/{job_id}?wait=soon")).code == "VALIDATION_ERROR"


async def test_the_event_log_says_where_it_begins_and_ends(client):
    for _ in range(3):
        await client.enqueue()
    page = (await client.get("/api/v1/cluster/events?limit=1")).json()
    assert (len(page["events"]), page["first_seq"], page["last_seq"]) == (1, 1, 3)


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
