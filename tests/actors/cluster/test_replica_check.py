"""The replica_check: states that should be the same and are not."""

from types import SimpleNamespace

import pytest

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.messages import ChecksumReached, NodeMessageCame
from corvo.actors.cluster.node_messages import ReplicaChecksum
from corvo.actors.cluster.replica_check import ReplicaCheck
from corvo.actors.kernel.api import Actor
from corvo.actors.kernel.sim import SimSystem
from corvo.consensus.api import MemberStatus


class Silent(Actor):
    def receiveUnrecognizedMessage(self, message, sender):
        """As the state machine: takes subscriptions."""


class Desk:
    def __init__(self, *others):
        self.system = SimSystem(0)
        self.condemned = []
        self.sent = []
        members = {name: MemberStatus("", "", is_voter=True) for name in ("me", *others)}
        consensus = SimpleNamespace(status=lambda: SimpleNamespace(members=members, peers=others))
        fsm = self.system.createActor(Silent)
        self.replica_check = self.system.createActor(
            ReplicaCheck, "me", consensus, self, fsm, self.condemned.append
        )

    def post(self, peer, message):
        self.sent.append((peer, node_messages.decode(message)))
        return True

    def tell(self, message):
        self.system.tell(self.replica_check, message)
        self.system.run_until_idle()

    def hear(self, peer, index, checksum):
        self.tell(NodeMessageCame(peer, ReplicaChecksum(0, index, checksum)))


@pytest.fixture
def desk():
    return Desk("b", "c")


def test_every_node_tells_the_others_its_sum(desk):
    desk.tell(ChecksumReached(256, 7))
    assert sorted(desk.sent) == [("b", ReplicaChecksum(0, 256, 7)), ("c", ReplicaChecksum(0, 256, 7))]


def test_equal_sums_are_no_news(desk):
    desk.hear("b", 256, 7)
    desk.tell(ChecksumReached(256, 7))
    desk.hear("c", 256, 7)
    assert desk.condemned == []


def test_the_odd_one_out_stops(desk):
    desk.tell(ChecksumReached(256, 8))
    desk.hear("b", 256, 7)
    assert desk.condemned == []  # One against one proves nothing.
    desk.hear("c", 256, 7)
    assert "differs from that of most nodes" in desk.condemned[0]


def test_the_others_go_on(desk):
    desk.tell(ChecksumReached(256, 7))
    desk.hear("b", 256, 8)
    desk.hear("c", 256, 7)
    assert desk.condemned == []


def test_of_two_nodes_nobody_can_say_which_is_wrong():
    desk = Desk("b")
    desk.tell(ChecksumReached(256, 7))
    desk.hear("b", 256, 8)
    assert desk.condemned == []


def test_sums_of_different_entries_are_not_compared(desk):
    desk.tell(ChecksumReached(256, 8))
    desk.hear("b", 512, 7)
    desk.hear("c", 512, 7)
    assert desk.condemned == []


def test_a_stranger_has_no_say(desk):
    desk.tell(ChecksumReached(256, 8))
    desk.hear("b", 256, 7)
    desk.hear("x", 256, 7)
    assert desk.condemned == []
