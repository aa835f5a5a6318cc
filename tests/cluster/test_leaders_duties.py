"""What only a leader does goes on with the next one: schedules fire, webhooks are delivered."""

import asyncio
from collections import Counter
from itertools import pairwise

import pytest

from chaos.group import Group
from tests.support.client import Client
from tests.support.node import until
from tests.support.receiver import receiving
from tests.support.schedules import ns

SECOND = 1_000_000_000

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


@pytest.fixture
def group(tmp_path):
    group = Group(tmp_path, 3, "--webhook-allow-private")
    try:
        group.form()
        yield group
    finally:
        group.close()


def slots(receiver):
    """Each fire time, and the numbers of the events that told of it."""
    found = {}
    for received in receiver.got:
        if received.event["type"] == "schedule.fired":
            found.setdefault(ns(received.event["data"]["slot_at"][:-1]), set()).add(received.event["seq"])
    return found


async def test_no_fire_time_is_missed_or_doubled_and_every_event_is_delivered_over_a_failover(group):
    leader = await asyncio.to_thread(group.until_leading)
    survivors = [server for node_id, server in group.servers.items() if node_id != leader]
    client = Client(f"127.0.0.1:{survivors[0].port}")
    async with receiving() as receiver:
        hook = {"url": receiver.url, "retry_limit": 100}
        assert (await client.post("/api/v1/webhooks", hook)).status == 200
        tick = {"name": "tick", "queue": "q", "cron": "* * * * * *", "misfire": "all"}
        assert (await client.post("/api/v1/schedules", tick)).status == 201
        await until(lambda: len(slots(receiver)) >= 2, seconds=20)

        await asyncio.to_thread(group.servers[leader].kill)
        before = len(slots(receiver))
        for number in range(20):
            job = {"queue": "other", "payload": number}
            reply = await client.post("/api/v1/enqueue", job, **{"idempotency-key": f"job {number}"})
            assert reply.status == 201, reply
        await until(lambda: len(slots(receiver)) >= before + 3, seconds=40)

        disabled = await client.post("/api/v1/schedules/tick/disable")
        assert disabled.status == 200
        await until(lambda: len(slots(receiver)) == disabled.json()["fired"], seconds=20)
        fired = slots(receiver)
        # None left out, and none told of by two events.
        assert {later - earlier for earlier, later in pairwise(sorted(fired))} == {SECOND}
        assert Counter(len(seqs) for seqs in fired.values()) == {1: len(fired)}
        # Every event came at least once, and in order when it came first.
        first_seen = list(dict.fromkeys(receiver.seqs))
        assert first_seen == list(range(1, max(first_seen) + 1))
        events = {received.event["seq"]: received.event for received in receiver.got}.values()
        enqueued = [event["queue"] for event in events if event["type"] == "enqueued"]
        assert enqueued.count("other") == 20
