"""Webhooks over kill -9: at least once, in order, and nothing missing."""

import asyncio
import itertools

import pytest

from chaos.process import Server, free_port
from tests.support.client import Client
from tests.support.node import until
from tests.support.receiver import receiving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def test_no_event_is_missing_and_none_is_out_of_order_over_kill_9(tmp_path):
    server = Server(tmp_path / "data", free_port(), "--webhook-allow-private")
    client = Client(f"127.0.0.1:{server.port}")
    async with receiving() as receiver:
        try:
            await asyncio.to_thread(server.start)
            await client.post("/api/v1/webhooks", {"url": receiver.url, "secret": "s", "retry_limit": 100})
            sent = kills = 0
            for delivered_at_least in (30, 90, 150):
                for _ in range(60):
                    await client.enqueue("q")
                    sent += 1
                # In the middle of things: some are delivered and saved, some only delivered, some neither.
                await until(lambda least=delivered_at_least: len(set(receiver.seqs)) >= least)
                await asyncio.to_thread(server.kill)
                await asyncio.to_thread(server.start)
                kills += 1
            last = (await client.get("/api/v1/webhooks")).json()[0]
            assert last["enabled"]
            await until(lambda: set(receiver.seqs) >= set(range(1, sent + 1)), seconds=30)
            await until(lambda: _saved(client, sent), seconds=10)
            first_seen = list(dict.fromkeys(receiver.seqs))
            assert first_seen == list(range(1, sent + 1))
            # It goes back only where the node was killed, and there only to what was not saved.
            steps_back = [b - a for a, b in itertools.pairwise(receiver.seqs) if b <= a]
            assert len(steps_back) <= kills

            # Now that all is saved, a kill repeats nothing.
            before = len(receiver.got)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            await client.enqueue("q")
            await until(lambda: len(receiver.got) > before)
            assert receiver.seqs[before:] == [sent + 1]
        finally:
            server.close()


async def _saved(client, seq):
    return (await client.get("/api/v1/webhooks")).json()[0]["cursor"] == seq
