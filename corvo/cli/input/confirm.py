"""Asking before something is destroyed. A script says --yes; a person types it."""

import sys
from typing import IO

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import Misused, Problem

yes_option = click.option("-y", "--yes", is_flag=True, help="Do not ask.")


def confirm(question: str, word: str, *, yes: bool) -> None:
    """Returns if the word was typed. Without a terminal to ask on, --yes is required."""
    if yes:
        return
    terminal = _terminal()
    if terminal is None:
        raise Misused(f"{question} This cannot be undone", "Add --yes if you mean it.")
    with terminal:
        click.echo(f"{question} Type {word} to go on: ", nl=False, err=True)
        typed = terminal.readline().strip()
    if typed != word:
        raise Problem("nothing was changed", ExitCode.CANCELLED)


def _terminal() -> IO[str] | None:
    """The user's terminal, even if stdin is a pipe of ids; None if there is none."""
    if not sys.stderr.isatty():
        return None
    try:
        return open("/dev/tty", encoding="utf-8", errors="replace")
    except OSError:
        return None
