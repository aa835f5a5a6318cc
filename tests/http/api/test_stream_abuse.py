"""The worker stream with clients that are careless, or gone."""

import asyncio
from contextlib import nullcontext

import msgspec

from corvo.actors.fetch.messages import Handed, HangUp, Wait
from corvo.actors.kernel.api import Actor
from corvo.actors.kernel.loop import ActorSystem
from corvo.config import Config
from corvo.core.clock import SystemClock
from corvo.http.api.stream import WorkerStream
from corvo.http.serve import context
from corvo.http.serve.access.control import AccessControl
from corvo.http.serve.open_streams import OpenStreams
from corvo.http.serve.tenancy.tenants import Tenants
from corvo.http.wire.byte_budget import ByteBudget
from corvo.http.wire.message import request_of
from tests.http.api.test_stream import Http1, Http2, _is_waiting
from tests.support.node import until


async def test_a_client_that_said_all_and_hung_up_gets_no_job(client):
    """Its request is complete, so only the connection can say that it is gone."""

    async def nobody_waits():
        return not await _is_waiting(client)

    for kind in (Http1, Http2):
        async with kind(client) as http:
            http.send(b'{"request_id":1,"queues":["q"],"worker_id":"w","fetch_count":1,"wait_ms":30000}\n')
            http.end()
            await until(lambda: _is_waiting(client))
        await until(nobody_waits)
    job_id = await client.enqueue("q")
    assert (await client.get(f"/api/v1/jobs/{job_id}")).json()["state"] == "pending"


async def test_a_line_with_a_member_that_is_wrong_is_answered_by_its_number(client):
    async with Http1(client) as http:
        http.send(b'{"request_id":7,"fetch_count":100000}\n')
        answer = await http.next()
        assert (answer["request_id"], answer["code"]) == (7, "BAD_FRAME")


async def test_a_long_line_in_small_pieces_costs_no_more_than_its_length(client):
    """Eight megabytes, sixteen bytes at a time: copied with each of them, it would take until tomorrow."""
    payload = b'{"n":"%s"}' % (b"x" * 200_000)
    item = b'{"queue":"q","payload":%s}' % payload
    line = b'{"request_id":1,"enqueues":[%s]}\n' % b",".join([item] * 40)

    async def pieces():
        for start in range(0, len(line), 16):
            yield line[start : start + 16]

    stream = WorkerStream(_Limits, _request(pieces()))
    assert [text async for text in stream._lines()] == [line[:-1]]


async def test_a_claim_that_hangs_is_given_up_and_the_desk_is_told(monkeypatch):
    """Else the desk would hand the job to somebody who has gone on long ago."""
    monkeypatch.setattr(context, "APPLY_TIMEOUT_S", 0.02)
    told = []
    system = ActorSystem()
    desk = system.createActor(_Silent, told)
    actors = context.Actors(**{field.name: desk for field in msgspec.structs.fields(context.Actors)})
    access = AccessControl(SystemClock(), [], may_be_open=True)
    ctx = context.EdgeContext(Config(), system, actors, SystemClock(), access, durable=False)
    wait = Wait(7, ("q",), "w", "", 60_000, 1, 0)
    assert await ctx.wait_on_stream(wait) == Handed([], 0)
    await until(lambda: told == [wait, HangUp(7)])
    ctx.close()
    await system.stop(1.0)


class _Silent(Actor):
    def __init__(self, told):
        self._told = told

    def receiveMsg_Message(self, msg, sender):
        self._told.append(msg)


async def test_a_stream_that_begins_while_the_node_stops_is_told_so():
    open_streams = OpenStreams()
    open_streams.stop()

    async def nothing():
        for piece in ():
            yield piece

    stream = WorkerStream(_Limits, _request(nothing()))
    (line,) = [said async for said in open_streams.hold(stream, lambda end: nullcontext())]
    assert b'"SHUTTING_DOWN"' in line
    assert open_streams.count == 0


async def _for_ever():
    await asyncio.Event().wait()


def _request(incoming):
    return request_of(
        "POST", "/api/v1/stream", b"", {}, b"", {}, started_ns=0, peer="", gone=_for_ever, incoming=incoming
    )


class _Limits:
    open_streams = OpenStreams()
    tenants = Tenants(SystemClock())
    incoming = ByteBudget(128 * 1024 * 1024)

    class config:  # noqa: N801 - stands for the attribute of this name
        max_body_size = 16 * 1024 * 1024
        body_timeout = 30_000
