"""A node without peers, round by round, on virtual time."""

import errno

import pysyncobj.syncobj
import pytest

from corvo.consensus.api import Position, Role
from corvo.consensus.settings import COMMAND_BYTES_MAX, RaftTiming
from corvo.core.errors import CommandTooLarge, NotLeader, StorageFull
from tests.consensus.doubles import Desk, Recorder
from tests.sim.disk import SimDisk


@pytest.fixture
def desk(timeline):
    desk = Desk(timeline)
    desk.run()
    return desk


def test_it_leads_at_once(timeline):
    desk = Desk(timeline)
    desk.run(0.005)

    assert desk.member.role is Role.LEADER
    assert desk.machine.roles[-1] == (Role.LEADER, 1, "me")


def test_a_command_is_committed_with_its_ticket_after_one_sync(desk):
    syncs = desk.member.stats.syncs

    desk.member.propose(b"hello", "ticket")
    assert desk.machine.entries == []
    desk.run()

    assert desk.machine.entries == [(Position(3, 1), b"hello")]
    assert desk.machine.committed_tickets == ["ticket"]
    assert desk.member.stats.syncs == syncs + 1


def test_nothing_is_committed_before_the_disk_has_it(desk):
    desk.syncer.slow_s_max = 10.0
    desk.member.propose(b"slow", 1)
    desk.run(0.0001)
    assert desk.journal.last_index == 3

    assert desk.machine.entries == []
    desk.run(10)
    assert desk.machine.commands == [b"slow"]


def test_commands_that_arrive_during_a_sync_share_the_next_one(desk):
    syncs = desk.member.stats.syncs
    desk.member.propose(b"first", 1)
    desk.run(0.0001)
    for number in range(100):
        desk.member.propose(b"more", number + 2)
    desk.run()

    assert len(desk.machine.entries) == 101
    assert desk.member.stats.syncs == syncs + 2


def test_entries_are_handed_over_in_order_and_in_bounded_portions(desk):
    for number in range(1_000):
        desk.member.propose(b"%d" % number, number)
    portions = 0
    while len(desk.machine.commands) < 1_000:
        desk.run()
        desk.member.stored(Position(desk.engine.applied_index, desk.engine.term))
        portions += 1

    assert portions == 4  # No more than 256 are applied and not stored.
    assert desk.machine.commands == [b"%d" % number for number in range(1_000)]
    assert desk.machine.committed_tickets == list(range(1_000))


def test_an_idle_node_does_nothing_at_all(desk):
    desk.member.propose(b"x", 1)
    desk.run(20)
    rounds = desk.member.stats.rounds

    desk.run(3_600)

    assert desk.member.stats.rounds == rounds


def test_a_restart_feeds_what_the_state_machine_has_not_stored(timeline, desk):
    for number in range(5):
        desk.member.propose(b"%d" % number, number)
    desk.run()
    desk.driver.stop()

    machine = Recorder(Position(4, 1))
    again = Desk(timeline, disk=desk.disk, machine=machine)
    again.run()

    assert machine.entries == [(Position(index, 1), b"%d" % (index - 3)) for index in (5, 6, 7)]
    assert machine.committed_tickets == []


def test_a_state_machine_that_is_ahead_of_the_log_wins(timeline):
    """After a snapshot arrived and before the journal had noted it."""
    desk = Desk(timeline, machine=Recorder(Position(50, 3)))
    desk.run()
    desk.member.propose(b"next", 1)
    desk.run()

    assert desk.machine.entries == [(Position(52, 4), b"next")]


def test_a_command_that_is_too_large_is_refused(desk):
    with pytest.raises(CommandTooLarge, match="over the limit"):
        desk.member.propose(bytes(COMMAND_BYTES_MAX + 1), 1)


def test_the_largest_command_is_taken(desk):
    desk.member.propose(bytes(COMMAND_BYTES_MAX), 1)
    desk.run()
    assert desk.machine.committed_tickets == [1]


def test_pysyncobj_reads_the_clock_of_the_node_it_works_for(timeline):
    """Its own drifts away from the one the loop sleeps by, and timers then fire in vain."""
    one, two = Desk(timeline), Desk(timeline)
    for desk in (one, two, one):
        desk.engine.tick()
        assert pysyncobj.syncobj.monotonicTime == desk.loop.now


# Answers


def test_a_ticket_is_lost_when_the_disk_hangs_for_too_long(timeline):
    desk = Desk(timeline, timing=RaftTiming(proposal_s=2.0))
    desk.run()
    desk.syncer.slow_s_max = 100.0
    desk.member.propose(b"first", 1)
    desk.run(1.0)
    desk.member.propose(b"second", 2)

    desk.run(1.5)
    assert desk.machine.lost_tickets == [1]
    desk.run(1.0)
    assert desk.machine.lost_tickets == [1, 2]

    # Lost means unknown: both are committed in the end, without their tickets.
    desk.run(200)
    assert desk.machine.commands == [b"first", b"second"]
    assert desk.machine.committed_tickets == []


def test_stopping_answers_every_open_ticket(desk):
    desk.member.propose(b"waiting", 1)
    desk.run(0.0001)
    desk.member.propose(b"not even in the log", 2)

    desk.driver.stop()
    desk.run(20)

    assert desk.machine.lost_tickets == [1, 2]
    assert desk.machine.entries == []
    assert desk.machine.roles[-1] == (Role.STOPPED, 1, None)
    with pytest.raises(NotLeader):
        desk.member.propose(b"late", 3)


# Faults


def test_a_full_disk_refuses_before_anything_happens_and_recovers_by_itself(desk):
    desk.disk.is_full = True
    with pytest.raises(StorageFull):
        desk.member.propose(bytes(100_000), 1)
    desk.run()
    assert desk.member.stats.is_storage_full
    assert desk.member.stats.proposals_refused_full == 1

    desk.disk.is_full = False
    desk.run(1)

    assert not desk.member.stats.is_storage_full
    desk.member.propose(bytes(100_000), 2)
    desk.run()
    assert desk.machine.committed_tickets == [2]
    assert desk.machine.lost_tickets == []
    assert desk.failures == []


def test_a_full_disk_is_relieved_by_cutting_what_is_stored(desk):
    for _ in range(40):
        desk.member.propose(bytes(4_000), None)
    desk.run()
    files = len(desk.disk.names())
    assert files > 5
    desk.member.stored(Position(desk.engine.applied_index, 1))
    desk.disk.is_full = True

    with pytest.raises(StorageFull):
        desk.member.propose(bytes(1_000_000), 1)
    desk.run(1)

    assert len(desk.disk.names()) < files


def test_a_disk_that_fails_a_sync_stops_the_node(desk):
    desk.syncer.fails_next = True
    desk.member.propose(b"x", 1)
    desk.run()

    assert len(desk.failures) == 1
    assert "the disk failed" in desk.failures[0]
    assert desk.machine.entries == []
    assert desk.machine.lost_tickets == [1]
    assert desk.member.role is Role.STOPPED


def test_a_disk_that_fails_a_write_stops_the_node(desk, monkeypatch):
    def fail(pieces, offset):
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(desk.disk.open(desk.disk.names()[0]), "write", fail)
    desk.member.propose(b"x", 1)
    desk.run()

    assert "broken" in desk.failures[0]
    assert desk.machine.lost_tickets == [1]


def test_a_disk_that_is_full_after_all_is_tried_again(desk, monkeypatch):
    """Some file systems cannot set room aside for good."""
    file = desk.disk.open(desk.disk.names()[0])

    def refuse(pieces, offset):
        raise OSError(errno.ENOSPC, "full after all")

    with monkeypatch.context() as patch:
        patch.setattr(file, "write", refuse)
        desk.member.propose(b"patient", 1)
        desk.run(2)
        assert desk.machine.entries == []
        assert desk.member.stats.is_storage_full
    desk.run(1)

    assert desk.machine.commands == [b"patient"]
    assert desk.failures == []


def test_a_state_machine_that_raises_stops_the_node(desk):
    desk.machine.raises = RuntimeError("not total")
    desk.member.propose(b"x", 1)
    desk.run()

    assert "not total" in desk.failures[0]
    assert desk.member.role is Role.STOPPED


def test_an_entry_of_an_unknown_kind_stops_the_node(timeline):
    disk = SimDisk()
    desk = Desk(timeline, disk=disk)
    desk.run()
    desk.journal.add(b"\x09from the future", 3, 1)
    desk.driver.wake()
    desk.run()

    assert "a kind this version does not know" in desk.failures[0]


# Cutting


def test_the_log_is_cut_behind_what_is_stored_while_it_grows(desk):
    for number in range(500):
        desk.member.propose(b"%d" % number, None)
        if number % 20 == 0:
            desk.run(0.001)
            desk.member.stored(Position(desk.engine.applied_index, 1))
    desk.run()

    assert len(desk.journal) < 130
    assert desk.member.stats.entries_cut > 350
    assert desk.member.status().log_first_index <= desk.engine.stored_index


def test_the_log_is_not_cut_while_nothing_is_stored(desk):
    for _ in range(500):
        desk.member.propose(b"x", None)
    desk.run()

    assert desk.journal.first_index == 1


def test_status_tells_where_everything_stands(desk):
    desk.member.propose(b"x", 1)
    desk.run()
    desk.member.stored(Position(3, 1))

    status = desk.member.status()

    assert (status.node_id, status.role, status.term, status.leader_id) == ("me", Role.LEADER, 1, "me")
    assert (status.commit_index, status.applied_index, status.stored_index) == (3, 3, 3)
    assert (status.log_first_index, status.log_last_index) == (1, 3)
    assert status.has_quorum
    assert status.peers == {}
