"""Requests that take several entries and are repeated by their key, on a node of its own."""

import asyncio

from corvo.http.message import Request
from corvo.ops.results import Upkept


async def test_what_is_still_on_its_way_into_the_log_counts_as_done(node):
    """Who sent it hung up, or was told that nobody knows; then it is asked for again."""
    ctx = node.node._context
    request = Request("POST", "/api/v1/queues/q/clear", {}, {b"idempotency-key": b"k"}, b"", {}, 0)
    first = asyncio.ensure_future(ctx.remember(request, Upkept(7, more=False), 0))
    await asyncio.sleep(0)
    first.cancel()
    assert (await ctx.recall(request)).count == 7


async def test_on_a_node_of_its_own_a_key_costs_no_entry_but_its_own(client):
    async def entries(**headers):
        before = int((await client.post("/api/v1/enqueue", {"queue": "q"})).headers["x-corvo-index"])
        done = await client.post("/api/v1/queues/q/clear", {}, **headers)
        return int(done.headers["x-corvo-index"]) - before

    assert await entries() == 1
    assert await entries(idempotency_key="k") == 2
