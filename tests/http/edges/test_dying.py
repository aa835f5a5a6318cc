"""Edge processes that die: their clients see a broken connection, never a wrong answer."""

import asyncio
import os
import signal
from pathlib import Path

import h11
import pytest

from tests.http.api.test_stream import Http1, Talker
from tests.support.node import until

pytestmark = pytest.mark.slow

#: What a client sees of a process that is gone.
BROKEN = (ConnectionError, h11.RemoteProtocolError, asyncio.IncompleteReadError)


@pytest.fixture
def server(start):
    return start("edge-workers")


@pytest.fixture
def client(server):
    return server.client


async def ready(server, count):
    """The processes that were started so far, once there are so many."""
    await until(lambda: len(server.logged("edge.ready")) >= count)
    return [line["pid"] for line in server.logged("edge.ready")]


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def test_writes_repeated_by_their_key_are_done_once(server, client):
    pids = await ready(server, 2)
    done = {}

    async def produce(name):
        for number in range(60):
            key = f"{name}-{number}"
            while key not in done:
                try:
                    reply = await client.post("/api/v1/enqueue", {"queue": "q"}, Idempotency_Key=key)
                except BROKEN:
                    continue
                assert reply.status == 201, reply
                done[key] = reply.json()["job_id"]

    producing = [asyncio.create_task(produce(name)) for name in "abcd"]
    for killed in range(3):
        await until(lambda enough=40 * (killed + 1): len(done) >= enough)
        os.kill(pids[-1], signal.SIGKILL)
        pids = await ready(server, 3 + killed)
    await asyncio.gather(*producing)

    assert len(set(done.values())) == 240
    (queue,) = (await client.get("/api/v1/queues")).json()
    assert queue["pending"] == 240
    assert len(server.logged("edge.died")) == 3


async def test_who_waits_through_a_process_that_dies_claims_nothing(server, client):
    pids = await ready(server, 2)
    polls = [
        asyncio.create_task(client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 60})) for _ in range(8)
    ]
    async with Http1(client) as stream:
        talker = Talker(stream)
        await talker.ask(queues=["q"], worker_id="w")
        talker.say(fetch_count=1, wait_ms=60_000)
        await until(lambda: is_waiting(client, 9))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for poll in polls:
            with pytest.raises(BROKEN):
                await poll
    # Nobody was refused meanwhile: this waits until there is a process again.
    await until(lambda: is_waiting(client, 0))
    job_id = await client.enqueue()
    assert (await client.job(job_id))["state"] == "pending"


async def test_one_that_does_not_last_is_started_less_and_less_eagerly(server):
    for killed in range(3):
        pids = await ready(server, 2 + killed)
        os.kill(pids[-1], signal.SIGKILL)
    await until(lambda: len(server.logged("edge.died")) == 3)
    died = server.logged("edge.died")
    assert {line["edge"] for line in died} <= {1, 2}
    assert [line["exit_code"] for line in died] == [-signal.SIGKILL] * 3
    last = [line["again_in_ms"] for line in died if line["edge"] == died[-1]["edge"]]
    assert last == sorted(last)
    assert last[-1] > last[0]


async def test_processes_end_with_their_node(server):
    pids = await ready(server, 2)
    assert all(map(is_alive, pids))
    server.process.kill()
    # At once, so that they do not keep the address from the next one.
    server.process.start()
    assert not any(map(is_alive, pids))
    assert len(set(await ready(server, 4))) == 4


async def test_signals_to_the_whole_group_are_for_the_node(server, client):
    """As Ctrl-C and `systemctl stop` send them."""
    pids = await ready(server, 2)
    poll = asyncio.create_task(client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 60}))
    await until(lambda: is_waiting(client, 1))
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
        os.kill(pid, signal.SIGINT)
    stopped = asyncio.get_running_loop().run_in_executor(None, server.process.terminate)
    assert (await poll).status == 204
    assert await stopped == 0


async def is_waiting(client, count):
    return b"corvo_fetch_waiting %.1f" % count in (await client.get("/api/v1/metrics")).body
