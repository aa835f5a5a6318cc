"""A member that sends or receives a snapshot: its pace, its log meanwhile, and connections that break."""

import pytest

from corvo.consensus.api import Position
from corvo.consensus.raft.snapshot_out import CHUNKS_IN_FLIGHT_MAX
from corvo.consensus.settings import JournalLimits
from tests.consensus.doubles import Desk, messages_of

FEW = JournalLimits(
    segment_bytes=1 << 16,
    step_bytes=1 << 12,
    cut_entries=20,
    cut_bytes=1 << 20,
    keep_entries=5,
    keep_bytes=1 << 16,
    hold_factor=2,
)


@pytest.fixture
def leader(timeline):
    """Its log begins behind entry 47 or so; follower a has nothing and asks for what comes after entry 1."""
    desk = Desk(timeline, peers=("a", "b"), journal=FEW)
    desk.machine.chunks = [b"state %d" % number for number in range(10)]
    desk.connect("b")
    desk.be_elected()
    for number in range(50):
        desk.member.propose(b"%d" % number, None)
    desk.run(0.001)
    desk.acknowledge("b")
    desk.member.stored(Position(desk.engine.applied_index, 1))
    desk.run(0.01)
    desk.acknowledge("b")
    assert desk.journal.first_index > 40
    desk.connect("a")
    return desk


def refuse(desk, peer="a"):
    desk.hear(
        peer,
        "next_node_idx",
        term=1,
        sequence=1 << 40,
        next_node_idx=2,
        success=False,
        reset=True,
        is_full=False,
    )


def chunks_sent(desk):
    return [message for peer, message in desk.link.sent if message["type"] == "snapshot_chunk"]


def answer(desk, message, **more):
    desk.hear(
        "a",
        "snapshot_reply",
        **{
            "term": 1,
            "transfer": message["transfer"],
            "number": message["number"],
            "success": True,
            "installed_index": None,
            **more,
        },
    )


def test_the_whole_log_is_tried_before_a_snapshot_is_sent(leader):
    leader.link.take()
    refuse(leader)
    assert chunks_sent(leader) == []
    tried = [message for peer, message in leader.link.sent if peer == "a" and "prevLogIdx" in message]
    assert tried[-1]["prevLogIdx"] == leader.journal.first_index

    refuse(leader)
    assert len(chunks_sent(leader)) > 0


def test_a_snapshot_is_sent_with_flow_control_and_the_log_goes_on_behind_it(leader):
    refuse(leader)
    refuse(leader)
    answered = 0
    while answered < 10:
        sent = chunks_sent(leader)
        assert len(sent) - answered <= CHUNKS_IN_FLIGHT_MAX
        answer(leader, sent[answered])
        answered += 1
    last = chunks_sent(leader)[-1]
    assert last["is_last"]
    leader.link.take()

    answer(leader, last, installed_index=50)

    assert leader.member.stats.snapshots_sent == 1
    assert leader.engine.match_of("a") == 50
    following = [message for peer, message in leader.link.sent if peer == "a" and message.get("entries")]
    assert following[0]["prevLogIdx"] == 50


def test_the_log_is_held_while_a_snapshot_is_on_its_way(leader):
    refuse(leader)
    refuse(leader)
    floor = leader.engine.stored_index

    for number in range(30):
        leader.member.propose(b"%d" % number, None)
    leader.run(0.001)
    leader.acknowledge("b")
    leader.member.stored(Position(leader.engine.applied_index, 1))
    leader.run(0.05)

    assert leader.journal.first_index <= floor


def test_a_refused_chunk_breaks_the_transfer_off_and_it_is_tried_again_later(leader):
    refuse(leader)
    refuse(leader)
    answer(leader, chunks_sent(leader)[0], success=False)
    assert leader.member.stats.snapshots_broken_off == 1
    leader.link.take()
    leader.run(0.5)
    leader.acknowledge("b")
    assert chunks_sent(leader) == []

    leader.run(0.7)
    leader.acknowledge("b")
    refuse(leader)
    assert [message["transfer"] for message in chunks_sent(leader)][:1] == [2]


@pytest.fixture
def slow(leader):
    """Each chunk takes it 10 ms."""

    def chunks():
        for number in range(20):
            leader.loop.spend(0.01)
            yield b"state %d" % number

    leader.machine.chunks = chunks()
    return leader


def test_a_snapshot_takes_a_fifth_of_the_time_of_a_leader_that_clients_write_to(slow):
    refuse(slow)
    refuse(slow)
    assert len(chunks_sent(slow)) == 2
    for message in chunks_sent(slow):
        answer(slow, message)

    slow.run(0.06)  # The two took 20 ms of its time, and that ended 20 ms ahead of the clock.
    assert len(chunks_sent(slow)) == 2
    slow.run(0.05)
    assert len(chunks_sent(slow)) > 2


def test_on_an_idle_leader_a_snapshot_does_not_rest(slow):
    refuse(slow)
    refuse(slow)
    slow.run(0.17)
    before = len(chunks_sent(slow))
    for message in chunks_sent(slow):
        answer(slow, message)
    slow.run(0.05)

    assert len(chunks_sent(slow)) >= before + 4


def lose_connection(desk):
    desk.driver.peer_disconnected("a")
    desk.run(0.01)
    desk.link.take()


def test_on_the_next_connection_a_transfer_goes_on_where_it_stopped(leader):
    refuse(leader)
    refuse(leader)
    before = chunks_sent(leader)
    answer(leader, before[0])
    answer(leader, before[1])
    lose_connection(leader)
    assert chunks_sent(leader) == []

    leader.connect("a")
    leader.run(0.01)

    again = chunks_sent(leader)
    assert [message["number"] for message in again] == [2, 3, 4, 5]
    assert again[0] == before[2]
    assert leader.member.stats.snapshots_resumed == 1
    for number in range(2, 11):
        answer(leader, {"transfer": 1, "number": number})
    answer(leader, chunks_sent(leader)[-1], installed_index=50)
    assert leader.engine.match_of("a") == 50
    assert leader.member.stats.snapshots_broken_off == 0


def test_what_is_not_acknowledged_is_all_that_is_kept_of_a_snapshot(leader):
    refuse(leader)
    refuse(leader)
    lose_connection(leader)
    follower = leader.engine._replication._followers["a"]
    assert len(follower.snapshot._open) == CHUNKS_IN_FLIGHT_MAX


def test_a_follower_that_cannot_go_on_begins_again_at_once(leader):
    """It was restarted meanwhile, and what it had of the snapshot is gone."""
    refuse(leader)
    refuse(leader)
    answer(leader, chunks_sent(leader)[0])
    lose_connection(leader)
    leader.connect("a")
    answer(leader, chunks_sent(leader)[0], success=False)
    leader.link.take()
    leader.run(0.01)
    refuse(leader)
    refuse(leader)
    assert [(m["transfer"], m["number"]) for m in chunks_sent(leader)][:1] == [(2, 0)]


def test_a_snapshot_is_not_held_for_ever_for_a_follower_that_stays_away(leader):
    refuse(leader)
    refuse(leader)
    lose_connection(leader)
    over_s = leader.engine.now() + leader.engine.timing.snapshot_hold_s
    while leader.engine.now() < over_s - 1:
        assert leader.engine._replication._followers["a"].snapshot is not None
        leader.run(0.3)
        leader.acknowledge("b")
    leader.run(1.1)

    assert leader.engine._replication._followers["a"].snapshot is None
    assert leader.member.stats.snapshots_broken_off == 1
    assert leader.engine._replication.hold_index() != 1
    leader.link.take()
    leader.connect("a")
    assert chunks_sent(leader) == []


def test_a_follower_takes_the_snapshot_and_acknowledges_exactly_that(timeline):
    desk = Desk(timeline, peers=("a", "b"))
    desk.connect("a")
    desk.hear_entries("a", 1, (1, 0), (b"\x00divergent", 2, 1), (b"\x00tail", 3, 1))
    first, last = messages_of([b"state"])
    desk.hear("a", **_spread(first, term=2))
    desk.machine.sinks[0].result = Position(100, 2)
    desk.link.take()
    desk.hear("a", **_spread(last, term=2))

    (reply,) = desk.link.take("snapshot_reply")
    assert (reply["success"], reply["installed_index"]) == (True, 100)
    assert (desk.journal.first_index, desk.journal.last_index) == (100, 100)
    assert (desk.engine.applied_index, desk.engine.commit_index, desk.engine.stored_index) == (100, 100, 100)
    assert desk.machine.entries == []


def test_a_snapshot_is_durable_in_the_journal_before_it_is_acknowledged(timeline):
    desk = Desk(timeline, peers=("a", "b"))
    desk.connect("a")
    first, last = messages_of([b"state"])
    desk.hear("a", **_spread(first, term=2))
    desk.machine.sinks[0].result = Position(100, 2)
    desk.link.take()
    desk.syncer.slow_s_max = 1.0
    desk.driver.message_received("a", {**last, "term": 2}, 10)
    desk.run(0.0001)
    assert desk.link.take("snapshot_reply") == []

    desk.run(1.1)
    assert len(desk.link.take("snapshot_reply")) == 1


def test_a_snapshot_of_the_past_changes_nothing(timeline):
    desk = Desk(timeline, peers=("a", "b"))
    desk.connect("a")
    entries = [(b"\x00%d" % index, index, 1) for index in range(2, 12)]
    desk.hear_entries("a", 1, (1, 0), *entries, commit_index=11)
    first, last = messages_of([b"old state"])
    desk.hear("a", **_spread(first, term=1))
    desk.machine.sinks[0].result = Position(11, 1)
    desk.link.take()
    desk.hear("a", **_spread(last, term=1))

    assert desk.journal.last_index == 11
    assert len(desk.machine.entries) == 10
    assert desk.link.take("snapshot_reply")[0]["installed_index"] == 11


def test_a_snapshot_commits_nothing_of_an_unverified_tail(timeline):
    desk = Desk(timeline, peers=("a", "b"))
    desk.connect("a")
    desk.hear_entries("a", 1, (1, 0), (b"\x00unverified", 2, 1), (b"\x00tail", 3, 1))
    first, _ = messages_of([b"state"])

    desk.hear("a", **_spread(first, term=2))

    assert desk.engine.commit_index == 1
    assert desk.machine.entries == []


def test_a_leader_whose_snapshot_fits_the_log_keeps_the_tail_behind_it(timeline):
    desk = Desk(timeline, peers=("a", "b"))
    desk.connect("a")
    entries = [(b"\x00%d" % index, index, 1) for index in range(2, 12)]
    desk.hear_entries("a", 1, (1, 0), *entries)
    first, last = messages_of([b"state"])
    desk.hear("a", **_spread(first, term=1))
    desk.machine.sinks[0].result = Position(6, 1)
    desk.hear("a", **_spread(last, term=1))

    assert (desk.engine.applied_index, desk.journal.last_index) == (6, 11)


def _spread(message, **changes):
    fields = {**message, **changes}
    return {"kind": fields.pop("type"), **fields}
