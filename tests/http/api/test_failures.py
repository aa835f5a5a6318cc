"""Failures by group over HTTP: the way there and back, and acting on a whole group."""

import pytest


async def fail(client, queue, error):
    job_id = await client.enqueue(queue, {}, max_retries=1)
    await client.fetch(queue)
    reply = await client.post(f"/api/v1/fail/{job_id}", {"error": error})
    assert reply.status == 200, reply
    return job_id


async def failures(client, query=""):
    reply = await client.get(f"/api/v1/failures{query}")
    assert reply.status == 200, reply
    return reply.json()


async def test_groups_say_all_that_a_page_about_them_needs(client):
    ids = [await fail(client, "mail", f"user {n} not found") for n in range(3)]
    await fail(client, "files", "disk full")
    found = await failures(client)

    assert (found["total"], found["jobs"]) == (2, 4)
    assert found["from"] < found["to"]
    users = found["failures"][0]
    assert (users["failure"], users["count"], users["dead"], users["retrying"]) == (
        "user … not found",
        3,
        3,
        0,
    )
    assert users["queues"] == {"mail": 3}
    assert users["first_at"] < users["last_at"]
    assert sum(users["timeline"]) == 3
    assert [job["id"] for job in users["sample"]] == ids[::-1]
    assert users["sample"][0]["error"] == "user 2 not found"


async def test_nothing_failed_is_an_answer(client):
    found = await failures(client)
    assert (found["failures"], found["total"], found["jobs"]) == ([], 0, 0)


async def test_they_are_narrowed_down_by_queue_and_query(client):
    await fail(client, "mail", "user 1 not found")
    await fail(client, "files", "disk full")
    for query in ("?queue=files", "?q=queue:files", "?q=error~disk", "?queue=files&q=age%3C1h%20limit:1"):
        assert [group["failure"] for group in (await failures(client, query))["failures"]] == ["disk full"]
    assert len((await failures(client, "?limit=1"))["failures"]) == 1


@pytest.mark.parametrize("query", ["?q=nonsense:1", "?limit=many", "?queue=a&q=queue:b", "?q=state:lost"])
async def test_nonsense_is_refused(client, query):
    reply = await client.get(f"/api/v1/failures{query}")
    assert (reply.status, reply.json()["code"]) == (400, "VALIDATION_ERROR")


async def test_a_whole_group_is_retried_and_nothing_else(client):
    ids = [await fail(client, "mail", f"user {n} not found") for n in range(3)]
    other = await fail(client, "mail", "disk full")
    reply = await client.post(
        "/api/v1/jobs/bulk", {"action": "retry", "filter": {"failure": "user … not found", "state": ["dead"]}}
    )
    assert (reply.status, reply.json()["affected"]) == (200, 3)
    found = await failures(client)
    assert [group["failure"] for group in found["failures"]] == ["disk full"]
    assert (await client.get(f"/api/v1/jobs/{ids[0]}")).json()["state"] == "pending"
    assert (await client.get(f"/api/v1/jobs/{other}")).json()["state"] == "dead"
