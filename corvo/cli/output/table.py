"""Rows as a table of text: aligned columns, and cut to the terminal if there is one."""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple, TextIO

import click

Kind = Literal["text", "number", "time", "state", "json", "id"]

_COLOURS = {
    "scheduled": "cyan",
    "pending": "yellow",
    "active": "blue",
    "held": "magenta",
    "retrying": "yellow",
    "completed": "green",
    "dead": "red",
    "cancelled": "bright_black",
    "degraded": "red",
    "healthy": "green",
    "paused": "yellow",
    "silent": "bright_black",
}
#: A column is not cut to less; ids keep `job_` and eight characters of their end, which tell them apart.
_WIDTH_MIN = 8
_ID_WIDTH_MIN = 13
_GAP = "  "
_CUT = "\N{HORIZONTAL ELLIPSIS}"


class Column(NamedTuple):
    title: str
    #: The member of the row, or what to make of the row.
    value: str | Callable[[dict[str, Any]], Any]
    kind: Kind = "text"

    def of(self, row: dict[str, Any]) -> Any:
        return self.value(row) if callable(self.value) else row.get(self.value)


def clean(text: str) -> str:
    """Text that cannot move the cursor, ring the bell or break the line: any client may have sent it."""
    return "".join(
        c if c.isprintable() else " " if c in "\n\t\r" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def clean_lines(text: str) -> str:
    """Text of several lines, each of them clean."""
    return "\n".join(map(clean, text.split("\n")))


def render(
    rows: Iterable[Sequence[str]], columns: Sequence[Column], *, width: int | None, colour: bool
) -> Iterable[str]:
    """Lines, a heading first."""
    cells = [[column.title for column in columns], *([clean(cell) for cell in row] for row in rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(columns))]
    if width is not None:
        _shrink(widths, columns, width)
    for number, row in enumerate(cells):
        line = _GAP.join(
            _cell(text, column, room, heading=not number, colour=colour)
            for text, column, room in zip(row, columns, widths, strict=True)
        )
        yield line.rstrip()


def _cell(text: str, column: Column, room: int, *, heading: bool, colour: bool) -> str:
    if len(text) > room:
        text = _cut(text, room, from_middle=column.kind == "id")
    padded = text.rjust(room) if column.kind == "number" else text.ljust(room)
    if not colour:
        return padded
    if heading:
        return click.style(padded, bold=True)
    if column.kind == "state" and text in _COLOURS:
        return click.style(padded, fg=_COLOURS[text])
    return padded


def _cut(text: str, room: int, *, from_middle: bool) -> str:
    """An id is cut in its middle: its beginning is a time that neighbours share, and its end is its own. The
    commands take it back like this."""
    if not from_middle:
        return text[: room - 1] + _CUT
    end = max(8, (room - 1) // 2)
    return text[: room - 1 - end] + _CUT + text[-end:]


def _shrink(widths: list[int], columns: Sequence[Column], width: int) -> None:
    """Take from the widest until all fit, or until nothing can be taken any more."""
    least = [_ID_WIDTH_MIN if column.kind == "id" else _WIDTH_MIN for column in columns]
    excess = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    while excess > 0:
        widest = max(range(len(widths)), key=lambda n: widths[n] - least[n])
        if widths[widest] <= least[widest]:
            return
        widths[widest] -= 1
        excess -= 1


def is_terminal(stream: TextIO) -> bool:
    """Whether it is one that can do more than print: colours, and writing over what is there."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width() -> int | None:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return None
