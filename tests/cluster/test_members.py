"""Nodes come, go, hand over and catch up; in one process, over real links."""

import asyncio
import shutil

import pytest
from msgspec.structs import replace

from corvo.node.clustering import ClusterProblem
from corvo.storage.datadir import DataDirProblem, current_store
from corvo.storage.leveldb import LevelDbKv
from tests.support.cluster import cluster_of
from tests.support.node import until

# A cluster of its own for each test; test_any_node_answers.py and test_forming.py are what `make check` runs.
pytestmark = pytest.mark.slow

CLUSTER = "/api/v1/cluster"


async def level(cluster):
    """Wait until all nodes have applied the same, and it is on their disks."""

    def is_level():
        statuses = [cluster.status(node_id) for node_id in cluster.nodes]
        return len({(s.commit_index, s.applied_index, s.stored_index) for s in statuses}) == 1 and all(
            s.stored_index == s.log_last_index for s in statuses
        )

    await until(is_level, seconds=20)


def contents(node):
    snapshot = node._kv.snapshot()
    try:
        return dict(snapshot.scan(b"\0", b"\xff"))
    finally:
        snapshot.close()


async def fill(client, count):
    for start in range(0, count, 5):
        jobs = [{"queue": "q", "payload": {"n": start + n}} for n in range(5)]
        reply = await client.post("/api/v1/enqueue/batch", {"jobs": jobs})
        assert reply.status == 201, reply


async def test_a_new_node_gets_the_state_as_a_snapshot_when_the_log_is_cut(tmp_path):
    async with cluster_of(tmp_path, "n1", snapshot_threshold=100) as cluster:
        await fill(cluster.client("n1"), 1_500)
        await until(lambda: cluster.status("n1").log_first_index > 100)
        await cluster.start("n2")
        await cluster.until_settled(2)
        await level(cluster)
        assert cluster.nodes["n2"]._raft.stats.snapshots_installed == 1
        assert contents(cluster.nodes["n1"]) == contents(cluster.nodes["n2"])

        # It serves from the new store, its mirror knows the jobs, and both survive a restart.
        client = cluster.client("n2")
        job = await client.fetch("q")
        await client.post(f"/api/v1/ack/{job['job_id']}", {})
        assert (await client.post("/api/v1/admin/check")).json()["problems"] == []
        await cluster.stop("n2")
        assert current_store(tmp_path / "n2").name == "kv-2"
        await cluster.start("n2")
        await cluster.until_settled(2)
        assert (await cluster.client("n2").job(job["job_id"]))["state"] == "completed"
        # The store it had before is gone.
        assert [path.name for path in (tmp_path / "n2").glob("kv-*")] == ["kv-2"]
        assert (await cluster.client("n2").post("/api/v1/admin/check")).json()["problems"] == []


async def test_payloads_of_every_size_go_into_a_snapshot(tmp_path):
    """A leader once ended over four jobs of 150 KB each, and again after every restart."""
    async with cluster_of(tmp_path, "n1", snapshot_threshold=100, max_payload_size=2_000_000) as cluster:
        client = cluster.client("n1")
        for size in (150_000, 150_000, 150_000, 150_000, 260_000, 1_500_000):
            reply = await client.post("/api/v1/enqueue", {"queue": "q", "payload": "x" * size})
            assert reply.status == 201, reply
        await fill(client, 1_500)
        await until(lambda: cluster.status("n1").log_first_index > 100)
        await cluster.start("n2", max_payload_size=2_000_000)
        await cluster.until_settled(2)
        await level(cluster)
        assert cluster.nodes["n2"]._raft.stats.snapshots_installed == 1
        assert contents(cluster.nodes["n1"]) == contents(cluster.nodes["n2"])


async def test_a_follower_that_was_away_gets_what_it_missed(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        away = cluster.followers[0]
        await cluster.stop(away)
        await fill(cluster.client(cluster.leader), 50)
        await cluster.start(away, join="")
        await level(cluster)
        first, *others = (contents(node) for node in cluster.nodes.values())
        assert all(first == other for other in others)


async def test_a_restarted_node_needs_no_flags_but_its_folder(tmp_path):
    """Also if its address has changed meanwhile: it tells the others."""
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        for node_id in ("n1", "n2", "n3"):
            await cluster.stop(node_id)
            await cluster.start(node_id, join="")
            await cluster.until_settled(3)
        for node_id, node in cluster.nodes.items():
            await until(lambda n=node, i=node_id: cluster.status("n1").members[i].raft == n._seat.raft)
        await cluster.client("n2").enqueue()


async def test_the_lead_can_be_handed_to_a_node_by_name(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        heir, other = cluster.followers
        reply = await cluster.client(other).post(f"{CLUSTER}/transfer", {"node_id": heir})
        assert (reply.status, reply.json()["transferred"]) == (200, True)
        await until(lambda: cluster.leader == heir)
        refused = await cluster.client(other).post(f"{CLUSTER}/transfer", {"node_id": heir})
        assert (refused.status, refused.code) == (400, "JOIN_ERROR")
        refused = await cluster.client(other).post(f"{CLUSTER}/transfer", {"node_id": "n9"})
        assert "n9 is no member" in refused.json()["error"]


async def test_a_follower_is_removed_and_told_so(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        victim = cluster.followers[0]
        reply = await cluster.client(cluster.followers[1]).post(f"{CLUSTER}/remove", {"node_id": victim})
        assert (reply.status, reply.json()["removed"]) == (200, True)
        async with asyncio.timeout(10):
            await cluster.nodes[victim].dismissed.wait()
        await cluster.stop(victim)
        await cluster.until_settled(2)
        again = await cluster.client(cluster.leader).post(f"{CLUSTER}/remove", {"node_id": victim})
        assert again.json()["removed"] is False
        with pytest.raises(ClusterProblem, match="was removed from its cluster"):
            await cluster.start(victim, join="")
        # Asked to, it comes back with what it has.
        await cluster.start(victim)
        await cluster.until_settled(3)


async def test_a_node_that_comes_back_with_nothing_is_not_told_of_its_former_life(tmp_path):
    """The log says that a node of this name came, and went, and came: only the last concerns this one."""
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        victim = cluster.followers[0]
        await cluster.client(cluster.leader).post(f"{CLUSTER}/remove", {"node_id": victim})
        async with asyncio.timeout(10):
            await cluster.nodes[victim].dismissed.wait()
        await cluster.stop(victim)
        shutil.rmtree(tmp_path / victim)
        node = await cluster.start(victim)
        await cluster.until_settled(3)
        await level(cluster)
        assert not node.dismissed.is_set()
        # From now on it is a member like any other, and is told.
        await cluster.client(cluster.leader).post(f"{CLUSTER}/remove", {"node_id": victim})
        async with asyncio.timeout(10):
            await node.dismissed.wait()


async def test_a_leader_that_leaves_hands_over_first(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        leader = cluster.leader
        reply = await cluster.client(leader).post(f"{CLUSTER}/leave")
        assert (reply.status, reply.json()["removed"]) == (200, True), reply
        async with asyncio.timeout(10):
            await cluster.nodes[leader].dismissed.wait()
        await cluster.stop(leader)
        await cluster.until_settled(2)
        await cluster.client(cluster.leader).enqueue()


async def test_a_name_that_is_taken_is_refused_with_a_sentence(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        with pytest.raises(ClusterProblem, match="n2 is a member already"):
            await cluster.start("n2", data_dir=str(tmp_path / "another"))


async def test_another_secret_is_not_let_in(tmp_path):
    async with cluster_of(tmp_path, "n1") as cluster:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1.5):
                await cluster.start("n2", cluster_secret="another secret than theirs")
        assert list(cluster.status("n1").members) == ["n1"]


async def test_a_node_that_was_stopped_while_it_waited_to_be_taken_in_does_not_begin_a_cluster(tmp_path):
    async with cluster_of(tmp_path) as cluster:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await cluster.start("n2", join="127.0.0.1:1")
        await cluster.start("n1", join="")
        await cluster.start("n2", join=cluster.nodes["n1"]._seat.raft)
        await cluster.until_settled(2)


async def test_a_store_that_was_never_finished_is_swept_away(tmp_path):
    async with cluster_of(tmp_path, "n1") as cluster:
        await cluster.client("n1").enqueue()
        await cluster.stop("n1")
        LevelDbKv(tmp_path / "n1" / "kv-7", create=True).close()
        await cluster.start("n1")
        assert [path.name for path in (tmp_path / "n1").glob("kv-*")] == ["kv-1"]


async def test_the_status_shows_how_far_every_node_is(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        await fill(cluster.client("n2"), 20)
        await level(cluster)
        for node_id in cluster.nodes:
            body = (await cluster.client(node_id).get(f"{CLUSTER}/status")).json()
            rows = {row["id"]: row for row in body["nodes"]}
            assert sorted(rows) == ["n1", "n2", "n3"]
            assert body["leader_id"] == cluster.leader
            assert body["leader_http"] == cluster.nodes[cluster.leader].address
            for row in rows.values():
                assert row["connected"]
                assert row["voter"]
                assert (row["term"], row["lag"]) == (body["term"], 0)
                assert row["applied_index"] == int(body["applied_index"])
            assert [row["id"] for row in rows.values() if row["self"]] == [node_id]
            assert [row["id"] for row in rows.values() if row["role"] == "leader"] == [cluster.leader]


async def test_a_read_can_ask_for_all_that_was_ever_acknowledged(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        writer, reader = (cluster.client(node_id) for node_id in cluster.followers)
        for number in range(20):
            job_id = await writer.enqueue("q", {"n": number})
            reply = await reader.get(f"/api/v1/jobs/{job_id}?consistency=leader")
            assert reply.status == 200
            assert int(reply.headers["x-corvo-index"]) > 0
        reply = await reader.get(f"/api/v1/jobs/{job_id}?consistency=often")
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


async def test_a_minority_refuses_writes_and_still_reads(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3", leader_wait=300) as cluster:
        job_id = await cluster.client("n1").enqueue()
        await level(cluster)
        last = cluster.followers[0]
        for node_id in [node_id for node_id in cluster.nodes if node_id != last]:
            await cluster.stop(node_id)
        await until(lambda: cluster.status(last).leader_id is None)
        reply = await cluster.client(last).post("/api/v1/enqueue", {"queue": "q", "payload": {}})
        assert (reply.status, reply.code) == (503, "LEADER_UNAVAILABLE")
        assert "retry-after" in reply.headers
        assert (await cluster.client(last).job(job_id))["state"] == "pending"


async def test_a_node_whose_state_differs_stops_and_does_not_start_again(tmp_path, monkeypatch):
    monkeypatch.setattr("corvo.actors.state.fsm.CHECK_EVERY", 10)
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        odd = cluster.followers[0]
        node = cluster.nodes[odd]
        stopped = []
        node._fail_stop = stopped.append
        # A bit in its memory flips.
        state = node._machine.state
        state.meta = replace(state.meta, checksum=state.meta.checksum ^ 1)
        await fill(cluster.client(cluster.leader), 100)
        await until(lambda: stopped)
        assert "differs from that of most nodes" in stopped[0]
        await cluster.stop(odd)
        with pytest.raises(DataDirProblem, match=f"corvo cluster remove {odd}"):
            await cluster.start(odd)
        await cluster.client(cluster.leader).enqueue()

        # The way back: out, and in again with an empty folder.
        await cluster.client(cluster.leader).post(f"{CLUSTER}/remove", {"node_id": odd})
        await cluster.start(odd, data_dir=str(tmp_path / "anew"))
        await cluster.until_settled(3)
        await level(cluster)
        assert contents(cluster.nodes[odd]) == contents(cluster.nodes[cluster.leader])
