"""Watch: what `--watch` does, which is to print again every --interval until Ctrl-C."""

import time
from collections.abc import Callable

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import Problem
from corvo.cli.request.session import Duration, Session

watch_option = click.option("-w", "--watch", is_flag=True, help="Print again every --interval, until Ctrl-C.")
interval_option = click.option("--interval", type=Duration(), default="2s", help="Time between two prints.")


def repeat(session: Session, show: Callable[[], None], *, watch: bool, interval: float) -> None:
    """A server that goes away is waited for: the user who watches it wants to see it come back."""
    show()
    is_away = False
    while watch:
        time.sleep(max(0.1, interval))
        try:
            with session.out.afresh():
                show()
            is_away = False
        except Problem as problem:
            if problem.exit_code is not ExitCode.UNAVAILABLE:
                raise
            if not is_away:
                session.talk(f"{problem.message}; it is asked again until Ctrl-C")
            is_away = True
