"""`GET /jobs/{id}?wait=`: an answer when the job has ended, and where the event log begins and ends."""

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
