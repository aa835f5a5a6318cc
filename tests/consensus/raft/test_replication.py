"""How a leader finds out where a follower stands, and what it sends then."""

import pytest

from corvo.consensus.settings import FlowControl
from tests.consensus.doubles import Desk


@pytest.fixture
def leader(timeline):
    desk = Desk(timeline, peers=("a", "b"), flow=FlowControl(message_bytes=1_000, window_bytes=4_000))
    desk.connect("a", "b")
    desk.be_elected()
    desk.link.take()
    return desk


def to(desk, peer):
    sent, desk.link.sent = desk.link.sent, []
    return [message for target, message in sent if target == peer]


def appends(desk, peer):
    return [message for message in to(desk, peer) if message["type"] == "append_entries"]


def refuse(desk, peer, next_index, sequence):
    desk.hear(
        peer,
        "next_node_idx",
        term=desk.engine.term,
        sequence=sequence,
        next_node_idx=next_index,
        success=False,
        reset=True,
        is_full=False,
    )


def propose(desk, count, size=400):
    for _ in range(count):
        desk.member.propose(bytes(size), None)
    desk.run(0.001)


def test_a_follower_that_has_not_answered_yet_gets_one_message_at_a_time(leader):
    propose(leader, 10)
    assert appends(leader, "a") == []


def test_a_follower_that_answers_gets_message_after_message(leader):
    propose(leader, 10)
    messages = appends(leader, "b")

    assert [message["prevLogIdx"] for message in messages] == [2, 4, 6, 8, 10]
    assert [message["sequence"] for message in messages] == list(
        range(messages[0]["sequence"], messages[0]["sequence"] + 5)
    )


def test_the_window_opens_again_as_acknowledgements_come(leader):
    propose(leader, 30)
    sent = appends(leader, "b")
    assert len(sent) == 5

    leader.acknowledge("b", 4, sequence=sent[0]["sequence"])

    assert len(appends(leader, "b")) == 1


def test_an_acknowledgement_never_moves_backwards(leader):
    propose(leader, 10)
    leader.acknowledge("b", 12)
    to(leader, "b")

    leader.acknowledge("b", 3)

    assert leader.engine.match_of("b") == 12
    assert all(not message["entries"] for message in appends(leader, "b"))


def test_a_refusal_is_answered_from_where_the_follower_says(leader):
    propose(leader, 10)
    sent = appends(leader, "b")
    leader.engine._replication.restart("b")

    refuse(leader, "b", 2, sequence=1 << 40)

    assert [message["prevLogIdx"] for message in appends(leader, "b")][-1] == 1
    assert len(sent) == 5


def test_refusals_of_messages_sent_before_the_turn_are_ignored(leader):
    """Otherwise each of them would throw the walk back again, for ever."""
    leader.engine._replication.restart("b")
    leader.driver.wake()
    leader.run(0.001)
    probe = appends(leader, "b")[-1]
    refuse(leader, "b", 2, sequence=probe["sequence"])
    assert appends(leader, "b")[-1]["prevLogIdx"] == 1

    for _ in range(5):
        refuse(leader, "b", 2, sequence=probe["sequence"])

    assert appends(leader, "b") == []


def test_a_follower_is_never_asked_again_for_what_it_has_acknowledged(leader):
    propose(leader, 10)
    leader.acknowledge("b", 12)
    to(leader, "b")

    refuse(leader, "b", 2, sequence=1 << 40)

    assert appends(leader, "b")[-1]["prevLogIdx"] == 12


def test_a_new_connection_may_have_lost_everything(leader):
    propose(leader, 10)
    leader.acknowledge("b", 12)
    leader.driver.peer_disconnected("b")
    leader.driver.peer_connected("b")
    leader.run(0.001)

    assert leader.engine.match_of("b") == 0
    probe = appends(leader, "b")[-1]
    refuse(leader, "b", 2, sequence=probe["sequence"])
    assert appends(leader, "b")[-1]["prevLogIdx"] == 1


def test_a_follower_with_a_full_disk_is_left_alone_for_a_while(leader):
    propose(leader, 3)
    leader.hear(
        "b", "next_node_idx", term=1, sequence=9, next_node_idx=0, success=False, reset=False, is_full=True
    )
    to(leader, "b")
    leader.run(0.5)
    assert {message["type"] for message in to(leader, "b")} == {"keepalive"}

    leader.acknowledge("a")
    leader.run(0.6)
    assert any(message["entries"] for message in appends(leader, "b"))


def test_heartbeats_keep_coming_to_everyone(leader):
    leader.acknowledge("a")
    to(leader, "a")
    leader.run(1.0)
    sent = [message for _, message in leader.link.sent]
    assert 16 <= len(sent) <= 22


def test_a_full_link_is_not_filled_further(leader):
    leader.link.is_roomy = False
    propose(leader, 10)
    assert all(not message["entries"] for message in appends(leader, "b"))

    leader.link.is_roomy = True
    leader.run(0.15)
    assert any(message["entries"] for message in appends(leader, "b"))
