"""How a member of three comes to lead, or does not, with the test playing the other two."""

import pytest

from corvo.consensus.api import Role
from tests.consensus.doubles import Desk


@pytest.fixture
def desk(timeline):
    return Desk(timeline, peers=("a", "b"))


@pytest.fixture
def leader(desk):
    desk.connect("a", "b")
    desk.be_elected()
    desk.link.take()
    return desk


def test_a_node_that_reaches_nobody_does_not_campaign(desk):
    desk.run(60)

    assert desk.engine.term == 0
    assert desk.link.sent == []
    assert desk.member.role is Role.FOLLOWER


def test_a_node_that_reaches_nobody_sleeps(desk):
    desk.run(5)
    rounds = desk.member.stats.rounds
    desk.run(3_600)
    assert desk.member.stats.rounds == rounds


def test_a_node_asks_before_it_campaigns(desk):
    desk.connect("a", "b")
    desk.run(1)

    asked = desk.link.take()
    assert {message["type"] for message in asked} == {"pre_vote"}
    assert desk.engine.term == 0


def test_the_vote_for_oneself_is_durable_before_others_hear_of_it(desk):
    desk.connect("a", "b")
    while not (asked := desk.link.take("pre_vote")):
        desk.run(0.1)
    desk.syncer.slow_s_max = 0.2
    desk.driver.message_received("b", {"type": "pre_vote_ok", "round": asked[0]["round"]}, 10)
    desk.run(0.0001)

    assert (desk.journal.term, desk.journal.vote) == (1, "me")
    assert desk.link.take("request_vote") == []
    desk.run(0.25)
    assert len(desk.link.take("request_vote")) == 2


def test_a_vote_is_durable_before_it_is_given(desk):
    desk.connect("a")
    desk.syncer.slow_s_max = 0.1
    desk.driver.message_received(
        "a", {"type": "request_vote", "term": 1, "last_log_index": 1, "last_log_term": 0}, 10
    )
    desk.run(0.0001)

    assert desk.link.take("response_vote") == []
    desk.run(0.15)
    assert desk.link.take("response_vote") == [{"type": "response_vote", "term": 1}]


def test_a_vote_survives_a_power_cut(timeline, desk):
    desk.connect("a")
    desk.hear("a", "request_vote", term=1, last_log_index=1, last_log_term=0)
    assert desk.link.take("response_vote")
    desk.disk.lose_power(desk.engine.chance)

    again = Desk(timeline, peers=("a", "b"), disk=desk.disk)
    again.connect("b")
    again.hear("b", "request_vote", term=1, last_log_index=1, last_log_term=0)

    assert again.link.take("response_vote") == []


def test_one_node_has_one_vote(desk):
    desk = Desk(desk.timeline, peers=("a", "b", "c", "d"))
    desk.connect("a", "b", "c", "d")
    while not (asked := desk.link.take("pre_vote")):
        desk.run(0.1)
    for peer in ("a", "b"):
        desk.hear(peer, "pre_vote_ok", round=asked[0]["round"])
    for _ in range(5):
        desk.hear("a", "response_vote", term=1)

    assert not desk.engine.is_leader
    desk.hear("b", "response_vote", term=1)
    assert desk.engine.is_leader


def test_nobody_is_helped_into_an_election_while_the_leader_lives(desk):
    desk.connect("a", "b")
    desk.hear_entries("a", 1, (1, 0))
    desk.link.take()

    desk.hear("b", "pre_vote", term=2, round=1, last_log_index=9, last_log_term=1)
    assert desk.link.take("pre_vote_ok") == []

    desk.run(0.45)
    desk.hear("b", "pre_vote", term=2, round=2, last_log_index=9, last_log_term=1)
    assert len(desk.link.take("pre_vote_ok")) == 1


def test_nobody_is_helped_whose_log_is_older(desk):
    desk.connect("a", "b")
    desk.hear_entries("a", 3, (1, 0), (b"\x00x", 2, 3))
    desk.run(1)
    desk.link.take()

    desk.hear("b", "pre_vote", term=9, round=1, last_log_index=50, last_log_term=2)
    desk.hear("b", "pre_vote", term=9, round=2, last_log_index=1, last_log_term=3)

    assert desk.link.take("pre_vote_ok") == []


def test_who_is_behind_in_terms_is_told(desk):
    desk.connect("a", "b")
    desk.hear_entries("a", 5, (1, 0))
    desk.link.take()

    desk.hear_entries("b", 4, (1, 0))
    desk.hear("b", "pre_vote", term=3, round=1, last_log_index=1, last_log_term=0)

    assert desk.link.take("stale_term") == [{"type": "stale_term", "term": 5}] * 2


def test_a_leader_that_learns_of_a_later_term_steps_down(leader):
    leader.hear("a", "stale_term", term=9)
    assert leader.member.role is Role.FOLLOWER
    assert leader.engine.term == 9


def test_a_leader_without_a_majority_steps_down(leader):
    leader.member.propose(b"x", "ticket")
    leader.run(2)

    assert leader.member.role is not Role.LEADER
    assert leader.machine.lost_tickets == ["ticket"]
