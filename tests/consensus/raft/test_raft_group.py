"""Three real nodes in one process, on loopback: elections, failover, catching up, snapshots."""

import asyncio
import dataclasses
import socket
from itertools import groupby

import pytest

from corvo.consensus.api import Role
from corvo.consensus.raft_node import RaftNode
from corvo.consensus.settings import LAN, JournalLimits
from corvo.core.errors import NotLeader
from tests.consensus.link.mesh_peers import HOST, free_ports, new_authority, settings_of, tls_of
from tests.consensus.raft.raft_nodes import ListMachine

pytestmark = pytest.mark.slow

IDS = ("n1", "n2", "n3")


class Group:
    def __init__(self, settings):
        self.settings = settings
        self.rows = {node_id: [] for node_id in settings}
        self.machines = {}
        self.nodes = {}

    async def start(self, *ids):
        for node_id in ids:
            machine = ListMachine(self.rows[node_id])
            raft = RaftNode(self.settings[node_id], machine)
            await raft.start()
            machine.on_stored = raft.stored
            self.nodes[node_id], self.machines[node_id] = raft, machine

    async def stop(self, *ids):
        for node_id in ids:
            await self.nodes.pop(node_id).stop()

    async def leader(self):
        """The id of a node that leads, once there is one."""
        machines = [self.machines[node_id] for node_id in self.nodes]
        waits = [asyncio.ensure_future(machine.until_leading()) for machine in machines]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
        return next(i for i in self.nodes if self.machines[i].role is Role.LEADER)

    async def write(self, *commands):
        """Have these committed, whoever leads, however often that takes."""
        for command in commands:
            while True:
                leader = await self.leader()
                machine = self.machines[leader]
                ticket = object()
                try:
                    self.nodes[leader].propose(command, ticket)
                except NotLeader:
                    continue
                await machine.until(
                    lambda m=machine, t=ticket: t in m.committed_tickets or t in m.lost_tickets
                )
                if ticket in machine.committed_tickets:
                    break

    async def until_all_have(self, commands):
        for node_id in self.nodes:
            machine = self.machines[node_id]
            # A command whose fate was unknown may have been committed, and written once more.
            await machine.until(lambda m=machine: [key for key, _ in groupby(m.commands)] == commands)


@pytest.fixture
async def group(tmp_path):
    group = Group(settings_of(IDS, free_ports(3), tmp_path, timing=LAN))
    yield group
    await group.stop(*list(group.nodes))


async def test_three_nodes_elect_one_and_agree(group):
    await group.start(*IDS)
    await group.write(b"a", b"b", bytes(2_000_000), b"c")

    await group.until_all_have([b"a", b"b", bytes(2_000_000), b"c"])
    leaders = [node_id for node_id in IDS if group.machines[node_id].role is Role.LEADER]
    assert len(leaders) == 1
    status = group.nodes[leaders[0]].status()
    assert status.has_quorum
    assert all(peer.connected for peer in status.peers.values())


async def test_a_follower_refuses_and_names_the_leader(group):
    await group.start(*IDS)
    leader = await group.leader()
    follower = next(node_id for node_id in IDS if node_id != leader)
    await group.machines[follower].until(lambda: group.machines[follower].leader_id == leader)

    with pytest.raises(NotLeader) as refusal:
        group.nodes[follower].propose(b"x", 1)
    assert refusal.value.facts == {"leader_id": leader}


async def test_two_of_three_go_on_and_the_third_catches_up(group):
    await group.start(*IDS)
    await group.write(b"before")
    gone = await group.leader()
    await group.stop(gone)

    await group.write(b"without you")
    await group.start(gone)
    await group.write(b"welcome back")

    await group.until_all_have([b"before", b"without you", b"welcome back"])


async def test_a_stopping_leader_hands_over_without_an_election_timeout(group):
    await group.start(*IDS)
    await group.write(b"x")
    leader = await group.leader()
    status = group.nodes[leader].status()
    await group.until_all_have([b"x"])

    await group.stop(leader)
    await group.leader()

    assert group.machines[leader].role is Role.STOPPED
    terms = {group.nodes[node_id].status().term for node_id in group.nodes}
    assert terms == {status.term + 1}


async def test_a_leader_that_stops_under_load_hands_over_what_it_took(group):
    await group.start(*IDS)
    await group.write(b"x")
    leader = await group.leader()
    machine = group.machines[leader]
    for number in range(200):
        group.nodes[leader].propose(b"%d" % number, number)

    await group.stop(leader)

    assert sorted(machine.committed_tickets[1:] + machine.lost_tickets) == list(range(200))
    assert machine.lost_tickets == []


async def test_a_port_that_is_taken_is_an_error_and_frees_the_journal(group):
    with socket.create_server((HOST, 0)) as taken:
        address = f"{HOST}:{taken.getsockname()[1]}"
        settings = dataclasses.replace(group.settings["n1"], bind=address)
        with pytest.raises(OSError, match="in use"):
            await RaftNode(settings, ListMachine()).start()

    await group.start(*IDS)
    await group.write(b"x")


async def test_a_minority_commits_nothing(group):
    await group.start(*IDS)
    await group.write(b"x")
    leader = await group.leader()
    await group.until_all_have([b"x"])
    machine = group.machines[leader]
    others = [node_id for node_id in IDS if node_id != leader]
    await group.stop(*others)
    if machine.role is Role.LEADER:
        group.nodes[leader].propose(b"nobody else will have this", "ticket")
        await machine.until(lambda: machine.lost_tickets == ["ticket"])

    assert machine.commands == [b"x"]


async def test_all_nodes_may_stop_and_start_again(group):
    await group.start(*IDS)
    await group.write(b"a", b"b")
    await group.stop(*IDS)
    await group.start(*IDS)
    await group.write(b"c")

    await group.until_all_have([b"a", b"b", b"c"])


async def test_a_node_that_lost_everything_gets_a_snapshot(tmp_path):
    limits = JournalLimits(
        segment_bytes=1 << 16,
        step_bytes=1 << 12,
        cut_entries=50,
        cut_bytes=1 << 20,
        keep_entries=10,
        keep_bytes=1 << 18,
    )
    group = Group(settings_of(IDS, free_ports(3), tmp_path, timing=LAN, journal=limits))
    try:
        await group.start("n1", "n2")
        commands = [b"%d" % number for number in range(300)]
        for command in commands:
            await group.write(command)
        leader = await group.leader()
        assert group.nodes[leader].status().log_first_index > 100

        await group.start("n3")

        await group.until_all_have(commands)
        assert group.nodes["n3"].stats.snapshots_installed == 1
    finally:
        await group.stop(*list(group.nodes))


async def test_three_nodes_agree_over_tls(tmp_path):
    authority = new_authority()
    tls = {node_id: tls_of(authority, node_id) for node_id in IDS}
    group = Group(settings_of(IDS, free_ports(3), tmp_path, timing=LAN, tls=tls))
    try:
        await group.start(*IDS)
        await group.write(b"secret", bytes(1_000_000))
        await group.until_all_have([b"secret", bytes(1_000_000)])
    finally:
        await group.stop(*list(group.nodes))
