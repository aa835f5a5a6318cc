"""The `corvo` command. Subcommands are imported when they are called, so that each starts fast."""

import errno
import io
import os
import sys
from typing import Any

import click

from corvo import __version__
from corvo.cli.catalogue import ALIASES, SECTIONS
from corvo.cli.exit_codes import ExitCode
from corvo.cli.lazy import LazyGroup
from corvo.cli.problems import Problem


class _Root(LazyGroup):
    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Problem as problem:
            problem.show()
            ctx.exit(problem.exit_code)
        except KeyboardInterrupt:
            click.echo(err=True)
            ctx.exit(ExitCode.INTERRUPTED)
        except BrokenPipeError:
            _give_up_stdout()
            ctx.exit(ExitCode.PIPE_CLOSED)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
                raise
            _give_up_stdout()
            Problem(f"the output cannot be written: {error.strerror}", ExitCode.REFUSED).show()
            ctx.exit(ExitCode.REFUSED)


def _give_up_stdout() -> None:
    """What is left in the buffer goes nowhere, instead of failing once more when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@click.group(
    cls=_Root,
    sections=SECTIONS,
    aliases=ALIASES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command has --help with examples. Exit codes and more: docs/reference/cli.md.",
)
@click.version_option(__version__, message="corvo %(version)s")
def main() -> None:
    """Corvo: a job server for any language. `corvo serve` runs one, `corvo dev` runs one with demo data."""
    _prepare_streams()
    if not __debug__:
        # Assertions are how a node notices that it can no longer be trusted.
        click.echo("Error: Corvo does not run under python -O: its assertions must stay on", err=True)
        sys.exit(2)


def _prepare_streams() -> None:
    """Streams that are closed, or hold characters of another encoding, must not end in a traceback."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - till the end
    if isinstance(sys.stdin, io.TextIOWrapper):
        # The code that reads it says what is wrong with bytes that are no text.
        sys.stdin.reconfigure(errors="surrogateescape")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that knows no UTF-8 gets a question mark for what it cannot show.
        sys.stdout.reconfigure(errors="replace")
