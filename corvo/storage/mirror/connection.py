"""Read connection on aiosqlite: runs the statements of a search, and stops those that take too long.

A search is a conversation with the database: a generator that yields statements, is sent their rows, and
returns its answer.
"""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final, TypeVar

import aiosqlite

from corvo.storage.mirror.database import READER_PRAGMAS, SCHEMA_VERSION, Unusable, uri
from corvo.storage.mirror.search.binding import Statement
from corvo.storage.mirror.sqlite_errors import Fault, fault_of
from corvo.storage.mirror.tokenizer import has_words

_T = TypeVar("_T")

#: A thread that was interrupted has nothing left to do but close its file.
_JOIN_S_MAX: Final = 2.0
_RING_AGAIN_S: Final = 0.02


class OutOfTime(Exception):
    """The conversation took longer than it may."""


class ReadConnection:
    """One file, one thread, one conversation at a time."""

    def __init__(self, path: Path, connection: aiosqlite.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    async def open(cls, path: Path) -> "ReadConnection":
        """Raises Unusable unless it is a mirror of our version."""
        connection = aiosqlite.connect(uri(path, "ro"), uri=True, isolation_level=None)
        try:
            await connection
        except sqlite3.Error as error:
            _join(connection)
            raise Unusable(f"{path.name}: {error}") from error
        opened = cls(path, connection)
        try:
            for pragma in READER_PRAGMAS:
                await connection.execute_fetchall(pragma)
            await connection.create_function("has_words", -1, has_words, deterministic=True)
            rows = list(await connection.execute_fetchall("SELECT schema_version FROM mirror"))
        except sqlite3.Error as error:
            opened.close()
            raise Unusable(f"{path.name}: {error}") from error
        if rows != [(SCHEMA_VERSION,)]:
            opened.close()
            raise Unusable(f"{path.name} is of another version")
        return opened

    async def run(self, conversation: Generator[Statement, Any, _T], time_s: float) -> _T:
        """Run statements until the conversation comes to its answer. Raises OutOfTime."""
        loop = asyncio.get_running_loop()
        end = loop.time() + time_s
        try:
            statement = next(conversation)
            while True:
                left = end - loop.time()
                budget = left if statement.budget_ms is None else min(left, statement.budget_ms / 1_000)
                rows = await self._fetch(statement, budget)
                if rows is None and (statement.budget_ms is None or loop.time() >= end):
                    raise OutOfTime
                statement = conversation.send(rows)
        except StopIteration as answer:
            value: _T = answer.value
            return value
        finally:
            conversation.close()

    async def _fetch(self, statement: Statement, time_s: float) -> list[tuple[Any, ...]] | None:
        """All rows, or None if time ran out."""
        if time_s <= 0:
            return None
        alarm = _Alarm(self._interrupt, time_s)
        try:
            rows = await self._connection.execute_fetchall(statement.sql, statement.values)
        except sqlite3.OperationalError as error:
            if fault_of(error) is Fault.INTERRUPTED:
                return None
            raise
        finally:
            alarm.cancel()
        return [tuple(row) for row in rows]

    def close(self) -> None:
        """Stop what is running and let go of the file."""
        self._interrupt()
        self._connection.stop()
        _join(self._connection)

    def _interrupt(self) -> None:
        # aiosqlite's own `interrupt` is a coroutine, for no reason but uniformity; this runs in a callback.
        with contextlib.suppress(ValueError, sqlite3.ProgrammingError):
            self._connection._conn.interrupt()


def _join(connection: aiosqlite.Connection) -> None:
    """Wait for the thread of a connection that is being closed. It blocks the loop for the moment that takes,
    because the thread's last act is a call into the loop, which may be closed soon after."""
    # Older versions of aiosqlite are the thread, newer ones have it.
    thread: Any = getattr(connection, "_thread", connection)
    thread.join(_JOIN_S_MAX)


class _Alarm:
    """Rings after a while, and goes on ringing until it is cancelled: an interruption does not reach a
    statement that has not begun yet."""

    def __init__(self, ring: Callable[[], None], time_s: float) -> None:
        self._ring = ring
        self._handle = asyncio.get_running_loop().call_later(time_s, self._go_off)

    def _go_off(self) -> None:
        self._ring()
        self._handle = asyncio.get_running_loop().call_later(_RING_AGAIN_S, self._go_off)

    def cancel(self) -> None:
        self._handle.cancel()
