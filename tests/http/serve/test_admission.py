"""More comes in than can be taken."""

import asyncio
from random import Random

import pytest

from corvo.core.errors import Overloaded
from corvo.http.serve.admission import Admission
from corvo.http.serve.counters import EdgeCounters
from tests.support.node import running, until


@pytest.fixture
def counters():
    return EdgeCounters()


@pytest.fixture
def room(counters):
    return Admission(3, 10_000, counters, Random(1))


async def test_while_there_is_room_nobody_waits(room):
    for _ in range(3):
        await room.admit_request()
        room.enter(4, 1)
    with pytest.raises(Overloaded) as refused:
        await room.admit_request()
    assert refused.value.facts["retry_after_ms"] >= 200


async def test_who_waits_is_let_in_in_turn_as_far_as_there_is_room(room):
    came = []

    async def bring(number):
        await room.admit_request()
        came.append(number)
        room.enter(4, 1)

    room.enter(14, 4)
    tasks = [asyncio.create_task(bring(n)) for n in range(5)]
    await asyncio.sleep(0)
    room.leave(14, 4)
    await until(lambda: len(came) == 3)
    for _ in range(10):
        await asyncio.sleep(0)
    assert came == [0, 1, 2]
    room.leave(4, 1)
    await until(lambda: len(came) == 4)
    room.leave(4, 1)
    await asyncio.gather(*tasks)
    assert came == [0, 1, 2, 3, 4]


async def test_a_client_that_hangs_up_while_it_waits_brings_nothing_and_frees_its_turn(room, counters):
    room.enter(12, 3)
    hung_up = asyncio.Event()
    leaving = asyncio.create_task(room.admit_request(hung_up.wait))
    staying = asyncio.create_task(room.admit_request(asyncio.Event().wait))
    await asyncio.sleep(0)
    hung_up.set()
    with pytest.raises(Overloaded):
        await leaving
    assert counters.overloads == 0, "nobody was told to come back"
    room.leave(12, 3)
    await staying


async def test_who_goes_away_or_brings_nothing_does_not_keep_others_out(room):
    room.enter(12, 3)
    gone, nothing, last = [asyncio.create_task(room.admit_line()) for _ in range(3)]
    await asyncio.sleep(0)
    room.leave(12, 3)
    gone.cancel()
    async with asyncio.timeout(5):
        await asyncio.gather(nothing, last)


async def test_lines_of_workers_do_not_wait_for_producers_with_large_batches(room):
    room.enter(11, 1)
    async with asyncio.timeout(5):
        await room.admit_line()


async def test_a_line_that_turns_out_to_bring_nothing_does_not_keep_others_out(room):
    expected = room.expect(b"x" * 2_000)
    waiting = asyncio.create_task(room.admit_line())
    await asyncio.sleep(0)
    assert not waiting.done()
    room.forget(expected)
    async with asyncio.timeout(5):
        await waiting


async def test_a_node_that_has_no_room_refuses_after_a_moment_and_takes_more_later(tmp_path):
    async with running(tmp_path / "data", raft_max_pending=1) as node:
        context = node.node._context
        context.admission.enter(100, 100)
        refused = await node.client.post("/api/v1/enqueue", {"queue": "q"})
        assert (refused.status, refused.code) == (429, "OVERLOADED")
        assert refused.json()["retry_after_ms"] >= 200
        assert b"corvo_http_overload_total 1.0" in (await node.client.get("/api/v1/metrics")).body
        # What makes room is never refused for lack of it.
        assert (await node.client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 1})).status == 204
        waiting = asyncio.create_task(node.client.post("/api/v1/enqueue", {"queue": "q"}))
        await until(lambda: context.admission._for_requests._waiting)
        context.admission.leave(100, 100)
        assert (await waiting).status == 201
