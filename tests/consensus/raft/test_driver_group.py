"""A member of three that leads or follows, with the test playing the other two."""

import pytest

from corvo.consensus.api import Position, Role
from corvo.consensus.errors import StateBehindLog
from corvo.consensus.raft.driver import INBOX_BYTES_MAX
from corvo.consensus.settings import FlowControl
from corvo.core.errors import NotLeader
from tests.consensus.doubles import Desk, Recorder


@pytest.fixture
def desk(timeline):
    return Desk(timeline, peers=("a", "b"))


@pytest.fixture
def leader(desk):
    desk.connect("a", "b")
    desk.be_elected()
    desk.link.take()
    return desk


# Leading


def test_a_leader_may_lead_once_everything_before_its_term_is_applied(desk):
    desk.connect("a", "b")
    while not (asked := desk.link.take("pre_vote")):
        desk.run(0.1)
    desk.hear("b", "pre_vote_ok", round=asked[0]["round"])
    desk.hear("b", "response_vote", term=1)

    assert desk.engine.is_leader
    assert desk.member.role is Role.CANDIDATE
    with pytest.raises(NotLeader):
        desk.member.propose(b"early", 1)

    desk.acknowledge("b")
    assert desk.member.role is Role.LEADER
    assert desk.machine.roles[-1] == (Role.LEADER, 1, "me")


def test_entries_may_leave_before_the_leaders_own_disk_has_them(leader):
    leader.syncer.slow_s_max = 1.0
    leader.member.propose(b"early bird", 1)
    leader.run(0.0001)

    (message,) = leader.link.take("append_entries")
    assert message["entries"] == [(b"\x00early bird", 3, 1)]
    assert leader.journal.durable_index == 2


def test_the_leader_does_not_count_itself_before_its_own_disk_has_the_entry(leader):
    leader.syncer.slow_s_max = 1.0
    leader.member.propose(b"x", 1)
    leader.run(0.0001)
    leader.driver.message_received(
        "b",
        {
            "type": "next_node_idx",
            "term": 1,
            "sequence": 99,
            "next_node_idx": 4,
            "stored_index": 0,
            "success": True,
            "reset": False,
            "is_full": False,
        },
        10,
    )
    leader.run(0.0001)
    assert leader.machine.entries == []

    leader.run(1)
    assert leader.machine.commands == [b"x"]


def test_a_command_is_committed_once_a_majority_has_it(leader):
    leader.member.propose(b"x", 1)
    leader.run()
    assert leader.machine.entries == []

    leader.acknowledge("b")

    assert leader.machine.entries == [(Position(3, 1), b"x")]


def test_followers_hear_of_a_commit_without_waiting_for_a_heartbeat(leader):
    leader.acknowledge("a")
    leader.member.propose(b"x", 1)
    leader.run(0.001)
    leader.link.take()

    leader.acknowledge("b")

    assert 3 in {message["commit_index"] for message in leader.link.take("append_entries")}


def test_an_acknowledgement_from_another_term_counts_for_nothing(leader):
    leader.member.propose(b"x", 1)
    leader.run()
    leader.hear(
        "b", "next_node_idx", term=0, sequence=99, next_node_idx=4, success=True, reset=False, is_full=False
    )
    assert leader.machine.entries == []


def test_losing_the_lead_loses_every_ticket_at_once(leader):
    leader.member.propose(b"in the log", 1)
    leader.run(0.01)
    leader.syncer.slow_s_max = 1.0
    leader.member.propose(b"waiting", 2)

    leader.hear_entries("a", 7, (1, 0))
    leader.run(1)

    assert leader.machine.lost_tickets == [1, 2]
    with pytest.raises(NotLeader) as refusal:
        leader.member.propose(b"x", 3)
    assert refusal.value.facts == {"leader_id": "a"}


def test_an_entry_whose_ticket_was_lost_may_still_be_committed(leader):
    leader.member.propose(b"survivor", 1)
    leader.run()
    leader.hear_entries("a", 7, (3, 1), (b"\x01", 4, 7), commit_index=4)
    leader.run()

    assert leader.machine.lost_tickets == [1]
    assert leader.machine.commands == [b"survivor"]
    assert leader.machine.committed_tickets == []


def test_a_leader_that_stalls_hands_the_lead_over(leader):
    leader.acknowledge("a")
    leader.loop.pause(0.7)
    leader.run(0.75)

    assert leader.member.stats.stalls >= 1
    assert leader.member.stats.stall_s_max > 0.4
    assert leader.member.stats.handovers == 1
    assert len(leader.link.take("timeout_now")) == 1


def test_a_follower_that_is_asked_to_take_over_does_so_at_once(desk):
    desk.connect("a", "b")
    desk.hear_entries("a", 1, (1, 0))
    desk.link.take()

    desk.hear("a", "timeout_now", term=1)

    assert len(desk.link.take("request_vote")) == 2


# Following


def test_entries_are_acknowledged_only_when_they_are_durable(desk):
    desk.connect("a")
    desk.syncer.slow_s_max = 0.1
    desk.driver.message_received(
        "a",
        {
            "type": "append_entries",
            "term": 1,
            "sequence": 1,
            "commit_index": 2,
            "prevLogIdx": 1,
            "prevLogTerm": 0,
            "entries": ((b"\x00x", 2, 1),),
        },
        10,
    )
    desk.run(0.0001)
    assert desk.link.take("next_node_idx") == []
    assert desk.machine.entries == []

    desk.run(0.2)
    (reply,) = desk.link.take("next_node_idx")
    assert (reply["success"], reply["next_node_idx"], reply["term"], reply["sequence"]) == (True, 3, 1, 1)
    assert desk.machine.commands == [b"x"]


def test_a_repeated_message_removes_nothing_and_is_acknowledged_for_what_it_proves(desk):
    desk.connect("a")
    desk.hear_entries("a", 1, (1, 0), (b"\x00x", 2, 1), (b"\x00y", 3, 1), (b"\x00z", 4, 1))
    desk.link.take()

    desk.hear_entries("a", 1, (1, 0), (b"\x00x", 2, 1))

    assert desk.journal.last_index == 4
    assert desk.link.take("next_node_idx")[0]["next_node_idx"] == 3


def test_a_refusal_names_what_is_committed(desk):
    desk.connect("a")
    desk.hear_entries("a", 1, (1, 0), (b"\x00x", 2, 1), (b"\x00y", 3, 1), commit_index=2)
    desk.link.take()

    desk.hear_entries("a", 1, (9, 1), (b"\x00z", 10, 1))

    (reply,) = desk.link.take("next_node_idx")
    assert (reply["success"], reply["reset"], reply["next_node_idx"]) == (False, True, 3)


def test_a_follower_with_a_full_disk_says_so_and_stays(desk):
    desk.connect("a")
    desk.disk.is_full = True
    desk.hear_entries("a", 1, (1, 0), (bytes(200_000), 2, 1))

    (reply,) = desk.link.take("next_node_idx")
    assert (reply["success"], reply["is_full"]) == (False, True)
    assert desk.journal.last_index == 1
    assert desk.engine.leader_id == "a"

    desk.disk.is_full = False
    desk.hear_entries("a", 1, (1, 0), (bytes(200_000), 2, 1))
    assert desk.link.take("next_node_idx")[0]["success"]


def test_a_leader_that_contradicts_what_is_committed_stops_the_node(desk):
    desk.connect("a")
    desk.hear_entries("a", 1, (1, 0), (b"\x00x", 2, 1), commit_index=2)

    desk.hear_entries("a", 2, (1, 0), (b"\x00y", 2, 2))

    assert "differs from the one committed here" in desk.failures[0]


def test_a_state_behind_the_log_refuses_to_start(timeline, desk):
    desk.journal.reset(100, 4)
    desk.journal.flush()

    with pytest.raises(StateBehindLog, match="ends at entry 7, the log begins behind entry 100"):
        Desk(timeline, peers=("a", "b"), disk=desk.disk, machine=Recorder(Position(7, 1)))


# Flow


def test_a_flood_of_messages_makes_the_link_wait(desk):
    desk.connect("a")
    keepalive = {"type": "keepalive", "term": 1}

    assert desk.driver.message_received("a", keepalive, 100)
    assert not desk.driver.message_received("a", keepalive, INBOX_BYTES_MAX)
    assert desk.rooms == 0
    desk.run()

    assert desk.rooms == 1
    assert desk.driver.message_received("a", keepalive, 100)


def test_a_message_carries_no_more_than_its_share(timeline):
    desk = Desk(timeline, peers=("a", "b"), flow=FlowControl(message_bytes=1_000, window_bytes=5_000))
    desk.connect("a", "b")
    desk.be_elected()
    desk.link.take()
    for _ in range(30):
        desk.member.propose(bytes(400), None)
    desk.run(0.001)

    sizes = [len(message["entries"]) for message in desk.link.take("append_entries")]
    # Six messages fill the window of the follower that answered; the other is still to answer its first.
    assert sizes == [2] * 6


def test_an_entry_larger_than_a_message_travels_alone(timeline):
    desk = Desk(timeline, peers=("a", "b"), flow=FlowControl(message_bytes=1_000))
    desk.connect("a", "b")
    desk.be_elected()
    desk.link.take()
    for size in (10, 5_000, 10):
        desk.member.propose(bytes(size), None)
    desk.run(0.001)

    sizes = [[len(e[0]) for e in m["entries"]] for p, m in desk.link.sent if p == "b" and m.get("entries")]
    assert sizes == [[11], [5_001], [11]]
