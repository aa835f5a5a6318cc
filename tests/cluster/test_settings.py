"""Settings that all nodes share: recorded by the cluster, compared when a node joins and when it starts."""

import asyncio

import pytest

from chaos.group import Group
from chaos.process import Server, free_port
from corvo.actors.cluster.shared_settings import shared_settings_of
from corvo.core import limits
from corvo.core.shared_settings import decode_shared_settings
from corvo.node.clustering import ClusterProblem
from corvo.storage import keys
from tests.support.cluster import cluster_of
from tests.support.node import running, until

pytestmark = pytest.mark.slow

HOUR = 3_600_000


def recorded(node):
    return decode_shared_settings(node._machine.state.store.get(keys.SHARED_SETTINGS))


async def test_a_node_alone_changes_its_settings_as_it_likes(tmp_path):
    for retention in (HOUR, 2 * HOUR):
        async with running(tmp_path, retention=retention) as node:
            await node.client.enqueue()
            assert recorded(node.node) is None


async def test_two_nodes_record_what_they_must_have_in_common(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", retention=HOUR) as cluster:
        for node_id, node in cluster.nodes.items():
            await until(lambda n=node, i=node_id: recorded(n) == shared_settings_of(cluster.config(i)))


async def test_the_last_node_left_is_free_again(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", retention=HOUR) as cluster:
        await until(lambda: recorded(cluster.nodes["n1"]) is not None)
        await cluster.client("n1").post("/api/v1/cluster/transfer", {"node_id": "n1"})
        await cluster.client("n1").post("/api/v1/cluster/remove", {"node_id": "n2"})
        await cluster.nodes["n2"].dismissed.wait()
        await cluster.stop("n2")
        await cluster.stop("n1")
        node = await cluster.start("n1", retention=2 * HOUR)
        await until(lambda: recorded(node)["retention"] == 2 * HOUR)


async def test_settings_are_changed_by_a_member_that_is_told_to(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3", retention=HOUR) as cluster:
        follower = cluster.followers[0]
        await until(lambda: recorded(cluster.nodes[follower]) is not None)
        await cluster.stop(follower)
        with pytest.raises(ClusterProblem, match="--retention is 2h on"):
            await cluster.start(follower, retention=2 * HOUR)
        await cluster.start(follower, retention=2 * HOUR, change_settings=True)
        for node in cluster.nodes.values():
            await until(lambda n=node: recorded(n)["retention"] == 2 * HOUR)

        # The others go on as they are until they are restarted, and then need the new settings as well.
        other = cluster.followers[-1]
        await cluster.stop(other)
        with pytest.raises(ClusterProblem, match=r"--retention is 1h on .* and 2h in the cluster"):
            await cluster.start(other)
        await cluster.start(other, retention=2 * HOUR)
        await cluster.until_settled(3)


async def test_nodes_whose_state_machines_differ_change_all_at_once(tmp_path, monkeypatch):
    """As docs/deploy.md says."""
    names = ("n1", "n2", "n3")
    async with cluster_of(tmp_path, *names) as cluster:
        job_id = await cluster.client("n1").enqueue()
        await until(lambda: all(recorded(node) for node in cluster.nodes.values()))
        places = {name: cluster.nodes[name]._seat.raft for name in names}
        follower = cluster.followers[0]
        await cluster.stop(follower)
        newer = limits.STATE_MACHINE_REVISION + 1
        monkeypatch.setattr(limits, "STATE_MACHINE_REVISION", newer)
        refusal = rf"STATE_MACHINE_REVISION is {newer} on .* Run the same version"
        with pytest.raises(ClusterProblem, match=refusal):
            await cluster.start(follower)

        for name in set(names) - {follower}:
            await cluster.stop(name)
        await asyncio.gather(
            *(cluster.start(name, raft_bind=places[name], change_settings=True) for name in names)
        )
        await cluster.until_settled(3)
        await until(
            lambda: {recorded(n)["STATE_MACHINE_REVISION"] for n in cluster.nodes.values()} == {newer}
        )
        assert (await cluster.client(follower).job(job_id))["state"] == "pending"

        other = cluster.followers[0]
        await cluster.stop(other)
        await cluster.start(other)
        await cluster.until_settled(3)


@pytest.fixture
def group(tmp_path):
    group = Group(tmp_path, 2, "--retention", "48h")
    try:
        group.form()
        yield group
    finally:
        group.close()


def refusal(server):
    """What a node says that does not start."""
    with pytest.raises(RuntimeError, match="ended with 1"):
        server.start()
    return server.data_dir.with_name(f"{server.data_dir.name}.log").read_text().splitlines()[-1]


def test_a_process_with_other_settings_is_refused_when_it_joins_and_when_it_comes_back(group, tmp_path):
    member = group.servers["n1"]
    newcomer = Server(
        tmp_path / "n9",
        free_port(),
        *("--node-id", "n9", "--raft-bind", f"127.0.0.1:{free_port()}"),
        *("--join", group.servers["n2"].command[group.servers["n2"].command.index("--join") + 1]),
        *("--retention", "24h", "--max-payload-size", "1000"),
        environment=member.environment,
    )
    try:
        said = refusal(newcomer)
        assert "--max-payload-size is 1000 on n9 and 262144 in the cluster" in said
        assert "--retention is 24h on n9 and 48h in the cluster" in said
        assert "Start n9 with the cluster's values" in said
    finally:
        newcomer.close()
    assert group.voters() == 2

    follower = group.servers["n2" if group.until_leading() == "n1" else "n1"]
    assert follower.terminate() == 0
    follower.command[follower.command.index("48h")] = "24h"
    assert "--retention is 24h on" in refusal(follower)
    follower.command[follower.command.index("24h")] = "48h"
    follower.start()
    group.until_level()
