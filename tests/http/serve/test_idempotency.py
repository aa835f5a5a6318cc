"""Requests that take several entries and are repeated by their key, on a node of its own."""

import asyncio

import pytest

from corvo.http.serve.context import EdgeContext
from corvo.http.serve.idempotency import once_of
from corvo.http.serve.write_gather import Awaiting
from corvo.http.wire.message import Request
from corvo.ops.idempotency import Report
from corvo.ops.queue_admin import ClearQueue, DeleteQueue
from corvo.ops.results import Upkept, encode_result


async def test_what_is_still_on_its_way_into_the_log_counts_as_done(node):
    """Who sent it hung up, or was told that nobody knows; then it is asked for again."""
    ctx = node.node._context
    request = Request("POST", "/api/v1/queues/q/clear", {}, {b"idempotency-key": b"k"}, b"", {}, 0)
    first = asyncio.ensure_future(ctx.remember(request, Upkept(7, more=False), 0))
    await asyncio.sleep(0)
    first.cancel()
    assert (await ctx.recall(request)).count == 7


async def test_what_was_not_even_handed_to_the_batcher_counts_as_done(node, monkeypatch):
    ctx = node.node._context
    # A batcher that lets ops gather for a while has nothing in the log yet.
    idle = await ctx._consensus()
    monkeypatch.setattr(ctx, "_consensus", lambda: asyncio.sleep(0, idle))
    request = Request("POST", "/api/v1/queues/q/clear", {}, {b"idempotency-key": b"k"}, b"", {}, 0)
    # Both begin in one turn of the loop, so that the question overtakes what gathers for the batcher.
    asking = asyncio.ensure_future(ctx.recall(request))
    once, report = once_of(request, 1), Report(encode_result(Upkept(7, more=False)))
    ctx.write_gather.put(Awaiting(asyncio.get_running_loop()), (once, report), 100)
    assert (await asking).count == 7


def of_another_node(ctx):
    """An edge that knows nothing of what this one is about to do."""
    return EdgeContext(ctx.config, ctx.system, ctx.actors, ctx.clock, ctx.access, durable=ctx.durable)


async def test_what_two_nodes_work_off_at_the_same_moment_is_done_once(node, client):
    jobs = [{"queue": "q"} for _ in range(50)]
    assert (await client.post("/api/v1/enqueue/batch", {"jobs": jobs})).status == 201
    here = node.node._context
    request = Request("DELETE", "/api/v1/queues/q", {}, {b"idempotency-key": b"k"}, b"", {}, 0)
    both = [ctx.work_off(request, DeleteQueue("q", limit=10), 100) for ctx in (here, of_another_node(here))]
    found = await asyncio.gather(*both)
    assert [count for count, _ in found] == [50, 50]
    assert sorted(written.replayed for _, written in found) == [False, True]


async def test_who_was_killed_before_it_could_say_how_it_went_does_not_do_it_again(node, client, monkeypatch):
    await client.enqueue()
    ctx = node.node._context
    request = Request("POST", "/api/v1/queues/q/clear", {}, {b"idempotency-key": b"k"}, b"", {}, 0)

    async def killed(*_):
        raise ConnectionResetError

    with monkeypatch.context() as patch:
        patch.setattr(ctx, "remember", killed)
        with pytest.raises(ConnectionResetError):
            await ctx.work_off(request, ClearQueue("q", limit=10), 100)
    job_id = await client.enqueue()
    count, _ = await ctx.work_off(request, ClearQueue("q", limit=10), 100)
    assert count == 1
    assert (await client.job(job_id))["state"] == "pending"


async def test_on_a_node_of_its_own_a_key_costs_no_entry_but_its_own(client):
    async def entries(**headers):
        before = int((await client.post("/api/v1/enqueue", {"queue": "q"})).headers["x-corvo-index"])
        done = await client.post("/api/v1/queues/q/clear", {}, **headers)
        return int(done.headers["x-corvo-index"]) - before

    assert await entries() == 1
    assert await entries(idempotency_key="k") == 2
