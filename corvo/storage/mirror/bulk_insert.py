"""Bulk insert: many rows into a table, by few statements.

sqlite3 releases the interpreter lock and takes it back once per statement, so one statement for many rows
costs a third less, and far fewer interruptions of the loop. And it looks for an adapter for each value that
is not a number, a text or a bytearray, None among them, which takes longer than all else about that value. So
None goes in as a value that no column can have, and SQLite makes NULL of it.
"""

import sqlite3
from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

#: Rows bound to one statement; what is left over goes in powers of two below it.
_ROWS_PER_STATEMENT: Final = 1024
#: Columns hold whole numbers, texts and bytes.
_NOTHING: Final = 0.5
_BOUND: Final = "?"
_BOUND_OR_NULL: Final = f"nullif(?, {_NOTHING})"


class Into(NamedTuple):
    """An INSERT without its rows."""

    table: str
    columns: tuple[str, ...]
    #: They follow the others, and may be None.
    optional: tuple[str, ...]
    #: What follows the rows.
    tail: str


def put(db: sqlite3.Connection, into: Into, rows: Sequence[Sequence[Any]]) -> None:
    start = 0
    size = _ROWS_PER_STATEMENT
    while start < len(rows):
        while size > len(rows) - start:
            size //= 2
        db.execute(_statement(into, size), _flat(rows[start : start + size]))
        start += size


@cache
def _statement(into: Into, rows: int) -> str:
    names = ", ".join(into.columns + into.optional)
    row = ",".join([_BOUND] * len(into.columns) + [_BOUND_OR_NULL] * len(into.optional))
    values = ",".join([f"({row})"] * rows)
    return f"INSERT INTO {into.table} ({names}) VALUES {values} {into.tail}"  # noqa: S608 - our names


def _flat(rows: Sequence[Sequence[Any]]) -> list[Any]:
    return [_NOTHING if value is None else value for row in rows for value in row]
