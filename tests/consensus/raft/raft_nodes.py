"""Real nodes for tests: real disk, real time, and a state machine whose progress can be awaited."""

import asyncio
import errno
import os

import msgpack

from corvo.consensus.api import Position, Role
from corvo.consensus.journal.disk import OsDisk


class FillableDisk(OsDisk):
    """A real folder on a disk that is full whenever the test says so."""

    is_full = False

    def create(self, name):
        return self._limit(super().create(name))

    def open(self, name):
        return self._limit(super().open(name))

    def _limit(self, file):
        allocate = file.preallocate

        def preallocate(start, size):
            if self.is_full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            allocate(start, size)

        file.preallocate = preallocate
        return file


class ListMachine:
    """The list of commands, kept by whoever holds `rows`: a test, as the disk of the state machine."""

    def __init__(self, rows=None):
        self.rows = [] if rows is None else rows
        self.committed_tickets = []
        self.lost_tickets = []
        self.role = None
        self.leader_id = None
        self.on_stored = None
        self._changed = asyncio.Event()

    @property
    def commands(self):
        return [command for _, _, command in self.rows]

    def position(self):
        return Position(*self.rows[-1][:2]) if self.rows else Position(0, 0)

    def committed(self, position, command, ticket):
        assert position.index > self.position().index
        self.rows.append((position.index, position.term, command))
        if ticket is not None:
            self.committed_tickets.append(ticket)
        if self.on_stored is not None:
            self.on_stored(position)
        self._changed.set()

    def roster(self):
        return None

    def configured(self, position, roster, ticket):
        assert position.index > self.position().index

    def passed(self, position):
        assert position.index > self.position().index

    def lost(self, ticket):
        self.lost_tickets.append(ticket)
        self._changed.set()

    def role_changed(self, role, term, leader_id):
        self.role, self.leader_id = role, leader_id
        self._changed.set()

    def stream(self):
        for first in range(0, len(self.rows), 50):
            yield msgpack.packb(self.rows[first : first + 50])

    def receive(self):
        return _Sink(self)

    async def until(self, condition, seconds=20):
        async with asyncio.timeout(seconds):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def until_leading(self):
        await self.until(lambda: self.role is Role.LEADER)


class _Sink:
    def __init__(self, machine):
        self._machine = machine
        self._rows = []

    def write(self, chunk):
        self._rows += [tuple(row) for row in msgpack.unpackb(chunk)]

    def finish(self):
        machine = self._machine
        if self._rows and self._rows[-1][0] > machine.position().index:
            machine.rows[:] = self._rows
            machine._changed.set()
        return machine.position()

    def abort(self):
        self._rows.clear()
