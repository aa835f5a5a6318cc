"""A follower whose disk hangs: the cluster goes on, its memory stays bounded, and it catches up."""

import functools
import threading

import pytest

from corvo import wiring
from corvo.actors.messages import GetStatus
from corvo.consensus.settings import Flow, RaftSettings
from tests.cluster.test_members import contents, level
from tests.support.cluster import cluster_of
from tests.support.node import until

FLOW = Flow(apply_entries=8, unstored_entries=30)
ENTRIES = 150


@pytest.fixture
def little_unstored(monkeypatch):
    monkeypatch.setattr(wiring, "RaftSettings", functools.partial(RaftSettings, flow=FLOW))


async def landing(node):
    return (await node.system.ask(node.actors.fsm, GetStatus())).figures["landing"]


@pytest.mark.slow
async def test_a_follower_with_a_slow_disk_is_fed_no_faster_than_it_stores(
    tmp_path, monkeypatch, little_unstored
):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        leader, slow = cluster.client(cluster.leader), cluster.nodes[cluster.followers[0]]
        go_on = threading.Event()
        write = slow._kv.write

        def hanging(writes, *, sync):
            assert go_on.wait(60)
            write(writes, sync=sync)

        with monkeypatch.context() as patch:
            patch.setattr(slow._kv, "write", hanging)
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
