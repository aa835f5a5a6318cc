"""A node that is asked to stop answers what is under way, whatever speaks for it."""

import asyncio

import pytest

from tests.http.api.test_stream import Http1, Http2, Talker
from tests.http.edges.choices import CHOICES
from tests.http.edges.wire import connected, head
from tests.support.node import until

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", CHOICES)
async def test_a_node_that_stops_answers_what_is_under_way(start, name):
    server = start(name, "--body-timeout", "10s")
    client = server.client
    polls = [
        asyncio.create_task(client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 60})) for _ in range(10)
    ]
    idle = await client.connect()
    await idle.request("GET", "/healthz")
    body = b'{"queue":"other"}'
    async with connected(client) as (reader, writer), Http1(client) as one, Http2(client) as two:
        writer.write(head("POST", "/api/v1/enqueue", f"content-length: {len(body)}") + body[:5])
        talkers = [Talker(one), Talker(two)]
        for talker in talkers:
            talker.say(queues=["q"], worker_id="w", fetch_count=1, wait_ms=60_000)

        async def all_wait():
            return b"corvo_fetch_waiting 12.0" in (await client.get("/api/v1/metrics")).body

        await until(all_wait)
        stopped = asyncio.get_running_loop().run_in_executor(None, server.process.terminate)
        async with asyncio.timeout(30):
            assert [(await poll).status for poll in polls] == [204] * 10
            writer.write(body[5:])
            assert b" 201 " in await reader.readline()
            for talker in talkers:
                assert (await talker.hear())["jobs"] == []
                assert (await talker.hear())["code"] == "SHUTTING_DOWN"
                assert await talker.hear() is None
            assert await stopped == 0
    await idle.close()
    assert server.logged("http.failed") == []
    assert server.logged("library.said") == []
