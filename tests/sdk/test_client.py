"""The client itself against a real server: leases, its errors, where it finds the server, both kinds."""

import pytest

from corvo_client import AsyncClient, Client
from corvo_client.errors import (
    LeaseLost,
    PayloadTooLarge,
    Unreachable,
)
from corvo_client.models.claim import Ack, Beat
from corvo_client.retrying import NO_RETRIES, RetryPolicy


def test_only_the_holder_of_the_lease_is_heard(client, queue):
    client.enqueue(queue)
    (job,) = client.protocol.fetch([queue])
    pulses = client.protocol.heartbeat({job.job_id: Beat(lease_token=job.lease_token, progress=1)})
    assert pulses.jobs[job.job_id].status == "ok"

    client.protocol.release(job.job_id, lease_token=job.lease_token, checkpoint={"at": 3})
    (again,) = client.protocol.fetch([queue])

    assert again.checkpoint == {"at": 3}
    assert again.lease_version > job.lease_version
    assert again.attempt == 1
    with pytest.raises(LeaseLost):
        client.protocol.ack(Ack(job_id=job.job_id, lease_token=job.lease_token))
    lost = client.protocol.heartbeat({job.job_id: Beat(lease_token=job.lease_token)})
    assert lost.jobs[job.job_id].status == "cancel"


def test_a_repeated_ack_is_answered_like_the_first(client, queue):
    client.enqueue(queue)
    (job,) = client.protocol.fetch([queue])
    ack = Ack(job_id=job.job_id, lease_token=job.lease_token)

    assert not client.protocol.ack(ack).duplicate
    assert client.protocol.ack(ack).duplicate
    assert client.protocol.ack_many([ack]).results[0].duplicate


def test_a_payload_that_is_too_large_is_an_error_of_its_own(client, queue):
    with pytest.raises(PayloadTooLarge):
        client.enqueue(queue, "x" * 300_000)


def test_a_server_that_is_not_there_is_unreachable():
    with Client("http://127.0.0.1:9", retry=NO_RETRIES) as client, pytest.raises(Unreachable):
        client.enqueue("q")


def test_the_environment_says_where_the_server_is(monkeypatch, server, queue):
    monkeypatch.setenv("CORVO_URL", server.url)
    with Client() as client:
        assert client.url == server.url
        assert client.enqueue(queue).job_id


async def test_the_asyncio_client_speaks_the_same(server, queue):
    async with AsyncClient(server.url, retry=RetryPolicy(attempts=2)) as client:
        enqueued = await client.enqueue(queue, {"n": 1})
        (job,) = await client.protocol.fetch([queue])
        await client.protocol.ack(Ack(job_id=job.job_id, lease_token=job.lease_token, result="done"))
        found = [job async for job in client.jobs.find(queue=queue)]
        stream = client.events(after=0, job_ids=[enqueued.job_id])
        types = [(await anext(stream)).type for _ in range(3)]
        await stream.aclose()

        assert await client.result(enqueued.job_id) == "done"
        assert [job.id for job in found] == [enqueued.job_id]
        assert types == ["enqueued", "started", "completed"]
