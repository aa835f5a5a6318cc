"""Feeding the state machine: in order, and no faster than it stores what it was given.

    journal -> [feeding] -> proposals -> state machine

A state machine keeps in memory what it has applied and not yet stored. On a disk that is slower than the log
that would grow without end; so it is fed only so far ahead. And a follower whose log runs too far ahead of
its state takes no more entries for a while: the leader keeps them, as for one whose disk is full.
"""

from collections import deque

from corvo.consensus.api import Position
from corvo.consensus.journal.journal import Journal
from corvo.consensus.journal.recovery import NO_COMMAND
from corvo.consensus.raft.compaction import times_full
from corvo.consensus.raft.proposals import COMMAND, Proposals
from corvo.consensus.roster import ROSTER, Rosters
from corvo.consensus.settings import FlowControl, JournalLimits


def is_swamped(journal: Journal, limits: JournalLimits, *, commit_index: int, stored_index: int) -> bool:
    """Whether more of the log is not even stored as state than would normally be kept of it at all.

    Only what is committed counts: the rest cannot be stored yet, and may need the next entries to be decided.
    """
    return times_full(journal, limits, commit_index - stored_index) > 1


class Feeding:
    def __init__(self, proposals: Proposals, rosters: Rosters, flow: FlowControl) -> None:
        self._proposals = proposals
        self._rosters = rosters
        self._flow = flow
        #: What is applied and not stored: index and bytes of each entry.
        self._unstored: deque[tuple[int, int]] = deque()
        self._unstored_bytes = 0

    @property
    def has_room(self) -> bool:
        flow = self._flow
        return len(self._unstored) < flow.unstored_entries and self._unstored_bytes < flow.unstored_bytes

    def feed(self, position: Position, command: bytes) -> None:
        self._unstored.append((position.index, len(command)))
        self._unstored_bytes += len(command)
        if command[:1] == COMMAND:
            self._proposals.committed(position, command)
        elif command[:1] == ROSTER:
            self._rosters.committed(position.index)
            self._proposals.configured(position, command)
        else:
            assert command == NO_COMMAND, f"entry {position.index} is of a kind this version does not know"
            self._proposals.passed(position)

    def stored(self, index: int) -> bool:
        """The state is durable up to here. True if that makes room for what had to wait."""
        had_room = self.has_room
        while self._unstored and self._unstored[0][0] <= index:
            self._unstored_bytes -= self._unstored.popleft()[1]
        return self.has_room and not had_room
