"""How far a long thing is: one line on stderr that is written over, only on a terminal."""

import sys
import time
from types import TracebackType

import click

from corvo.cli.output.table import is_terminal

_EVERY_S = 0.1
_ERASE = "\r\x1b[2K"


class ProgressLine:
    """`with ProgressLine("enqueued", total) as progress: progress.to(17)`"""

    def __init__(self, what: str, total: int | None = None, *, quiet: bool = False) -> None:
        self._what = what
        self._total = total
        self._shown_at = 0.0
        self._is_on = is_terminal(sys.stderr) and not quiet
        self.done = 0

    def to(self, done: int, total: int | None = None) -> None:
        self.done = done
        self._total = self._total if total is None else total
        self._show(f"{self._what} {done:,}{self._share()}")

    def note(self, text: str) -> None:
        self._show(f"{self._what}: {text}")

    def _share(self) -> str:
        if not self._total:
            return ""
        share = min(1.0, self.done / self._total)
        bar = ("#" * int(24 * share)).ljust(24, ".")
        return f" of {self._total:,} [{bar}] {share:.0%}"

    def _show(self, line: str) -> None:
        now = time.monotonic()
        if self._is_on and now - self._shown_at >= _EVERY_S:
            self._shown_at = now
            click.echo(_ERASE + line, nl=False, err=True)

    def __enter__(self) -> "ProgressLine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._shown_at:
            click.echo(_ERASE, nl=False, err=True)
