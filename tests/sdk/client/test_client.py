"""The client itself against a real server: leases, its errors, where it finds the server, both kinds."""

import os
import subprocess
import sys

import pytest

from corvo_sdk import AsyncClient, Client
from corvo_sdk.errors import (
    LeaseLost,
    PayloadTooLarge,
    Unreachable,
)
from corvo_sdk.models.claim import Ack, Beat
from corvo_sdk.retrying import NO_RETRIES, RetryPolicy


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


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "ftp://127.0.0.1",
        "http://h:port",
        "http://h:99999",
        "http://[::1",
        "http://h/?tenant=1",
        "http://h/#a",
        "http://h/a b",
        "http://h/\N{SNOWMAN}",
    ],
)
def test_an_address_that_is_none_is_told_at_once(url):
    for kind in (Client, AsyncClient):
        with pytest.raises(ValueError, match="not the address of a server"):
            kind(url)


def test_a_password_in_the_address_is_refused_and_not_repeated():
    with pytest.raises(ValueError, match="api_key") as refused:
        Client("http://ann:hunter2@127.0.0.1:1")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "options",
    [
        {"api_key": "sk_1\r\nX-Corvo-Namespace: other"},
        {"api_key": "caf\u00e9"},
        {"namespace": "a\nb"},
        {"headers": {"x-team": "a\r\nb"}},
        {"headers": {"x-team\n": "a"}},
    ],
    ids=str,
)
def test_what_cannot_be_sent_as_a_header_is_told_at_once(options):
    with pytest.raises(ValueError, match="cannot be sent"):
        Client("http://127.0.0.1:1", **options)


def test_an_address_may_be_written_as_for_the_command_line(server, queue):
    with Client(server.url.removeprefix("http://") + "/", api_key="a key from a file\n") as client:
        assert client.enqueue(queue).status == "pending"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_has_connections_and_a_name_of_its_own(server):
    """Parent and child on one connection would read each other's answers."""
    program = """
import os, sys
from corvo_sdk import Client, Worker

client, worker = Client(sys.argv[1]), Worker(sys.argv[1])
worker.task("q")(lambda job: None)
client.queues.all()
child = os.fork()
queue = "child" if child == 0 else "parent"
made = [client.enqueue(queue, n).job_id for n in range(200)]
jobs = client.jobs.get_many(made)
assert [(job.queue, job.payload) for job in jobs] == [(queue, n) for n in range(200)], jobs
if child == 0:
    name = worker.worker_id
    with worker.running():
        pass
    os._exit(0 if worker.worker_id != name else 9)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, server.url], timeout=60, check=False
    )
    assert done.returncode == 0
