"""Roster: the members of the group, and the rosters that are on their way through the log.

    admit, dismiss -> entry of kind ROSTER -> [rosters] -> engine, link

A roster is an entry like any other, and counts from the moment it is in a node's log, committed or not (Raft,
chapter 4). Two rosters that follow each other differ by one voter, so any two majorities of theirs have a
member in common; that is why the next may only be proposed once the last is committed. A newcomer is entered
without a vote first and gets one when it has caught up, so that it never counts before it can help.

Beside its address a member has a key, by which other nodes know it (identity.py). A roster without keys
is written as it always was, for nodes from before keys.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import msgpack

from corvo.consensus.api import JournalEntry

#: The first byte of an entry that carries a roster.
ROSTER: Final = b"\x02"
MEMBERS_MAX: Final = 32
_FORMAT: Final = 1
_FORMAT_WITH_KEYS: Final = 2
_TEXT_MAX: Final = 512
#: What this version can read; newcomers say it before they are taken in.
FORMAT: Final = _FORMAT_WITH_KEYS


@dataclass(frozen=True, slots=True)
class Seat:
    """One member: where to reach it, and whether it has a vote yet."""

    raft: str
    http: str = ""
    is_voter: bool = True
    #: Its public key in hex; empty until it is known.
    key: str = ""


@dataclass(frozen=True, slots=True)
class Roster:
    seats: Mapping[str, Seat]

    @property
    def voters(self) -> tuple[str, ...]:
        return tuple(node_id for node_id, seat in self.seats.items() if seat.is_voter)

    def is_voter(self, node_id: str) -> bool:
        seat = self.seats.get(node_id)
        return seat is not None and seat.is_voter

    def with_seat(self, node_id: str, seat: Seat) -> "Roster":
        return Roster({**self.seats, node_id: seat})

    def with_vote(self, node_id: str) -> "Roster":
        return self.with_seat(node_id, replace(self.seats[node_id], is_voter=True))

    def with_keys(self, keys: Mapping[str, str]) -> "Roster":
        return Roster(
            {node_id: replace(seat, key=keys.get(node_id, seat.key)) for node_id, seat in self.seats.items()}
        )

    def without(self, node_id: str) -> "Roster":
        return Roster({other: seat for other, seat in self.seats.items() if other != node_id})

    def encode(self) -> bytes:
        """Equal members give equal bytes, in whatever order they came."""
        members = sorted(self.seats.items())
        rows = [[node_id, seat.raft, seat.http, seat.is_voter] for node_id, seat in members]
        version = _FORMAT
        if any(seat.key for seat in self.seats.values()):
            version = _FORMAT_WITH_KEYS
            rows = [[*row, seat.key] for row, (_, seat) in zip(rows, members, strict=True)]
        packed: bytes = msgpack.packb([version, rows])
        return packed

    @staticmethod
    def is_sound(data: bytes) -> bool:
        """Whether another node may have meant this as a roster. Names from before there was a rule for them
        pass, as long as they can be shown."""
        try:
            version, rows = msgpack.unpackb(data, max_array_len=MEMBERS_MAX, max_str_len=_TEXT_MAX)
            return version in (_FORMAT, _FORMAT_WITH_KEYS) and all(_is_row(row, version) for row in rows)
        except (ValueError, TypeError, msgpack.UnpackException, RecursionError):
            return False

    @classmethod
    def decode(cls, data: bytes) -> "Roster":
        version, rows = msgpack.unpackb(data)
        assert version in (_FORMAT, _FORMAT_WITH_KEYS), (
            f"a roster of format {version}; this version reads up to format {FORMAT}"
        )
        return cls({node_id: Seat(*seat) for node_id, *seat in rows})


def _is_row(row: object, version: int) -> bool:
    match row:
        case [str(node_id), str(raft), str(http), bool()] if version == _FORMAT:
            key = ""
        case [str(node_id), str(raft), str(http), bool(), str(key)] if version == _FORMAT_WITH_KEYS:
            pass
        case _:
            return False
    return bool(node_id) and all(text.isprintable() for text in (node_id, raft, http, key))


class Rosters:
    """The roster in force: the last one in the log, or the one the state machine has stored."""

    def __init__(self, base: Roster, index: int, *, is_recorded: bool) -> None:
        self._base = base
        self._base_index = index
        #: Whether the base came out of the log. What only the settings say is written down by the leader.
        self._is_recorded = is_recorded
        #: Those behind the base, oldest first. At most one of them is not committed.
        self._in_log: list[tuple[int, Roster]] = []

    @property
    def current(self) -> Roster:
        return self._in_log[-1][1] if self._in_log else self._base

    @property
    def index(self) -> int:
        """Where the roster in force stands in the log."""
        return self._in_log[-1][0] if self._in_log else self._base_index

    @property
    def is_recorded(self) -> bool:
        return self._is_recorded or bool(self._in_log)

    def added(self, entries: list[JournalEntry] | tuple[JournalEntry, ...]) -> bool:
        """These entries are in the log now, and what they replace is not. True if that changed the roster."""
        if not entries:
            return False
        before = self.current
        first = entries[0][1]
        while self._in_log and self._in_log[-1][0] >= first:
            self._in_log.pop()
        for command, index, _ in entries:
            if command[:1] == ROSTER and index > self._base_index:
                self._in_log.append((index, Roster.decode(command[1:])))
        return self.current is not before

    def committed(self, index: int) -> None:
        """Everything up to here stays: nothing before it needs to be remembered for going back to."""
        while self._in_log and self._in_log[0][0] <= index:
            self._base_index, self._base = self._in_log.pop(0)
            self._is_recorded = True

    def installed(self, base: Roster | None, index: int, *, is_log_kept: bool) -> None:
        """A snapshot brought everything up to here; it may have replaced the log."""
        self._in_log = [row for row in self._in_log if is_log_kept and row[0] > index]
        self._base_index = index
        if base is not None:
            self._base, self._is_recorded = base, True
