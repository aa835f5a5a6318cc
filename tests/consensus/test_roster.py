"""Who belongs to the group: rosters, and what a member makes of them."""

import pytest

from corvo.consensus.api import MemberStatus, Position
from corvo.consensus.link import codec
from corvo.consensus.link.codec import Malformed
from corvo.consensus.roster import ROSTER, Roster, Rosters, Seat
from corvo.core.errors import MembershipBusy, MembershipRefused, NotLeader
from tests.consensus.doubles import Desk, Recorder

ALONE = Roster({"a": Seat("a:1")})
PAIR = ALONE.with_seat("b", Seat("b:1"))


def entry(index, roster=None, term=1):
    return (ROSTER + roster.encode() if roster else b"\x00x", index, term)


# Rosters


def test_the_same_members_are_the_same_bytes_in_whatever_order_they_came():
    assert Roster({"b": Seat("b:1"), "a": Seat("a:1")}).encode() == PAIR.encode()
    assert Roster.decode(PAIR.encode()) == PAIR


def test_a_newcomer_has_no_vote_until_it_is_given_one():
    roster = ALONE.with_seat("b", Seat("b:1", is_voter=False))
    assert roster.voters == ("a",)
    assert roster.with_vote("b").voters == ("a", "b")
    assert roster.without("a").voters == ()


def test_a_roster_counts_from_when_it_is_in_the_log():
    rosters = Rosters(ALONE, 1, is_recorded=True)
    assert rosters.added([entry(5), entry(6, PAIR)])
    assert (rosters.current, rosters.index) == (PAIR, 6)


def test_a_roster_that_is_replaced_in_the_log_counts_no_longer():
    rosters = Rosters(ALONE, 1, is_recorded=True)
    rosters.added([entry(6, PAIR)])
    assert rosters.added([entry(6)])
    assert (rosters.current, rosters.index) == (ALONE, 1)


def test_a_committed_roster_is_what_one_goes_back_to():
    rosters = Rosters(ALONE, 1, is_recorded=False)
    assert not rosters.is_recorded
    rosters.added([entry(6, PAIR)])
    rosters.committed(6)
    rosters.added([entry(9, ALONE)])
    rosters.added([entry(9)])
    assert (rosters.current, rosters.index) == (PAIR, 6)
    assert rosters.is_recorded


def test_a_snapshot_that_replaces_the_log_brings_its_roster():
    rosters = Rosters(ALONE, 1, is_recorded=True)
    rosters.added([entry(6, PAIR)])
    rosters.installed(ALONE, 20, is_log_kept=False)
    assert (rosters.current, rosters.index) == (ALONE, 20)


# A member and its roster


def newcomer(name="d"):
    return MemberStatus(f"{name}:1", "", is_voter=False)


@pytest.fixture
def leader(timeline):
    desk = Desk(timeline, peers=("b", "c"))
    desk.connect("b", "c")
    desk.be_elected()
    desk.run()
    return desk


def test_a_change_is_in_force_at_once_and_answered_when_it_is_committed(leader):
    assert leader.member.admit("d", newcomer(), "ticket")
    leader.run(0.02)
    assert "d" in leader.engine.peers
    assert leader.link.addresses["d"] == "d:1"
    assert leader.machine.committed_tickets == []
    leader.acknowledge("b")
    leader.run(0.02)
    assert leader.machine.committed_tickets == ["ticket"]
    assert Roster.decode(leader.machine.rosters[-1]).is_voter("d") is False


def test_only_one_change_is_under_way(leader):
    leader.member.admit("d", newcomer(), "one")
    with pytest.raises(MembershipBusy):
        leader.member.admit("e", newcomer("e"), "two")
    leader.run(0.02)
    with pytest.raises(MembershipBusy):
        leader.member.dismiss("c", "three")
    leader.acknowledge("b")
    leader.run(0.02)
    assert leader.member.dismiss("c", "four")


def test_what_is_so_already_needs_no_entry(leader):
    before = leader.journal.last_index
    assert not leader.member.dismiss("x", "ticket")
    leader.member.admit("d", newcomer(), "ticket")
    leader.run(0.02)
    leader.acknowledge("b")
    leader.run(0.02)
    assert not leader.member.admit("d", newcomer(), "ticket")
    assert leader.journal.last_index == before + 1


def test_the_leader_cannot_be_removed_nor_may_a_follower_change_anything(leader, timeline):
    with pytest.raises(MembershipRefused):
        leader.member.dismiss("me", "ticket")
    follower = Desk(timeline, peers=("b", "c"))
    with pytest.raises(NotLeader):
        follower.member.admit("d", newcomer(), "ticket")


def told(desk, peer):
    """The last entry this follower was sent, if any."""
    sent = [message for target, message in desk.link.sent if target == peer]
    desk.link.sent = []
    indexes = [entry[1] for message in sent for entry in message.get("entries", ())]
    return max(indexes, default=None)


def test_one_that_is_dismissed_hears_of_it_once_that_is_decided(leader):
    """Else it alone might have the entry: it could not lead and would vote for nobody."""
    leader.acknowledge("b")
    leader.acknowledge("c")
    leader.run(0.02)
    told(leader, "c")
    leader.member.dismiss("c", "ticket")
    leader.member.propose(b"x", "other")
    leader.run(0.5)
    assert told(leader, "c") is None

    leader.acknowledge("b")
    leader.run(0.2)
    assert told(leader, "c") == leader.engine.commit_index == leader.journal.last_index


def test_a_newcomer_does_not_count_for_the_majority(leader):
    leader.member.admit("d", newcomer(), "ticket")
    leader.run(0.02)
    leader.connect("d")
    leader.acknowledge("b")
    commit = leader.engine.commit_index
    leader.member.propose(b"x", "other")
    leader.run(0.02)
    leader.acknowledge("d")
    leader.run(0.02)
    assert leader.engine.commit_index == commit


def test_a_newcomer_gets_its_vote_once_its_state_has_caught_up_not_only_its_log(timeline):
    desk = Desk(timeline, peers=("b", "c"), seat=Seat("m:1"))
    desk.connect("b", "c")
    desk.be_elected()
    for _ in range(200):
        desk.member.propose(b"x", None)
    desk.run()
    desk.acknowledge("b")
    desk.member.admit("d", newcomer(), "ticket")
    desk.connect("d")
    desk.run()
    desk.acknowledge("b")
    desk.acknowledge("d", stored_index=3)
    desk.run()
    assert not desk.engine.rosters.current.is_voter("d")
    desk.acknowledge("d", stored_index=desk.engine.commit_index)
    desk.run()
    assert desk.engine.rosters.current.is_voter("d")


def test_votes_of_somebody_without_a_vote_elect_nobody(timeline):
    roster = Roster({"me": Seat("m:1"), "b": Seat("b:1"), "c": Seat("c:1"), "d": Seat("d:1", is_voter=False)})
    machine = Recorder(Position(1, 0))
    machine.rosters.append(roster.encode())
    desk = Desk(timeline, machine=machine)
    desk.connect("b", "c", "d")
    while not (asked := desk.link.take("pre_vote")):
        desk.run(0.1)
    assert len(asked) == 2  # The newcomer is not even asked.
    desk.hear("d", "pre_vote_ok", round=asked[0]["round"])
    desk.run(0.05)
    assert desk.link.take("request_vote") == []


def test_a_node_without_a_vote_never_campaigns(timeline):
    machine = Recorder(Position(1, 0))
    machine.rosters.append(PAIR.with_seat("me", Seat("m:1", is_voter=False)).encode())
    desk = Desk(timeline, machine=machine)
    desk.connect("a", "b")
    desk.run(5)
    assert desk.link.take("pre_vote") == []
    assert desk.link.take("request_vote") == []


def test_a_leader_this_node_has_never_heard_of_is_followed(timeline):
    """It may belong to a roster that is still on its way here."""
    desk = Desk(timeline, peers=("b", "c"))
    desk.connect("z")
    desk.hear_entries("z", 3, (1, 0), (b"\x00x", 2, 3), commit_index=2)
    assert desk.engine.leader_id == "z"
    assert desk.machine.commands == [b"x"]


def test_a_node_that_has_the_only_vote_follows_nobody(timeline):
    desk = Desk(timeline)
    desk.run()
    term = desk.engine.term
    desk.connect("z")
    desk.hear_entries("z", term + 5, (1, 0), (b"\x00x", 2, term + 5))
    assert desk.engine.is_leader
    assert desk.engine.term == term


# Keys


def keyed(timeline, *peers):
    """A leader that has a key, and peers that show one or do not."""
    desk = Desk(timeline, peers=("b", "c"), seat=Seat("m:1", key="me's"))
    desk.connect("b", "c")
    desk.link.proven = {peer: f"{peer}'s" for peer in peers}
    desk.be_elected()
    settle(desk)
    return desk


def settle(desk):
    for _ in range(3):
        desk.run()
        desk.acknowledge("b", stored_index=desk.engine.commit_index)
        desk.acknowledge("c", stored_index=desk.engine.commit_index)
        desk.run()


def keys(desk):
    return {node_id: seat.key for node_id, seat in desk.engine.rosters.current.seats.items()}


def test_a_roster_without_keys_is_written_as_before_there_were_any():
    plain = Roster({"a": Seat("a:1", "h:1", is_voter=False)})
    assert plain.encode() == bytes.fromhex("92 01 91 94 a1 61 a3 61 3a 31 a3 68 3a 31 c2")
    with_key = plain.with_keys({"a": "k"})
    assert with_key.encode() == bytes.fromhex("92 02 91 95 a1 61 a3 61 3a 31 a3 68 3a 31 c2 a1 6b")
    assert Roster.decode(with_key.encode()) == with_key
    assert with_key.with_keys({"a": ""}) == plain


def test_a_leader_notes_the_keys_of_its_members_when_all_have_shown_one(timeline):
    desk = keyed(timeline, "b", "c")
    assert keys(desk) == {"me": "me's", "b": "b's", "c": "c's"}
    assert desk.link.keys == {"b": "b's", "c": "c's"}


def test_as_long_as_a_member_may_not_understand_keys_none_is_written(timeline):
    desk = keyed(timeline, "b")
    assert keys(desk) == {"me": "", "b": "", "c": ""}
    desk.member.admit("d", MemberStatus("d:1", "", is_voter=False, key="d's"), None)
    settle(desk)
    assert keys(desk)["d"] == ""
    desk.connect("d")
    desk.link.proven |= {"c": "c's", "d": "d's"}
    settle(desk)
    assert keys(desk) == {"me": "me's", "b": "b's", "c": "c's", "d": "d's"}


def test_a_key_once_noted_stays_whatever_is_shown(timeline):
    desk = keyed(timeline, "b", "c")
    desk.link.proven = {"b": "another", "c": "c's"}
    settle(desk)
    assert keys(desk)["b"] == "b's"
    with pytest.raises(MembershipRefused, match="corvo cluster forget-key b"):
        desk.member.admit("b", MemberStatus("b:2", "", is_voter=False, key="another"), None)
    assert desk.member.admit("b", MemberStatus("b:2", "", is_voter=False), None)
    settle(desk)
    assert desk.engine.rosters.current.seats["b"] == Seat("b:2", key="b's")


def test_a_key_that_is_forgotten_is_noted_anew_when_it_is_shown(timeline):
    desk = keyed(timeline, "b", "c")
    desk.link.proven = {"c": "c's"}
    assert desk.member.forget_key("b", "ticket")
    settle(desk)
    assert keys(desk) == {"me": "me's", "b": "", "c": "c's"}
    assert not desk.member.forget_key("b", "again")
    desk.link.proven = {"b": "new", "c": "c's"}
    settle(desk)
    assert keys(desk)["b"] == "new"
    for node_id in ("me", "x"):
        with pytest.raises(MembershipRefused):
            desk.member.forget_key(node_id, None)


@pytest.mark.parametrize("node_id", ["", "a b", "n\n", "n" * 65])
def test_what_cannot_be_an_id_is_not_taken_in(leader, node_id):
    with pytest.raises(MembershipRefused, match="letters, digits"):
        leader.member.admit(node_id, newcomer(), None)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc0",
        b"\x93\x01\x90\x90",
        b"\x92\x03\x90",
        b"\x92\x01\x91\x94\xa0\xa1h\xa1h\xc3",
        b"\x92\x01\x91\x94\xa2n\n\xa1h\xa1h\xc3",
        b"\x92\x01\x91\x94\xa1n\xa1h\xa1h\x01",
        b"\x92\x01\x91\x95\xa1n\xa1h\xa1h\xc3\xa1k",
        b"\x92\x02\x91\x94\xa1n\xa1h\xa1h\xc3",
        b"\xdd\xff\xff\xff\xff",
    ],
)
def test_what_is_no_roster_is_not_taken_for_one(data):
    assert not Roster.is_sound(data)
    message = {
        "type": "append_entries",
        "term": 2,
        "sequence": 1,
        "commit_index": 0,
        "prevLogIdx": 4,
        "prevLogTerm": 1,
    }
    with pytest.raises(Malformed, match="entry 5 is no roster"):
        codec.decode(codec.encode(message | {"entries": [(ROSTER + data, 5, 2)]}))
    codec.decode(codec.encode(message | {"entries": [(ROSTER + PAIR.encode(), 5, 2)]}))
