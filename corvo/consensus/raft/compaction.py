"""Compaction: where the log may be cut.

Only what the state machine has made durable may go, and even of that some entries are kept: a follower
that was briefly away is then served from the log and needs no snapshot.
"""

from collections.abc import Callable
from typing import Final

from corvo.consensus.journal.journal import Journal
from corvo.consensus.settings import JournalLimits

#: Entries forgotten in one round: freeing much memory at once would be felt.
CUT_ENTRIES_MAX: Final = 512


def cut_index(
    journal: Journal,
    limits: JournalLimits,
    *,
    stored_index: int,
    hold_index: Callable[[], int | None],
    is_alone: bool,
    needs_space: bool,
) -> int | None:
    """The index to cut the log to, or None. `hold_index` tells what a follower or a snapshot still needs."""
    if times_full(journal, limits, len(journal)) <= 1 and not needs_space:
        return None
    keep = 0 if is_alone or needs_space else _entries_kept(journal, limits)
    target = min(stored_index, journal.last_index - keep)
    # Only what could go counts here. A backlog that is not even applied yet says nothing about a follower,
    # and cutting in front of a follower that just took a snapshot would only make it take another.
    held_back = times_full(journal, limits, target - journal.first_index)
    if held_back < limits.hold_factor:
        held = hold_index()
        target = target if held is None else min(target, held)
    if target <= journal.first_index:
        return None
    return min(target, journal.first_index + CUT_ENTRIES_MAX)


def times_full(journal: Journal, limits: JournalLimits, entries: int) -> float:
    """How many times over the limit so many entries are, by number or by their share of the bytes."""
    return max(entries / limits.cut_entries, entries * _bytes_per_entry(journal) / limits.cut_bytes)


def _entries_kept(journal: Journal, limits: JournalLimits) -> int:
    keep_bytes = min(limits.keep_bytes, limits.cut_bytes // 2)
    return min(limits.keep_entries, limits.cut_entries // 2, int(keep_bytes / _bytes_per_entry(journal)))


def _bytes_per_entry(journal: Journal) -> float:
    return journal.bytes_held / len(journal)
