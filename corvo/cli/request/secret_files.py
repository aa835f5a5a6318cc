"""Secrets come from files, or from stdin: other users of the machine can see a command line."""

import sys
from pathlib import Path

import click

from corvo.cli.problems import Misused


def warn_of_exposure(flag: str, instead: str) -> None:
    click.echo(f"Warning: other users of this machine can see {flag}; use {instead} instead", err=True)


def read_secret(what: str, file: str) -> str:
    """Without the end of the line that most editors put there. `-` is stdin."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).expanduser().read_text(encoding="utf-8")
        text.encode()
    except UnicodeError:
        raise Misused(f"{what} is not UTF-8") from None
    except OSError as error:
        raise Misused(f"{what} cannot be read: {error}") from None
    return text.strip()
