"""A state machine that stores slower than its log grows: it is fed so far, and the log runs so far ahead."""

import pytest

from corvo.consensus.api import Position
from corvo.consensus.settings import FlowControl, JournalLimits
from tests.consensus.doubles import Desk

FLOW = FlowControl(apply_entries=4, unstored_entries=10, unstored_bytes=10_000)
FEW = JournalLimits(segment_bytes=1 << 16, step_bytes=1 << 12, cut_entries=40, cut_bytes=1 << 20)
#: The round that fills it is finished.
FED_MAX = FLOW.unstored_entries + FLOW.apply_entries


@pytest.fixture
def follower(timeline):
    desk = Desk(timeline, peers=("a", "b"), flow=FLOW, journal=FEW)
    desk.connect("a")
    return desk


def hear(desk, first, last, *, commit=None, size=10):
    entries = [(b"\x00" + b"x" * size, index, 1) for index in range(first, last + 1)]
    previous = (first - 1, 1 if first > 2 else 0)
    desk.link.take()
    desk.hear_entries("a", 1, previous, *entries, commit_index=last if commit is None else commit)
    return desk.link.take("next_node_idx")[-1]


def store_all(desk):
    desk.member.stored(Position(desk.engine.applied_index, 1))
    desk.run(0.01)


def test_what_is_applied_and_not_stored_is_bounded_in_number(follower):
    hear(follower, 2, 31)
    assert FLOW.unstored_entries <= len(follower.machine.entries) <= FED_MAX
    assert follower.engine.commit_index == 31

    follower.run(5)
    assert len(follower.machine.entries) <= FED_MAX


def test_and_in_bytes(follower):
    hear(follower, 2, 11, size=4_000)
    assert len(follower.machine.entries) <= 3 + FLOW.apply_entries
    assert follower.engine.applied_index < 11


def test_what_is_stored_makes_room_without_anything_else_happening(follower):
    hear(follower, 2, 31)
    while follower.engine.applied_index < 31:
        before = follower.engine.applied_index
        store_all(follower)
        assert follower.engine.applied_index > before
    assert [index for index, _ in enumerate(follower.machine.entries, 2)] == list(range(2, 32))


def test_a_log_too_far_ahead_of_its_state_takes_no_more(follower):
    hear(follower, 2, 45)
    refused = hear(follower, 46, 60)

    assert follower.journal.last_index == 45
    assert (refused["success"], refused["is_full"], refused["next_node_idx"]) == (True, True, 46)


def test_a_swamped_follower_still_learns_what_is_committed(follower):
    """Else it could never apply and store what it has, and would be swamped for ever."""
    hear(follower, 2, 45, commit=43)
    assert follower.engine.commit_index == 43
    hear(follower, 46, 60, commit=60)
    assert follower.engine.commit_index == 45

    while follower.engine.applied_index < 45:
        store_all(follower)
    store_all(follower)
    taken = hear(follower, 46, 60)
    assert (taken["success"], taken["is_full"], follower.journal.last_index) == (True, False, 60)


def test_what_is_not_committed_swamps_nobody(follower):
    """Only the entries to come can commit it: a new leader's own, of its own term."""
    hear(follower, 2, 45, commit=0)
    taken = hear(follower, 46, 60, commit=0)
    assert (taken["is_full"], follower.journal.last_index) == (False, 60)


def test_a_keepalive_is_answered_as_ever(follower):
    hear(follower, 2, 45)
    hear(follower, 46, 60)
    follower.hear("a", "keepalive", term=1)
    assert not follower.link.take("next_node_idx")[-1]["is_full"]


def test_one_that_cannot_store_does_not_stand_for_election(follower):
    follower.connect("b")
    hear(follower, 2, 31)
    follower.link.take()
    rounds = follower.member.stats.rounds
    follower.run(5)
    assert follower.link.take("pre_vote") == []
    assert follower.member.stats.rounds < rounds + 20

    while follower.engine.applied_index < 31:
        store_all(follower)
    store_all(follower)
    follower.run(2)
    assert len(follower.link.take("pre_vote")) > 0


def test_a_leader_leaves_a_swamped_follower_alone_for_a_while(timeline):
    desk = Desk(timeline, peers=("a", "b"))
    desk.connect("a", "b")
    desk.be_elected()
    for number in range(10):
        desk.member.propose(b"%d" % number, None)
    desk.run(0.001)
    desk.acknowledge("b")
    desk.acknowledge("a", 5, is_full=True)
    desk.link.take()
    desk.run(0.5)
    desk.acknowledge("b")
    sent = [message["type"] for peer, message in desk.link.sent if peer == "a"]
    assert set(sent) == {"keepalive"}
    assert desk.engine.match_of("a") == 5

    desk.run(0.6)
    tried = [message for peer, message in desk.link.sent if peer == "a" and message.get("entries")]
    assert tried[0]["prevLogIdx"] == 5
