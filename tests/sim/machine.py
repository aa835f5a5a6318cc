"""A small durable state machine: the list of commands it was given. It may store them later."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import msgpack

from corvo.consensus.api import Position, Role
from tests.sim.timeline import NodeLoop, Violation

_ROWS_PER_CHUNK = 20

#: Index, term and value of an entry.
Row = tuple[int, int, int]


class Witness(Protocol):
    """Who checks what state machines are told."""

    def committed(self, node_id: str, row: Row) -> None: ...

    def configured(self, node_id: str, position: Position, roster: bytes) -> None: ...

    def acknowledged(self, ticket: object, value: int) -> None: ...

    def lost(self, ticket: object) -> None: ...

    def role_changed(self, node_id: str, role: Role, term: int, leader_id: str | None) -> None: ...

    def installed(self, node_id: str, before: Position, after: Position) -> None: ...


@dataclass
class Store:
    """What of a state machine survives its process."""

    rows: list[Row] = field(default_factory=list)
    roster: bytes | None = None


def value_of(command: bytes) -> int:
    return int.from_bytes(command[:8], "big")


def command_of(value: int, size: int) -> bytes:
    return value.to_bytes(8, "big") + b"x" * size


class SimMachine:
    def __init__(
        self,
        node_id: str,
        store: Store,
        witness: Witness,
        loop: NodeLoop,
        chance: random.Random,
        *,
        unstored_max: int,
    ) -> None:
        self._node_id = node_id
        self._store = store
        self._witness = witness
        self._loop = loop
        self._chance = chance
        self._is_storing = False
        self._unstored_max = unstored_max
        #: How long storing may take, beyond the usual.
        self.slow_s_max = 0.0
        self.rows = list(store.rows)
        self._roster = store.roster
        self._last_index = self.position().index
        #: Set once the member exists; it does not while the machine is asked for its position.
        self.on_stored: Callable[[Position], None] = lambda position: None

    def position(self) -> Position:
        return _position(self._store.rows)

    def committed(self, position: Position, command: bytes, ticket: object | None) -> None:
        self.passed(position)
        row = (position.index, position.term, value_of(command))
        self.rows.append(row)
        if len(self.rows) - len(self._store.rows) > self._unstored_max:
            raise Violation(f"{self._node_id} is given more than it can store, up to entry {position.index}")
        self._witness.committed(self._node_id, row)
        if ticket is not None:
            self._witness.acknowledged(ticket, row[2])
        if not self._is_storing:
            self._is_storing = True
            usual_s = self._chance.choice((0.0, 0.001, 0.02, 0.3))
            self._loop.call_later(usual_s + self._chance.random() * self.slow_s_max, self._store_all)

    def roster(self) -> bytes | None:
        return self._store.roster

    def configured(self, position: Position, roster: bytes, ticket: object | None) -> None:
        self.passed(position)
        self._roster = roster
        self._witness.configured(self._node_id, position, roster)

    def passed(self, position: Position) -> None:
        # The very first entry has no one before it.
        if self._last_index and position.index != self._last_index + 1:
            raise Violation(f"{self._node_id} is given entry {position.index} after entry {self._last_index}")
        self._last_index = position.index

    def lost(self, ticket: object) -> None:
        self._witness.lost(ticket)

    def role_changed(self, role: Role, term: int, leader_id: str | None) -> None:
        self._witness.role_changed(self._node_id, role, term, leader_id)

    def stream(self) -> Iterator[bytes]:
        rows = list(self.rows)
        yield msgpack.packb([self._roster])
        for first in range(0, len(rows), _ROWS_PER_CHUNK):
            yield msgpack.packb(rows[first : first + _ROWS_PER_CHUNK])

    def receive(self) -> "Sink":
        return Sink(self)

    def _store_all(self) -> None:
        self._is_storing = False
        self._store.rows.extend(self.rows[len(self._store.rows) :])
        self._store.roster = self._roster
        self.on_stored(self.position())

    def install(self, rows: list[Row], roster: bytes | None) -> Position:
        before = _position(self.rows)
        if _position(rows).index > before.index:
            self.rows = rows
            self._last_index = rows[-1][0]
            self._store.rows = list(rows)
            self._store.roster = self._roster = roster
            self._witness.installed(self._node_id, before, _position(rows))
        return _position(self.rows)


class Sink:
    def __init__(self, machine: SimMachine) -> None:
        self._machine = machine
        self._rows: list[Row] = []
        self._roster: bytes | None = None
        self._is_first = True

    def write(self, chunk: bytes) -> None:
        unpacked = msgpack.unpackb(chunk, use_list=False)
        if self._is_first:
            self._is_first = False
            (self._roster,) = unpacked
        else:
            self._rows.extend(unpacked)

    def finish(self) -> Position:
        return self._machine.install(self._rows, self._roster)

    def abort(self) -> None:
        self._rows.clear()


def _position(rows: list[Row]) -> Position:
    return Position(rows[-1][0], rows[-1][1]) if rows else Position(0, 0)
