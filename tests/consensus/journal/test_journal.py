"""The log as its owner sees it, on a disk that forgets what it may."""

import random

import pytest

from corvo.consensus.journal.journal import ELECTION_BYTES
from tests.consensus.journal.journals import add, contents, make_durable, open_journal
from tests.sim.disk import SimDisk


@pytest.fixture
def disk():
    return SimDisk()


def cut_power(disk):
    disk.lose_power(random.Random(4))


def test_a_new_journal_stands_before_the_first_entry(disk):
    journal = open_journal(disk)

    assert (journal.first_index, journal.last_index, journal.last_term) == (1, 1, 0)
    assert (journal.term, journal.vote, journal.damage) == (0, None, None)


def test_entries_term_and_vote_are_read_back(disk):
    journal = open_journal(disk)
    journal.set_term(3, "n2")
    add(journal, b"one", b"", b"\0" * 700, term=3)
    make_durable(journal)

    again = open_journal(disk)

    assert contents(again)[1:] == [(b"one", 2, 3), (b"", 3, 3), (b"\0" * 700, 4, 3)]
    assert (again.term, again.vote) == (3, "n2")


def test_an_entry_whose_index_is_taken_replaces_it_and_all_behind_it(disk):
    journal = open_journal(disk)
    add(journal, b"a", b"b", b"c")
    make_durable(journal)

    journal.add(b"B", 3, 2)
    assert journal.durable_index == 2
    make_durable(journal)

    assert contents(journal)[1:] == [(b"a", 2, 1), (b"B", 3, 2)]
    assert contents(open_journal(disk))[1:] == [(b"a", 2, 1), (b"B", 3, 2)]


def test_an_entry_may_not_leave_a_gap(disk):
    journal = open_journal(disk)

    with pytest.raises(AssertionError, match="does not follow"):
        journal.add(b"x", 7, 1)


def test_what_is_not_synced_is_not_durable(disk):
    journal = open_journal(disk)
    add(journal, b"kept")
    make_durable(journal)
    add(journal, b"lost")
    journal.flush()

    assert journal.durable_index == 2
    cut_power(disk)
    assert contents(open_journal(disk))[1:] == [(b"kept", 2, 1)]


def test_killing_the_process_loses_nothing_that_was_flushed(disk):
    journal = open_journal(disk)
    add(journal, b"written")
    journal.flush()

    assert contents(open_journal(disk))[1:] == [(b"written", 2, 1)]


def test_what_is_read_back_is_durable_before_anything_rests_on_it(disk):
    journal = open_journal(disk)
    add(journal, b"left with the kernel")
    journal.flush()

    assert open_journal(disk).durable_index == 2
    cut_power(disk)

    assert contents(open_journal(disk))[1:] == [(b"left with the kernel", 2, 1)]


def test_one_sync_covers_everything_of_a_round(disk):
    journal = open_journal(disk)
    journal.set_term(1, "me")
    add(journal, b"a", b"b", b"c")
    journal.flush()

    job = journal.sync_job()

    assert job.carries_promises
    assert job.index == 4
    assert journal.sync_job() is None


def test_a_lazy_journal_calls_durable_what_the_kernel_has(disk):
    journal = open_journal(disk, sync="never")
    add(journal, b"a")

    assert journal.durable_index == 1
    journal.flush()

    assert journal.durable_index == 2
    assert journal.sync_job() is None


# Segments


def test_the_log_goes_on_in_a_new_file_when_one_is_full(disk):
    journal = open_journal(disk)
    for _ in range(10):
        add(journal, b"x" * 5_000)
        make_durable(journal)

    assert len(disk.names()) == journal.segments_held == 4
    assert contents(open_journal(disk)) == contents(journal)


def test_an_entry_larger_than_a_segment_gets_a_file_of_its_own(disk):
    journal = open_journal(disk)
    add(journal, b"small")
    add(journal, b"x" * 100_000, b"small again")
    make_durable(journal)

    assert journal.segments_held == 3
    assert contents(open_journal(disk)) == contents(journal)


def test_a_finished_file_gives_back_the_room_it_did_not_need(disk):
    journal = open_journal(disk)
    add(journal, b"x" * 9_000)
    make_durable(journal)
    add(journal, b"x" * 9_000)
    make_durable(journal)

    first, second = disk.names()
    assert len(disk.open(first).data) < 10_000
    assert len(disk.open(second).data) >= 9_000 + ELECTION_BYTES


def test_term_and_vote_outlive_the_file_they_were_written_to(disk):
    journal = open_journal(disk)
    journal.set_term(5, "n1")
    for _ in range(6):
        add(journal, b"x" * 8_000, term=5)
    make_durable(journal)
    journal.cut_to(journal.last_index)
    make_durable(journal)

    again = open_journal(disk)

    assert len(disk.names()) == 1
    assert (again.term, again.vote) == (5, "n1")


# Cutting


def test_cutting_forgets_entries_and_unlinks_whole_files(disk):
    journal = open_journal(disk)
    for number in range(20):
        add(journal, bytes([number]) * 4_000)
    make_durable(journal)
    files_before = disk.names()

    journal.cut_to(15)
    make_durable(journal)

    assert journal.first_index == 15
    assert set(disk.names()) < set(files_before)
    again = open_journal(disk)
    assert again.first_index <= 15
    assert contents(again)[-6:] == contents(journal)[-6:]


def test_files_are_unlinked_only_after_what_replaces_them_is_durable(disk):
    journal = open_journal(disk)
    for _ in range(10):
        add(journal, b"x" * 4_000)
    journal.flush()
    journal.cut_to(10)
    names = disk.names()

    job = journal.sync_job()
    assert disk.names() == names
    seen = []
    for segment in job.unsynced:
        original = segment.file.sync
        segment.file.sync = lambda original=original: (seen.append(disk.names()), original())
    job.run()

    assert all(at_sync == names for at_sync in seen)
    assert len(disk.names()) < len(names)


def test_a_log_whose_first_entries_were_replaced_in_a_later_file_can_be_cut(disk):
    journal = open_journal(disk)
    for _ in range(8):
        add(journal, b"x" * 4_000)
    make_durable(journal)
    for number in range(8):
        journal.add(b"y" * 4_000, 5 + number, 2)
    make_durable(journal)

    journal.cut_to(11)
    make_durable(journal)

    assert contents(open_journal(disk))[-2:] == contents(journal)


def test_memory_is_accounted_for(disk):
    journal = open_journal(disk)
    empty = journal.bytes_held
    add(journal, b"x" * 1_000, b"y" * 1_000)
    assert journal.bytes_held == empty + 2 * 1_040

    journal.add(b"z", 3, 2)
    assert journal.bytes_held == empty + 1_040 + 41

    journal.cut_to(3)
    assert journal.bytes_held == empty


# Reset


def test_a_reset_begins_the_log_anew_behind_a_snapshot(disk):
    journal = open_journal(disk)
    for _ in range(10):
        add(journal, b"x" * 4_000)
    make_durable(journal)

    journal.reset(500, 7)
    add(journal, b"next", term=7)
    make_durable(journal)

    assert contents(journal)[1:] == [(b"next", 501, 7)]
    assert len(disk.names()) == 1
    again = open_journal(disk)
    assert (again.first_index, again.term_at(500), contents(again)[1:]) == (500, 7, [(b"next", 501, 7)])


def test_a_reset_is_not_durable_before_it_is_synced(disk):
    journal = open_journal(disk)
    add(journal, b"a", b"b")
    make_durable(journal)

    journal.reset(2, 9)

    assert journal.durable_index == 2
    journal.flush()
    cut_power(disk)
    assert open_journal(disk).last_index == 3
