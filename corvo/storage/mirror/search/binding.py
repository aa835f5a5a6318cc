"""User text never becomes SQL text: it goes in here and a name comes out."""

from typing import Any

import msgspec


class Statement(msgspec.Struct, frozen=True):
    """SQL of ours, and the values for its names."""

    sql: str
    values: dict[str, Any]
    #: An answer can do without it, so it gets no more time than this. None: all the time there is.
    budget_ms: int | None = None


class Binder:
    """Hands out a name for each value. One value may be named in several places of a statement."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    def __call__(self, value: str | int) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return ":" + name

    def statement(self, sql: str, *, budget_ms: int | None = None) -> Statement:
        # sqlite3 does not mind names that a statement does not use.
        return Statement(sql, dict(self.values), budget_ms)


def containing(text: str) -> str:
    """A LIKE pattern, for `ESCAPE '\\'`, of everything with this text in it."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def after_prefix(prefix: str) -> str:
    """The end of the range of texts that begin with this: no text of ours has this character in it."""
    return prefix + "\U0010ffff"
