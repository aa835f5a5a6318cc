"""Whom a node lets near: strangers at its raft port, holders of the secret, nodes that others name."""

import asyncio
import socket

import pytest
import structlog

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.node_messages import (
    ForgetKey,
    JoinCluster,
    NodeMessageUnknown,
    RelayOps,
    RemoveNode,
    TransferLead,
)
from corvo.consensus.identity import NodeIdentity
from corvo.consensus.link.hello import PROTOCOL_WITHOUT_KEYS, Hello
from corvo.consensus.link.mesh import split
from corvo.consensus.link.noise import key_of
from corvo.core.access.api_key import new_key
from corvo.node.clustering import ClusterProblem
from corvo.ops.queue_admin import PauseQueue
from tests.consensus.link.insider import Insider
from tests.support.cluster import SECRET, cluster_of
from tests.support.node import running, until

CLUSTER = "/api/v1/cluster"
LINK_KEY = key_of(SECRET)


def keys_of(cluster, node_id="n1"):
    return {name: member.key for name, member in cluster.status(node_id).members.items()}


async def until_keys_are_known(cluster):
    await until(lambda: all(all(keys_of(cluster, name).values()) for name in cluster.nodes), seconds=30)


async def leader_of(cluster):
    """Starting a node may keep the loop from its heartbeats, so one may have to be elected first."""
    return await until(lambda: cluster.leader)


async def enter(cluster, node_id, hello, identity=None):
    """Come to a node as somebody who knows the secret. None if it closes the door."""
    insider = await Insider.to(*split(cluster.nodes[node_id]._seat.raft))
    return insider, await insider.enter(hello, LINK_KEY, identity)


# Without a secret


async def test_a_node_without_a_secret_listens_for_no_other_node(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with running(tmp_path, raft_bind=f"127.0.0.1:{port}") as node:
        with pytest.raises(OSError, match="Connect call failed"):
            await asyncio.open_connection("127.0.0.1", port)
        await node.client.enqueue()
        reply = await node.client.post(f"{CLUSTER}/join", {"node_id": "n2", "addr": "127.0.0.1:1"})
        assert (reply.status, reply.code) == (400, "JOIN_ERROR")
        assert "start it with --cluster-secret-file" in reply.json()["error"]
        assert not (tmp_path / "node.key").exists()


async def test_without_a_secret_a_node_neither_joins_nor_looks_for_a_cluster(tmp_path):
    async with cluster_of(tmp_path, "n1") as cluster:
        with pytest.raises(ClusterProblem, match="--join is given, and nothing protects"):
            await cluster.start("n2", cluster_secret="")
        with pytest.raises(ClusterProblem, match="--discover is given, and nothing protects"):
            await cluster.start("n3", join="", discover="dns", cluster_secret="")


async def test_a_member_of_a_cluster_does_not_start_without_its_secret(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2") as cluster:
        for node_id in ("n1", "n2"):
            await cluster.stop(node_id)
        for node_id in ("n1", "n2"):
            with pytest.raises(ClusterProblem, match=f"{node_id} belongs to a cluster, and nothing protects"):
                await cluster.start(node_id, join="", cluster_secret="")


async def test_for_a_trial_nodes_of_one_machine_link_without_a_secret(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", cluster_secret="", insecure_open=True) as cluster:
        job_id = await cluster.client("n2").enqueue()
        assert (await cluster.client("n1").fetch("q"))["job_id"] == job_id
        assert set(keys_of(cluster).values()) == {""}


async def test_a_node_with_api_keys_links_with_a_secret_only(tmp_path):
    file = tmp_path / "key"
    file.write_text(new_key())
    settings = {"cluster_secret": "", "insecure_open": True, "api_key_file": str(file)}
    async with cluster_of(tmp_path, "n1", **settings) as cluster:
        assert cluster.nodes["n1"]._link is None
        with pytest.raises(ClusterProblem, match="--join is given, and nothing protects"):
            await cluster.start("n2", join="127.0.0.1:1")


# Keys


async def test_a_cluster_knows_its_members_by_their_keys(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        await until_keys_are_known(cluster)
        known = keys_of(cluster)
        assert known == {name: node._seat.key for name, node in cluster.nodes.items()}
        assert len(set(known.values())) == 3
        for node_id in ("n1", "n2", "n3"):
            await cluster.stop(node_id)
            await cluster.start(node_id, join="")
            await cluster.until_settled(3)
        assert keys_of(cluster) == known


async def test_who_knows_the_secret_cannot_take_a_members_place(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        await until_keys_are_known(cluster)
        await cluster.stop("n3")
        thief = NodeIdentity.generate()
        for hello, identity, is_told in (
            (Hello("n3", "corvo"), thief, True),
            (Hello("n3", "corvo"), thief, False),  # Once is enough: it may try for ever.
            (Hello("n3", "corvo"), None, True),
            (Hello("n3", "corvo", protocol=PROTOCOL_WITHOUT_KEYS), None, False),
        ):
            for node_id in ("n1", "n2"):
                with structlog.testing.capture_logs() as logs:
                    _, greeting = await enter(cluster, node_id, hello, identity)
                assert greeting is None
                assert ("link.other_key" in [line["event"] for line in logs]) == is_told
        await cluster.start("n3", join="")
        await cluster.until_settled(3)


async def test_a_node_with_a_copy_of_the_id_and_the_secret_is_told_what_to_do(tmp_path):
    """It has no data, but it has been taken in before, so the mesh would talk to it."""
    async with cluster_of(tmp_path, "n1", "n2") as cluster:
        await until_keys_are_known(cluster)
        with pytest.raises(ClusterProblem, match=r"n2 is a member already.*corvo cluster remove n2"):
            await cluster.start("n2", data_dir=str(tmp_path / "copy"))


async def test_a_member_that_lost_its_key_is_let_in_again_when_that_is_forgotten(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        await until_keys_are_known(cluster)
        before = keys_of(cluster)
        loser = "n3" if await leader_of(cluster) != "n3" else "n2"
        await cluster.stop(loser)
        (tmp_path / loser / "node.key").unlink()
        with structlog.testing.capture_logs() as logs:
            await cluster.start(loser, join="")
            await until(lambda: any(line["event"] == "link.other_key" for line in logs), seconds=30)
        assert cluster.status(loser).leader_id is None

        others = cluster.client(await leader_of(cluster))
        reply = await others.post(f"{CLUSTER}/forget-key", {"node_id": loser})
        assert (reply.status, reply.json()["forgotten"]) == (200, True)
        await cluster.until_settled(3)
        await until_keys_are_known(cluster)
        after = keys_of(cluster)
        assert after == before | {loser: cluster.nodes[loser]._seat.key}
        assert after[loser] != before[loser]

        for node_id, reason in (("n9", "n9 is no member"), (await leader_of(cluster), "leads")):
            refused = await cluster.client("n1").post(f"{CLUSTER}/forget-key", {"node_id": node_id})
            assert (refused.status, refused.code) == (400, "JOIN_ERROR")
            assert reason in refused.json()["error"]


async def test_members_from_before_keys_are_known_by_the_first_they_show(tmp_path, monkeypatch):
    """A cluster that was begun without keys: nothing is noted until all have one, then all is."""
    with monkeypatch.context() as before_keys:
        before_keys.setattr("corvo.node.node.link_identity", lambda config, folder: None)
        async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
            assert set(keys_of(cluster).values()) == {""}
            # One after the other, as in an upgrade.
            before_keys.undo()
            for node_id in ("n1", "n2", "n3"):
                assert set(keys_of(cluster, "n3").values()) == {""}
                await cluster.client(node_id).enqueue()
                await cluster.stop(node_id)
                await cluster.start(node_id, join="")
                await cluster.until_settled(3)
            await until_keys_are_known(cluster)
            assert keys_of(cluster) == {name: node._seat.key for name, node in cluster.nodes.items()}


# Holders of the secret that are no members


@pytest.mark.parametrize(
    "message",
    [
        RelayOps(7, 10, [PauseQueue("q", paused=True)]),
        RemoveNode(7, "n2"),
        ForgetKey(7, "n2"),
        TransferLead(7, "n2"),
        JoinCluster(7, "n2", "127.0.0.1:1", "", {}, is_visit=False),
    ],
    ids=lambda message: type(message).__name__,
)
async def test_writes_and_changes_are_taken_from_members_only(tmp_path, message):
    async with cluster_of(tmp_path, "n1", "n2") as cluster:
        await until_keys_are_known(cluster)
        await cluster.client("n1").enqueue()
        members = cluster.status("n1").members
        leader = await leader_of(cluster)
        insider, greeting = await enter(cluster, leader, Hello("x", "corvo"), NodeIdentity.generate())
        assert greeting is not None
        insider.mail(node_messages.encode(message))
        answer = node_messages.decode(await insider.next_mail())
        assert answer.number == 7
        assert "x is no member" in answer.refusal.message
        insider.writer.close()
        assert cluster.status("n1").members == members
        assert cluster.leader == leader
        queue = (await cluster.client("n1").get("/api/v1/queues/q")).json()
        assert queue["paused"] is False


async def test_a_visitor_asks_for_itself_only(tmp_path):
    """What it says its name and key are counts for nothing beside what it has proven."""
    async with cluster_of(tmp_path, "n1", "n2") as cluster:
        await until_keys_are_known(cluster)
        mask = JoinCluster(0, "n2", "127.0.0.1:1", "", {}, key=NodeIdentity.generate().public.hex())
        hello = Hello("n9", "corvo", is_visitor=True)
        insider, _ = await enter(cluster, await leader_of(cluster), hello, NodeIdentity.generate())
        insider.mail(node_messages.encode(mask))
        answer = node_messages.decode(await insider.next_mail())
        assert (
            "the node writes entry format None" in answer.refusal.message
        )  # It was looked at as a newcomer.
        insider.writer.close()
        assert cluster.status("n1").members["n2"].raft == cluster.nodes["n2"]._seat.raft


async def test_a_visitor_that_is_not_understood_is_told_so(tmp_path):
    async with cluster_of(tmp_path, "n1") as cluster:
        for question in (b"\x93\x63\x00\x00", node_messages.encode(JoinCluster(0, "n 9", "h:1", "", {}))):
            insider, _ = await enter(cluster, "n1", Hello("n9", "corvo", is_visitor=True))
            insider.mail(question)
            answer = node_messages.decode(await insider.next_mail())
            assert "was not understood" in answer.refusal.message
            insider.writer.close()


# Joins by name


async def test_an_address_where_no_node_answers_is_not_taken_in(tmp_path):
    heard = bytearray()

    async def stranger(reader, writer):
        while data := await reader.read(1_000):
            heard.extend(data)
            writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(stranger, "127.0.0.1", 0)
    address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with cluster_of(tmp_path, "n1", "n2") as cluster:
        for node_id in ("n1", "n2"):
            for addr in (address, "127.0.0.1:1"):
                reply = await cluster.client(node_id).post(f"{CLUSTER}/join", {"node_id": "n9", "addr": addr})
                assert (reply.status, reply.code) == (400, "JOIN_ERROR"), reply
                assert f"n9 was not taken in: {addr} does not answer" in reply.json()["error"]
                assert "Start it first" in reply.json()["error"]
        # Beginnings of handshakes, which say nothing to who does not know the secret.
        assert len(heard) % 52 == 0
        assert heard[:4] == b"\x00\x00\x00\x30"
        assert b"corvo" not in heard
        assert sorted(cluster.status("n1").members) == ["n1", "n2"]
    server.close()


async def test_an_address_where_another_node_answers_is_not_taken_in(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2") as cluster:
        there = cluster.nodes["n2"]._seat.raft
        reply = await cluster.client("n1").post(f"{CLUSTER}/join", {"node_id": "n9", "addr": there})
        assert (reply.status, reply.code) == (400, "JOIN_ERROR")
        assert f"n2 answers at {there}" in reply.json()["error"]
        assert sorted(cluster.status("n1").members) == ["n1", "n2"]


async def test_a_node_that_waits_to_be_taken_in_can_be_taken_in_by_name(tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        waiting_at = f"127.0.0.1:{probe.getsockname()[1]}"
    async with cluster_of(tmp_path, "n1", "n2") as cluster:
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            members = cluster.nodes["n1"]._seat.raft
            join = "127.0.0.1:{},{}".format(nobody.getsockname()[1], "127.0.0.1:1")
            starting = asyncio.ensure_future(cluster.start("n3", join=join, raft_bind=waiting_at))

            async def is_entered():
                reply = await cluster.client("n2").post(
                    f"{CLUSTER}/join", {"node_id": "n3", "addr": waiting_at}
                )
                return reply.status == 200

            await until(is_entered)
        starting.cancel()
        await asyncio.wait({starting})
        assert "n3" in cluster.status("n1").members
        await cluster.start("n3", join=members, raft_bind=waiting_at)
        await cluster.until_settled(3)
        await until_keys_are_known(cluster)


@pytest.mark.parametrize(
    "body",
    [
        {"node_id": "n 9", "addr": "h:1"},
        {"node_id": "n9\n", "addr": "h:1"},
        {"node_id": "../../n9", "addr": "h:1"},
        {"node_id": "n9", "addr": "http://h/:1"},
        {"node_id": "n9", "addr": "h:1\n"},
        {"node_id": "n9", "addr": "user@h:1"},
        {"node_id": "n9", "addr": "h:1", "http_addr": "javascript:alert(1)"},
    ],
)
async def test_a_join_names_a_node_and_an_address(tmp_path, body):
    async with running(tmp_path) as node:
        reply = await node.client.post(f"{CLUSTER}/join", body)
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR"), reply


@pytest.mark.parametrize("node_id", ["n 9", "", "n" * 65, "n9\n", "<n9>"])
def test_mail_with_what_cannot_be_a_node_is_not_understood(node_id):
    for message in (
        JoinCluster(0, node_id, "h:1", "", {}),
        RemoveNode(0, node_id),
        TransferLead(0, node_id),
        ForgetKey(0, node_id),
    ):
        with pytest.raises(NodeMessageUnknown):
            node_messages.decode(node_messages.encode(message))


# Strangers


EXPLODED = []
#: Whoever unpickles this runs it.
BOMB = b"cbuiltins\nexec\n(S'import tests.cluster.test_link_trust as t; t.EXPLODED.append(1)'\ntR."


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00\x00\x00\x30" + bytes(48),
        b"\x00\x00\x00\x30" + b"\x01" * 48,
        b"\xff\xff\xff\xff" + bytes(100_000),
        b"\x00\x00\x04\x01" + bytes(2_000),
        b"\x00\x00\x00\x00",
        b"\x16\x03\x01\x02\x00\x01" + bytes(300),
        len(BOMB).to_bytes(4, "big") + BOMB,
    ],
    ids=["http", "zeros", "ones", "huge", "too large", "empty", "tls", "pickle"],
)
async def test_a_stranger_at_the_raft_port_hears_nothing(tmp_path, said):
    async with cluster_of(tmp_path, "n1") as cluster:
        reader, writer = await asyncio.open_connection(*split(cluster.nodes["n1"]._seat.raft))
        writer.write(said)
        answer = bytearray()
        try:
            async with asyncio.timeout(10):
                while data := await reader.read(1_000):
                    answer += data
        except ConnectionError:
            pass
        writer.close()
        assert bytes(answer) == b""
        assert EXPLODED == []
        await cluster.client("n1").enqueue()


async def test_what_a_member_sends_is_not_unpickled_either(tmp_path):
    async with cluster_of(tmp_path, "n1") as cluster:
        insider, _ = await enter(cluster, "n1", Hello("x", "corvo"), NodeIdentity.generate())
        insider.mail(BOMB)
        insider.say(insider.seal.close_up(BOMB))
        assert await insider.is_closed()
        assert EXPLODED == []
        await cluster.client("n1").enqueue()
