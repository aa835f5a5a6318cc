"""`--watch`: the same again, every so often, until somebody has seen enough."""

import sys
import time
from collections.abc import Callable

import click

from corvo.cli.session import Duration
from corvo.cli.table import is_terminal

watch_option = click.option("-w", "--watch", is_flag=True, help="Print again every --interval, until Ctrl-C.")
interval_option = click.option("--interval", type=Duration(), default="2s", help="Time between two prints.")


def repeat(show: Callable[[], None], *, watch: bool, interval: float) -> None:
    show()
    while watch:
        time.sleep(max(0.1, interval))
        if is_terminal(sys.stdout):
            click.clear()
        show()
