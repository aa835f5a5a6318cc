"""A key that is revoked ends what its client has open: streams, server-sent events, waiting fetches."""

import asyncio

import pytest

from corvo.actors.status import GetStatus
from tests.support.access import Talk, delete_key, new_client
from tests.support.node import until


@pytest.fixture
async def worker(admin):
    return await new_client(admin, name="w", role="worker")


async def test_a_fetch_that_waits_is_turned_away(node, admin, worker):
    waiting = asyncio.create_task(worker.post("/api/v1/fetch", {"queues": ["q"], "timeout": 30}))

    async def is_waiting():
        return (await node.node.system.ask(node.node.actors.fetch_desk, GetStatus())).waiting

    await until(is_waiting)
    await delete_key(admin, "w")
    reply = await asyncio.wait_for(waiting, 5)
    assert (reply.status, reply.code) == (401, "UNAUTHORIZED")
    job = await admin.enqueue()
    assert (await admin.job(job))["state"] == "pending"


async def test_a_stream_of_events_ends_with_a_word(admin, worker):
    talk = await Talk.begin(worker, "GET /api/v1/events")
    await talk.hear(b":connected")
    await delete_key(admin, "w")
    assert b"event: error" in await talk.hear(b"UNAUTHORIZED")
    talk.close()


async def test_a_workers_stream_ends_with_a_word(admin, worker):
    line = b'{"request_id":1,"queues":["q"],"fetch_count":1}\n'
    talk = await Talk.begin(worker, "POST /api/v1/stream", line)
    await talk.hear(b'"request_id":1')
    await delete_key(admin, "w")
    await talk.hear(b"UNAUTHORIZED")
    talk.close()


async def test_each_line_of_a_stream_needs_what_its_route_needs(admin):
    role = {"name": "taker", "permissions": [{"resource": "fetch", "actions": ["write"]}]}
    await admin.post("/api/v1/auth/roles", role)
    taker = await new_client(admin, name="t", role="taker")
    line = b'{"request_id":1,"enqueues":[{"queue":"q"}]}\n'
    talk = await Talk.begin(taker, "POST /api/v1/stream", line)
    assert b"enqueue:write" in await talk.hear(b"FORBIDDEN")
    assert (await admin.get("/api/v1/queues")).json() == []
    talk.close()
