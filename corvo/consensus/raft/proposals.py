"""Proposals, commands on their way: accepted, in the log, answered.

    propose -> [proposals] -> engine ... engine -> [proposals] -> state machine

Every ticket is answered exactly once: with the committed entry it stands for, or as lost. Lost means
unknown, not failed: the entry may be in another node's log and be committed later.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from corvo.consensus.api import CommitListener, JournalEntry, Position
from corvo.consensus.journal.journal import Journal
from corvo.consensus.raft.stats import RaftStats
from corvo.consensus.roster import ROSTER

#: The first byte of an entry that carries a command. pysyncobj's own no-op is 0x01, a roster is 0x02.
COMMAND: Final = b"\x00"


@dataclass(slots=True, eq=False)
class _Open:
    """A proposal whose ticket may still have to be answered."""

    ticket: object
    deadline_s: float
    is_answered: bool = False


class Proposals:
    def __init__(
        self, journal: Journal, listener: CommitListener, stats: RaftStats, *, patience_s: float
    ) -> None:
        self._journal = journal
        self._listener = listener
        self._stats = stats
        self._patience_s = patience_s
        #: Accepted, not yet in the log.
        self._waiting: list[tuple[bytes, _Open]] = []
        #: In the log, not yet committed.
        self._in_log: dict[int, _Open] = {}
        #: All that may be open, oldest first. Answered ones linger until they reach the front.
        self._by_age: deque[_Open] = deque()
        self._lost: list[object] = []

    def accept(self, command: bytes, ticket: object, now_s: float, *, kind: bytes = COMMAND) -> None:
        """Take a command. Raises DiskFull and then nothing has happened."""
        self._journal.reserve(len(kind) + len(command))
        entry = _Open(ticket, now_s + self._patience_s)
        # Without a ticket there is nothing to answer.
        entry.is_answered = ticket is None
        self._waiting.append((kind + command, entry))
        self._by_age.append(entry)
        self._stats.entries_proposed += 1

    @property
    def is_waiting(self) -> bool:
        return bool(self._waiting)

    # Into the log

    def append_all(self, term: int) -> list[JournalEntry]:
        """Write what was accepted into the log of this leader."""
        waiting, self._waiting = self._waiting, []
        appended: list[JournalEntry] = []
        for command, entry in waiting:
            index = self._journal.last_index + 1
            self._journal.release(len(command))
            self._journal.add(command, index, term)
            self._in_log[index] = entry
            appended.append((command, index, term))
        return appended

    def is_waiting_for(self, kind: bytes) -> bool:
        """Whether an entry of this kind is accepted and not yet in the log."""
        return any(command[:1] == kind for command, _ in self._waiting)

    # Out of it

    def committed(self, position: Position, command: bytes) -> None:
        self._listener.committed(position, command[len(COMMAND) :], self._take_ticket(position))

    def configured(self, position: Position, command: bytes) -> None:
        self._listener.configured(position, command[len(ROSTER) :], self._take_ticket(position))

    def _take_ticket(self, position: Position) -> object | None:
        entry = self._in_log.pop(position.index, None)
        ticket = None
        if entry is not None and not entry.is_answered:
            entry.is_answered = True
            ticket = entry.ticket
        self._stats.entries_committed += 1
        self._forget_answered()
        return ticket

    def passed(self, position: Position) -> None:
        """An entry that was not proposed: a leader's first of its term."""
        self._listener.passed(position)

    def lose_all(self) -> None:
        """Leadership is gone, and with it the knowledge of what becomes of these."""
        for command, _ in self._waiting:
            self._journal.release(len(command))
        self._waiting.clear()
        self._in_log.clear()
        while self._by_age:
            self._lose(self._by_age.popleft())

    def lose_overdue(self, now_s: float) -> None:
        while self._by_age and (self._by_age[0].is_answered or self._by_age[0].deadline_s <= now_s):
            self._lose(self._by_age.popleft())

    def next_deadline_s(self) -> float | None:
        self._forget_answered()
        return self._by_age[0].deadline_s if self._by_age else None

    def tell_lost(self) -> None:
        """Answer the tickets that were lost. Not done at once: the engine must not be called from within."""
        lost, self._lost = self._lost, []
        self._stats.proposals_lost += len(lost)
        for ticket in lost:
            self._listener.lost(ticket)

    def _forget_answered(self) -> None:
        while self._by_age and self._by_age[0].is_answered:
            self._by_age.popleft()

    def _lose(self, entry: _Open) -> None:
        if not entry.is_answered:
            entry.is_answered = True
            self._lost.append(entry.ticket)
