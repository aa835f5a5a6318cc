"""What a worker on a stream hears of its leases, however they end."""

import asyncio

import pytest

from tests.http.api.test_stream import Http1, Talker
from tests.support.node import until


@pytest.fixture
async def worker(client):
    async with Http1(client) as http:
        yield Talker(http)


async def _claim(worker):
    await worker.ask(enqueues=[{"queue": "q"}])
    (job,) = (await worker.ask(queues=["q"], worker_id="w", fetch_count=1))["jobs"]
    return job["job_id"], job["lease_token"]


async def test_a_job_that_goes_with_its_queue_is_told(worker, client):
    job_id, _ = await _claim(worker)
    await client.request("DELETE", "/api/v1/queues/q?confirm=true")
    assert await worker.hear() == {"cancel": [job_id]}


async def test_a_job_that_is_held_by_a_person_is_told(worker, client):
    job_id, _ = await _claim(worker)
    await client.post(f"/api/v1/jobs/{job_id}/hold")
    assert await worker.hear() == {"cancel": [job_id]}


async def test_a_job_its_own_worker_puts_on_hold_is_not(worker, client):
    job_id, token = await _claim(worker)
    await worker.ask(acks=[{"job_id": job_id, "lease_token": token, "ack_status": "hold"}])
    await client.post(f"/api/v1/jobs/{job_id}/cancel")
    assert "cancel" not in await worker.ask(enqueues=[{"queue": "other"}])


@pytest.mark.parametrize("verb", ["ack", "fail", "release"])
async def test_jobs_handed_back_on_another_road_are_forgotten(worker, client, node, verb):
    """Else a worker that fetches by stream and acks by request fills the memory of the node."""
    job_id, token = await _claim(worker)
    await client.post(f"/api/v1/{verb}/{job_id}", {"lease_token": token})
    (conversation,) = node.node._context.open_streams._open
    await until(lambda: not conversation._held)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(worker.hear(), 0.1)
