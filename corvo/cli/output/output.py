"""What commands print. stdout is for data, in the form asked for; stderr is for messages.

table   for people: aligned, times in words, colour if it is a terminal
json    one document: an array where there are many
jsonl   one document per line, as they come
id      ids alone, one per line, for pipes
none    nothing; the exit code says it all
"""

import select
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Literal

import click

from corvo.cli.output.table import Column, clean, clean_lines, is_terminal, render, terminal_width
from corvo.cli.request import exact_json
from corvo.core.clock import Clock
from corvo.core.errors import ValidationFailed
from corvo.core.times import parse_time_ns

Form = Literal["table", "json", "jsonl", "id", "none"]
FORMS: Final[tuple[Form, ...]] = ("table", "json", "jsonl", "id", "none")
TimeForm = Literal["relative", "iso", "raw"]
TIME_FORMS: Final[tuple[TimeForm, ...]] = ("relative", "iso", "raw")

Document = dict[str, Any]


class Output:
    def __init__(self, form: Form | None, times: TimeForm, colour: bool | None, clock: Clock) -> None:
        self.form = form or "table"
        self._was_chosen = form is not None
        self._times = times
        self.colour = is_terminal(sys.stdout) if colour is None else colour
        self._clock = clock
        #: Whether the screen is to be cleared before the next line is printed.
        self._is_stale = False

    def default_to(self, form: Form) -> None:
        """For a command that has a better form than a table, unless one was asked for."""
        if not self._was_chosen:
            self.form = form

    def many(self, rows: Iterable[Document], columns: Sequence[Column], *, id_member: str = "id") -> None:
        """A list, printed as it comes where the form allows it."""
        match self.form:
            case "table":
                self.table(rows, columns)
            case "json":
                self._array(rows)
            case "jsonl":
                for row in rows:
                    self.line(to_json(row))
            case "id":
                for row in rows:
                    self.line(clean(str(row.get(id_member, ""))))
            case "none":
                for _ in rows:
                    """Rows are read all the same: what goes wrong on the way shows in the exit code."""

    def one(self, document: Document, text: str, *, id_member: str = "id") -> None:
        """A single document; people get the text instead."""
        match self.form:
            case "table":
                self.line(clean_lines(text))
            case "json":
                self.line(to_json(document, indent=2))
            case "jsonl":
                self.line(to_json(document))
            case "id":
                self.line(clean(str(document.get(id_member, ""))))

    def card(self, document: Document, columns: Sequence[Column], *, id_member: str = "id") -> None:
        """A single document; people get its name and a line for each column that says something."""
        facts = [(column.title.lower(), self.cell(column, document)) for column in columns]
        width = max(len(title) for title, _ in facts)
        lines = [f"  {title:<{width}} {text}" for title, text in facts if text]
        self.one(document, "\n".join([str(document[id_member]), *lines]), id_member=id_member)

    def table(self, rows: Iterable[Document], columns: Sequence[Column]) -> None:
        cells: list[list[str]] = []
        try:
            # Row by row: those before the one that fails are kept.
            cells.extend([self.cell(column, row) for column in columns] for row in rows)
        except BaseException:
            # The rows so far are shown all the same: they may be the ids of jobs that were enqueued before
            # it went wrong.
            if cells:
                self._rows(cells, columns)
            raise
        self._rows(cells, columns)

    def _rows(self, cells: list[list[str]], columns: Sequence[Column]) -> None:
        for line in render(cells, columns, width=terminal_width(), colour=self.colour):
            self.line(line)

    def cell(self, column: Column, row: Document) -> str:
        value = column.of(row)
        if value is None:
            return ""
        if column.kind == "time":
            return self.time(str(value))
        if column.kind == "json":
            return to_json(value)
        if isinstance(value, bool):
            return "yes" if value else ""
        return str(value)

    def time(self, text: str) -> str:
        """A time of the server's, as the user asked to see it."""
        if self._times == "raw":
            return text
        try:
            time_ns = parse_time_ns(text, "time")
        except ValidationFailed:
            return text
        if self._times == "iso":
            return f"{text[:19]}Z"
        return relative(time_ns - self._clock.now_ns())

    @contextmanager
    def afresh(self) -> Iterator[None]:
        """What is printed replaces what is on the terminal, which stays until there is something to print."""
        self._is_stale = is_terminal(sys.stdout)
        yield
        self._clear()

    def _clear(self) -> None:
        if self._is_stale:
            click.clear()
        self._is_stale = False

    def line(self, text: str) -> None:
        self._clear()
        # One write per line, and out at once: the next program in the pipe may be waiting.
        click.echo(text, color=self.colour)

    def expect_reader(self) -> None:
        """Raises BrokenPipeError if the reader of stdout has gone. Else only the next line would find out,
        and it may be long in coming."""
        pipe = select.poll()
        pipe.register(sys.stdout.fileno(), 0)
        if pipe.poll(0):
            raise BrokenPipeError

    def _array(self, rows: Iterable[Document]) -> None:
        first = True
        for row in rows:
            self.line(("[\n" if first else ",\n") + to_json(row, indent=2))
            first = False
        self.line("[]" if first else "]")


def to_json(value: Any, indent: int | None = None) -> str:
    text = exact_json.dump(value, indent=indent)
    # Half a surrogate pair is valid in JSON and cannot be printed.
    return text if _is_printable(text) else exact_json.dump(value, indent=indent, ascii_only=True)


def _is_printable(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    # JSON does not escape DEL and C1 control characters, which do things to terminals.
    return not any("\x7f" <= character <= "\x9f" for character in text)


_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "m"), (1, "s"))


def relative(difference_ns: int) -> str:
    """`3m ago`, `in 2h`, `now`."""
    seconds = abs(difference_ns) // 1_000_000_000
    for size, unit in _UNITS:
        if seconds >= size:
            words = f"{seconds // size}{unit}"
            return f"in {words}" if difference_ns > 0 else f"{words} ago"
    return "now"
