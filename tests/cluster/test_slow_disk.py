"""A follower whose disk hangs: the cluster goes on, its memory stays bounded, and it catches up."""

import functools
import threading
from contextlib import contextmanager

import pytest

from corvo.actors.status import GetStatus
from corvo.consensus.settings import FlowControl, RaftSettings
from corvo.node import wiring
from tests.cluster.test_members import contents, level
from tests.support.cluster import cluster_of
from tests.support.node import until

pytestmark = pytest.mark.slow

FLOW = FlowControl(apply_entries=8, unstored_entries=30)
ENTRIES = 150


@pytest.fixture
def little_unstored(monkeypatch):
    monkeypatch.setattr(wiring, "RaftSettings", functools.partial(RaftSettings, flow=FLOW))


async def landing(node):
    return (await node.system.ask(node.actors.fsm, GetStatus())).landing


@contextmanager
def hanging_disk(node, monkeypatch):
    """What is let go by the event given."""
    go_on = threading.Event()
    write = node._kv.write

    def hanging(writes, *, sync):
        assert go_on.wait(60)
        write(writes, sync=sync)

    with monkeypatch.context() as patch:
        patch.setattr(node._kv, "write", hanging)
        try:
            yield go_on
        finally:
            go_on.set()


@pytest.mark.slow
async def test_a_follower_with_a_slow_disk_is_fed_no_faster_than_it_stores(
    tmp_path, monkeypatch, little_unstored
):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        leader, slow = cluster.client(cluster.leader), cluster.nodes[cluster.followers[0]]
        with hanging_disk(slow, monkeypatch) as go_on:
            for _ in range(ENTRIES):
                await leader.enqueue()
            # It has the entries, and knows that they are committed; but it applies only some of them.
            await until(
                lambda: slow._raft.status().commit_index > slow._raft.status().stored_index + ENTRIES - 10
            )
            await until(lambda: slow._raft.status().applied_index >= slow._raft.status().stored_index + 30)
            assert await landing(slow) <= FLOW.unstored_entries + FLOW.apply_entries
            go_on.set()
            await level(cluster)
        assert contents(slow) == contents(cluster.nodes[cluster.leader])
        assert await landing(slow) == 0


@pytest.mark.parametrize("deed", ["clear", "bulk"])
async def test_a_follower_that_is_behind_does_not_do_again_what_was_done(
    tmp_path, monkeypatch, little_unstored, deed
):
    """It has not heard of the first request yet, so that its own memory of keys is no answer."""
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        leader, slow = cluster.client(cluster.leader), cluster.nodes[cluster.followers[0]]
        behind = cluster.client(cluster.followers[0])
        with hanging_disk(slow, monkeypatch) as go_on:
            for _ in range(60):
                job_id = await leader.enqueue()
            bulk = ("/api/v1/jobs/bulk", {"action": "cancel", "job_ids": [job_id]})
            path, body = bulk if deed == "bulk" else ("/api/v1/queues/q/clear", {})
            first = await leader.post(path, body, idempotency_key="k")
            assert first.status == 200
            if deed == "bulk":
                await leader.post(f"/api/v1/jobs/{job_id}/retry")
            else:
                job_id = await leader.enqueue()
            while_behind = await behind.post(path, body, idempotency_key="k")
            assert (while_behind.status, while_behind.code) == (503, "STALE")
            go_on.set()
        await level(cluster)
        again = await behind.post(path, body, idempotency_key="k")
        assert again.headers["idempotency-replayed"] == "true"
        assert (await leader.job(job_id))["state"] == "pending"


async def test_a_follower_that_stays_behind_says_so_to_who_reads_all_there_is(
    tmp_path, monkeypatch, little_unstored
):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        leader, slow = cluster.client(cluster.leader), cluster.nodes[cluster.followers[0]]
        behind = cluster.client(cluster.followers[0])
        with hanging_disk(slow, monkeypatch):
            for _ in range(60):
                job_id = await leader.enqueue()
            reply = await behind.get(f"/api/v1/jobs/{job_id}?consistency=leader")
            assert (reply.status, reply.code) == (503, "STALE")
