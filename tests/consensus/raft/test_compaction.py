"""Where the log is cut, and what holds it."""

import dataclasses

import pytest

from corvo.consensus.journal.journal import Journal
from corvo.consensus.raft.compaction import CUT_ENTRIES_MAX, cut_index
from corvo.consensus.settings import JournalLimits
from tests.sim.disk import SimDisk

LIMITS = JournalLimits(
    segment_bytes=1 << 20,
    step_bytes=1 << 16,
    cut_entries=100,
    cut_bytes=100_000,
    keep_entries=20,
    keep_bytes=50_000,
    hold_factor=3,
)


def journal_of(entries, size=10):
    journal = Journal(SimDisk(), LIMITS, sync="always")
    for index in range(2, entries + 1):
        journal.add(b"x" * size, index, 1)
    return journal


def cut(journal, **more):
    arguments = {"stored_index": journal.last_index, "is_alone": False, "needs_space": False}
    held = more.pop("hold_index", None)
    return cut_index(journal, LIMITS, hold_index=lambda: held, **{**arguments, **more})


def test_a_short_log_is_not_cut():
    assert cut(journal_of(100)) is None


def test_a_long_log_is_cut_down_to_the_window():
    assert cut(journal_of(150)) == 130


def test_a_heavy_log_is_cut_although_it_is_short():
    # Entries of about 10 000 bytes: five of them fill the window.
    assert cut(journal_of(20, size=10_000)) == 15


def test_the_log_is_never_cut_past_what_the_state_machine_has_stored():
    assert cut(journal_of(150), stored_index=40) == 40
    assert cut(journal_of(150), stored_index=1) is None


def test_a_node_alone_keeps_no_window():
    assert cut(journal_of(150), is_alone=True) == 150


def test_a_lagging_follower_holds_the_log():
    assert cut(journal_of(250), hold_index=60) == 60


def test_a_follower_that_lags_too_far_holds_it_no_longer():
    assert cut(journal_of(400), hold_index=60) == 380


def test_a_backlog_that_is_not_stored_yet_does_not_break_the_hold():
    """Found by the simulator, seed 3225: a follower took one snapshot after the other and never caught up."""
    assert cut(journal_of(1_000), stored_index=120, hold_index=60) == 60


def test_the_window_is_never_more_than_half_of_what_makes_a_log_long():
    journal = journal_of(30)
    limits = dataclasses.replace(LIMITS, cut_entries=20, keep_entries=1_000)
    arguments = {"stored_index": 30, "is_alone": False, "needs_space": False}
    assert cut_index(journal, limits, hold_index=lambda: None, **arguments) == 20


def test_a_full_disk_takes_all_it_may():
    assert cut(journal_of(50), needs_space=True) == 50
    assert cut(journal_of(50), needs_space=True, stored_index=30) == 30


def test_much_is_cut_in_steps():
    assert cut(journal_of(5_000)) == 1 + CUT_ENTRIES_MAX


@pytest.mark.parametrize("entries", [150, 5_000])
def test_cutting_comes_to_an_end(entries):
    journal = journal_of(entries)
    while (index := cut(journal)) is not None:
        journal.cut_to(index)
    assert len(journal) <= LIMITS.cut_entries
