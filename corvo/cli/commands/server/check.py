"""`corvo check`: answers for monitoring, with its own exit codes: 0 ok, 1 warning, 2 critical, 3 unknown."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from corvo.cli.input.complete import queue_names
from corvo.cli.problems import ApiError, Misused, Problem
from corvo.cli.request.session import Duration, Session, talks_to_server
from corvo.core.times import parse_time_ns
from corvo.core.wording import count as number_of

_WORDS = ("OK", "WARNING", "CRITICAL", "UNKNOWN")
_UNKNOWN = 3


class _Checks(click.Group):
    """A command line that is wrong says nothing of the server: 2, as everywhere else, would be CRITICAL."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _unknown_if_misused():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _unknown_if_misused():
            return super().invoke(ctx)


@contextmanager
def _unknown_if_misused() -> Iterator[None]:
    try:
        yield
    except (click.UsageError, Misused) as problem:
        problem.show()
        sys.exit(_UNKNOWN)


@click.group("check", cls=_Checks)
def command() -> None:
    """Answer a monitoring system. The exit code is that of a Nagios plugin: 0 ok, 1 warning,
    2 critical, 3 unknown: no answer, no such queue, or a command line that is wrong.
    """


def _answer(session: Session, level: int, text: str, figure: float | None = None) -> NoReturn:
    document = {"id": _WORDS[level], "status": _WORDS[level].lower(), "text": text, "figure": figure}
    perf = "" if figure is None else f" | value={figure:g}"
    session.out.one(document, f"{_WORDS[level]}: {text}{perf}")
    sys.exit(level)


def _level(figure: float, warn: float, crit: float) -> int:
    return 2 if figure >= crit else 1 if figure >= warn else 0


@command.command("ready")
@talks_to_server
def ready(session: Session) -> None:
    """Is the server up, healthy and led?"""
    try:
        health = session.api.get("/healthz")
        cluster = session.api.get("/api/v1/cluster/status")
    except ApiError as refusal:
        if refusal.status not in (401, 403):
            _answer(session, 2, refusal.message)
        # Its health is public; who leads is not.
        _answer(session, 0, "ok; with a key that may look at the cluster, I could say whether it is led")
    except Problem as problem:
        _answer(session, 2, problem.message)
    level = 0 if cluster["status"] == "healthy" else 1
    _answer(session, level, f"{health['status']}, {cluster['status']}, led by {cluster.get('leader_id')}")


@command.command("backlog")
@click.option("--queue", shell_complete=queue_names, help="Only this queue.")
@click.option("--warn", type=int, default=1_000, help="Warn at so many pending jobs.")
@click.option("--crit", type=int, default=10_000, help="Critical at so many.")
@talks_to_server
def backlog(session: Session, queue: str | None, warn: int, crit: int) -> None:
    """How many jobs are pending?"""
    queues = _queues(session, queue)
    pending = sum(row["pending"] for row in queues)
    _answer(
        session,
        _level(pending, warn, crit),
        f"{number_of(pending, 'job')} pending in {queue or 'all queues'}",
        pending,
    )


@command.command("lag")
@click.option("--queue", shell_complete=queue_names, help="Only this queue.")
@click.option("--warn", type=Duration(), default="1m", help="Warn when the oldest pending job is so old.")
@click.option("--crit", type=Duration(), default="10m", help="Critical when it is so old.")
@talks_to_server
def lag(session: Session, queue: str | None, warn: float, crit: float) -> None:
    """How long has the oldest pending job been waiting?"""
    times = [row["oldest_pending_at"] for row in _queues(session, queue) if "oldest_pending_at" in row]
    now_ns = session.clock.now_ns()
    ages = [(now_ns - parse_time_ns(text, "oldest_pending_at")) / 1e9 for text in times]
    age_s = round(max([0.0, *ages]), 1)
    _answer(session, _level(age_s, warn, crit), f"the oldest pending job waits for {age_s:g} s", age_s)


def _queues(session: Session, queue: str | None) -> list[dict[str, Any]]:
    try:
        queues = session.api.get("/api/v1/queues")
    except Problem as problem:
        _answer(session, _UNKNOWN, problem.message)
    found = [row for row in queues if queue in (None, row["name"])]
    if queue is not None and not found:
        # A mistyped name would be OK for ever.
        _answer(session, _UNKNOWN, f"there is no queue {queue!r}; `corvo queues` lists them")
    return found
