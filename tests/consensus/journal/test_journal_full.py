"""A full disk: known before anything is promised, and harmless."""

import pytest

from corvo.consensus.errors import DiskFull, NoRoomToStart
from corvo.consensus.settings import JournalLimits
from tests.consensus.doubles import SMALL
from tests.consensus.journal.journals import add, contents, make_durable, open_journal
from tests.sim.disk import SimDisk


@pytest.fixture
def disk():
    return SimDisk()


def reserve_for_ever(journal):
    while True:
        journal.reserve(1_000)


def test_a_full_disk_is_noticed_when_room_is_reserved(disk):
    journal = open_journal(disk)
    disk.is_full = True

    with pytest.raises(DiskFull):
        journal.reserve(200_000)

    add(journal, b"nothing else has changed")
    make_durable(journal)
    disk.is_full = False
    journal.reserve(200_000)


def test_what_was_reserved_can_be_written_although_the_disk_is_full(disk):
    journal = open_journal(disk)
    for _ in range(5):
        journal.reserve(40_000)
    disk.is_full = True

    for number in range(5):
        journal.release(40_000)
        add(journal, bytes([number]) * 40_000)
    make_durable(journal)

    assert open_journal(disk).last_index == 6


def test_a_node_with_a_full_disk_can_still_vote(disk):
    journal = open_journal(disk)
    disk.is_full = True
    with pytest.raises(DiskFull):
        reserve_for_ever(journal)

    assert journal.has_room_for_election()
    for term in range(1, 200):
        journal.set_term(term, "n1")
    make_durable(journal)

    assert open_journal(disk).term == 199


def test_a_term_that_does_not_fit_holds_back_every_promise(disk):
    journal = open_journal(disk)
    disk.is_full = True
    term = 0
    while journal.flush():
        term += 1
        journal.set_term(term, "n1")

    assert not journal.has_room()
    assert not journal.has_room_for_election()
    assert not journal.flush()
    disk.is_full = False

    assert journal.flush()
    assert journal.has_room()
    assert open_journal(disk).term == term


def test_room_for_entries_means_that_what_comes_first_is_written(disk):
    journal = open_journal(disk)
    disk.is_full = True
    term = 0
    while journal.flush():
        term += 1
        journal.set_term(term, "n1")
    with pytest.raises(DiskFull):
        journal.ensure_room(1)

    disk.is_full = False
    journal.ensure_room(1)
    add(journal, b"x", term=term)
    make_durable(journal)

    assert contents(open_journal(disk))[1:] == [(b"x", 2, term)]


def test_a_reset_that_does_not_fit_is_owed(disk):
    journal = open_journal(disk)
    disk.is_full = True
    term = 0
    while journal.flush():
        term += 1
        journal.set_term(term, "n1")

    journal.reset(50, 3)
    assert not journal.flush()
    assert open_journal(disk).last_index == 1

    disk.is_full = False
    make_durable(journal)
    again = open_journal(disk)
    assert (again.last_index, again.term) == (50, term)


def test_limits_leave_most_of_a_small_disk_to_the_data():
    limits = JournalLimits().fitted(32 * 1024 * 1024)

    assert limits.cut_bytes + 2 * limits.segment_bytes <= 8 * 1024 * 1024
    assert JournalLimits().fitted(1 << 40) == JournalLimits()
    assert SMALL.fitted(32 * 1024 * 1024) == SMALL


def test_a_disk_without_room_for_a_journal_is_a_reason_not_to_start(disk):
    disk.is_full = True
    with pytest.raises(NoRoomToStart, match="a journal cannot be begun"):
        open_journal(disk)
    assert disk.names() == []
