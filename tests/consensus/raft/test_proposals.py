"""Every ticket is answered exactly once."""

import pytest

from corvo.consensus.api import Position
from corvo.consensus.journal.journal import Journal
from corvo.consensus.raft.proposals import Proposals
from corvo.consensus.raft.stats import RaftStats
from tests.consensus.doubles import SMALL, Recorder
from tests.sim.disk import SimDisk


@pytest.fixture
def machine():
    return Recorder()


@pytest.fixture
def journal():
    return Journal(SimDisk(), SMALL, sync="always")


@pytest.fixture
def proposals(journal, machine):
    return Proposals(journal, machine, RaftStats(), patience_s=10.0)


def commit(proposals, journal, index):
    command, _, term = journal[index - journal.first_index]
    proposals.committed(Position(index, term), command)


def test_a_command_goes_through_the_log_to_the_state_machine(proposals, journal, machine):
    proposals.accept(b"x", "t", 0.0)
    assert proposals.is_waiting
    proposals.append_all(term=3)
    assert not proposals.is_waiting

    commit(proposals, journal, 2)

    assert machine.entries == [(Position(2, 3), b"x")]
    assert machine.committed_tickets == ["t"]


def test_an_entry_of_another_nodes_making_has_no_ticket(proposals, machine):
    proposals.committed(Position(2, 1), b"\x00theirs")
    assert machine.commands == [b"theirs"]
    assert machine.committed_tickets == []


def test_lost_tickets_are_told_once_and_never_again(proposals, journal, machine):
    proposals.accept(b"in the log", 1, 0.0)
    proposals.append_all(term=1)
    proposals.accept(b"waiting", 2, 0.0)

    proposals.lose_all()
    assert machine.lost_tickets == []
    proposals.tell_lost()
    proposals.tell_lost()
    commit(proposals, journal, 2)

    assert machine.lost_tickets == [1, 2]
    assert machine.committed_tickets == []
    assert not proposals.is_waiting


def test_patience_ends_for_each_ticket_in_its_time(proposals, journal, machine):
    proposals.accept(b"a", 1, 0.0)
    proposals.accept(b"b", 2, 5.0)
    proposals.append_all(term=1)
    assert proposals.next_deadline_s() == 10.0

    proposals.lose_overdue(10.0)
    proposals.tell_lost()
    assert machine.lost_tickets == [1]
    assert proposals.next_deadline_s() == 15.0

    commit(proposals, journal, 2)
    commit(proposals, journal, 3)
    assert machine.commands == [b"a", b"b"]
    assert machine.committed_tickets == [2]
    assert proposals.next_deadline_s() is None


def test_room_that_was_set_aside_is_given_back(proposals, journal):
    before = journal._reserved
    proposals.accept(bytes(5_000), 1, 0.0)
    assert journal._reserved > before

    proposals.lose_all()

    assert journal._reserved == before
