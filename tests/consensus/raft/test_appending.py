"""What a follower takes from a leader's message."""

import pytest

from corvo.consensus.errors import DiskFull
from corvo.consensus.journal.journal import Journal
from corvo.consensus.raft.appending import Contradiction, prepare
from tests.consensus.doubles import SMALL
from tests.sim.disk import SimDisk


@pytest.fixture
def disk():
    return SimDisk()


@pytest.fixture
def journal(disk):
    """Entries 2..6 of term 1."""
    journal = Journal(disk, SMALL, sync="always")
    for index in range(2, 7):
        journal.add(b"old", index, 1)
    return journal


def message(previous, *entries, commit=0, term=2):
    return {
        "type": "append_entries",
        "term": term,
        "commit_index": commit,
        "prevLogIdx": previous[0],
        "prevLogTerm": previous[1],
        "entries": entries,
    }


def test_entries_that_are_there_already_are_left_out(journal):
    prepared = prepare(message((4, 1), (b"old", 5, 1), (b"old", 6, 1), (b"new", 7, 2)), journal, 1)

    assert (prepared["prevLogIdx"], prepared["prevLogTerm"]) == (6, 1)
    assert prepared["entries"] == ((b"new", 7, 2),)


def test_a_heartbeat_removes_nothing(journal):
    prepared = prepare(message((3, 1)), journal, 1)

    assert prepared["entries"] == ()
    assert prepared["prevLogIdx"] == 3


def test_from_the_first_contradiction_on_everything_is_new(journal):
    prepared = prepare(message((3, 1), (b"old", 4, 1), (b"x", 5, 2), (b"y", 6, 2)), journal, 1)

    assert prepared["entries"] == ((b"x", 5, 2), (b"y", 6, 2))
    assert prepared["prevLogIdx"] == 4


@pytest.mark.parametrize(
    ("sent", "proven"),
    [
        (message((3, 1), commit=6), 3),
        (message((3, 1), (b"old", 4, 1), commit=6), 4),
        (message((6, 1), (b"new", 7, 2), commit=9), 7),
        (message((6, 1), commit=2), 2),
    ],
)
def test_nothing_is_committed_that_the_message_does_not_prove(journal, sent, proven):
    assert prepare(sent, journal, 1)["commit_index"] == proven


@pytest.mark.parametrize("previous", [(9, 1), (4, 2)])
def test_a_message_that_continues_nothing_known_is_left_for_refusal(journal, previous):
    sent = message(previous, (b"x", previous[0] + 1, 2))
    assert prepare(sent, journal, 1) is sent


def test_a_leader_that_contradicts_what_is_committed_is_an_emergency(journal):
    with pytest.raises(Contradiction, match="entry 4 differs"):
        prepare(message((3, 1), (b"x", 4, 2)), journal, 5)


def test_a_full_disk_leaves_the_log_as_it_was(journal, disk):
    disk.is_full = True

    with pytest.raises(DiskFull):
        prepare(message((6, 1), (b"small", 7, 2), (b"x" * 200_000, 8, 2)), journal, 1)

    assert journal.last_index == 6
