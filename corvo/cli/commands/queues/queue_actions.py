"""`corvo pause`, `resume`, `drain`, `limit`, `throttle`, `clear`, `destroy`: acts on queues."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

import click

from corvo.cli.each import each
from corvo.cli.exit_codes import ExitCode
from corvo.cli.input.complete import queue_names
from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.progress import ProgressLine
from corvo.cli.problems import ApiError
from corvo.cli.request.client import segment
from corvo.cli.request.session import Duration, Session, talks_to_server
from corvo.core.wording import count as number_of

_names = click.argument("queues", nargs=-1, required=True, metavar="QUEUE...", shell_complete=queue_names)
_name = click.argument("queue", shell_complete=queue_names)
_create = click.option(
    "--create",
    is_flag=True,
    help="Make a queue that does not exist yet; it begins with this setting.",
)
#: One request of `drain --wait` waits no longer, so that progress is shown now and then.
_ROUND_S = 2.0


def _path(queue: str, verb: str = "") -> str:
    return f"/api/v1/queues/{segment(queue)}{verb}"


def _act(session: Session, queues: Iterable[str], verb: str, *, create: bool | None = None) -> None:
    """`create` is for settings, which may come before the first job; what removes jobs makes no queue."""
    query = {} if create is None else _existing(create)

    def act(queue: str) -> dict[str, Any]:
        with _near_names(session, queue):
            return {"name": queue, **session.api.post(_path(queue, f"/{verb}"), **query)}

    with each(queues) as doing:
        for answer in doing.attempt(act):
            _say(session, answer)


def _existing(create: bool) -> dict[str, str]:
    return {} if create else {"existing": "true"}


@contextmanager
def _near_names(session: Session, queue: str) -> Iterator[None]:
    """A queue that is not there was mistyped, or is to be made: say which it could be."""
    try:
        yield
    except ApiError as error:
        if error.code == "NOT_FOUND":
            names = [found["name"] for found in session.api.get("/api/v1/queues")]
            near = get_close_matches(queue, names, n=3)
            meant = f"Did you mean {' or '.join(near)}? " if near else ""
            error.hint = f"{meant}`corvo queues` lists them; --create makes a new one where that makes sense."
        raise


def _say(session: Session, answer: dict[str, Any]) -> None:
    removed = f", {number_of(answer['deleted'], 'job')} removed" if "deleted" in answer else ""
    session.out.one(answer, f"{answer['name']} {answer['status']}{removed}", id_member="name")


@click.command("pause")
@_names
@_create
@talks_to_server
def pause(session: Session, queues: tuple[str, ...], create: bool) -> None:
    """Hand out no more jobs of these queues. Jobs that are active go on."""
    _act(session, queues, "pause", create=create)


@click.command("resume")
@_names
@_create
@talks_to_server
def resume(session: Session, queues: tuple[str, ...], create: bool) -> None:
    """Hand out jobs of these queues again."""
    _act(session, queues, "resume", create=create)


@click.command("drain")
@_names
@click.option("--wait", "wait", is_flag=True, help="Wait until no job is active.")
@click.option("--wait-timeout", type=Duration(), default="10m", help="How long --wait waits.")
@talks_to_server
def drain(session: Session, queues: tuple[str, ...], wait: bool, wait_timeout: float) -> None:
    """Pause queues and let active jobs finish; with --wait, return when they have.

    \b
    Example:
      corvo drain emails --wait && systemctl restart mailer && corvo resume emails

    Exit code 7 if jobs are still active when the time is up; the queue stays paused then, as it does after
    Ctrl-C.
    """
    if not wait:
        _act(session, queues, "drain", create=False)
        return
    deadline = time.monotonic() + wait_timeout
    drained = [_drain(session, queue, deadline) for queue in queues]
    if not all(drained):
        sys.exit(ExitCode.UNAVAILABLE)


def _drain(session: Session, queue: str, deadline: float) -> bool:
    with ProgressLine(f"draining {queue}", quiet=session.quiet) as progress:
        while True:
            left_s = deadline - time.monotonic()
            # A client that asks the server to wait must not hang up before it has.
            wait_ms = max(1, int(min(left_s, _ROUND_S, session.api.target.timeout_s / 2) * 1_000))
            with _near_names(session, queue):
                drained = session.api.post(_path(queue, "/drain"), wait=f"{wait_ms}ms", **_existing(False))
            answer = {"name": queue, **drained}
            if answer["status"] == "drained" or left_s <= 0:
                break
            progress.note(f"{answer['active']} active")
    _say(session, answer)
    return bool(answer["status"] == "drained")


@click.command("limit")
@_name
@click.argument("most", type=click.IntRange(min=0), metavar="N")
@_create
@talks_to_server
def limit(session: Session, queue: str, most: int, create: bool) -> None:
    """Let at most N jobs of a queue be active at once; 0 removes the limit."""
    with _near_names(session, queue):
        answer = session.api.post(_path(queue, "/concurrency"), {"max": most}, **_existing(create))
    words = f"limited to {most} active jobs" if most else "not limited"
    session.out.one({"name": queue, **answer}, f"{queue} {words}", id_member="name")


@click.command("throttle")
@_name
@click.argument("rate", type=click.IntRange(min=0), metavar="RATE")
@click.argument("period", default="1s")
@_create
@talks_to_server
def throttle(session: Session, queue: str, rate: int, period: str, create: bool) -> None:
    """Hand out at most RATE jobs of a queue in any PERIOD (1s if left out); RATE 0 removes the limit.

    \b
    Example:
      corvo throttle emails 100 1m
    """
    query = _existing(create)
    with _near_names(session, queue):
        if rate:
            answer = session.api.post(_path(queue, "/throttle"), {"rate": rate, "period": period}, **query)
        else:
            answer = session.api.delete(_path(queue, "/throttle"), **query)
    words = f"throttled to {number_of(rate, 'job')} in {period}" if rate else "not throttled"
    session.out.one({"name": queue, **answer}, f"{queue} {words}", id_member="name")


@click.command("clear")
@_names
@yes_option
@talks_to_server
def clear(session: Session, queues: tuple[str, ...], yes: bool) -> None:
    """Remove the pending and scheduled jobs of queues. This cannot be undone."""
    for queue in queues:
        confirm(f"This removes all jobs that wait in {queue}.", queue, yes=yes)
    _act(session, queues, "clear")


@click.command("destroy")
@_names
@click.option("-y", "--yes", "--confirm", "yes", is_flag=True, help="Do not ask.")
@talks_to_server
def destroy(session: Session, queues: tuple[str, ...], yes: bool) -> None:
    """Remove queues with all their jobs, active ones included. This cannot be undone."""
    for queue in queues:
        confirm(f"This removes {queue} and all its jobs.", queue, yes=yes)
    with each(queues) as doing:
        for answer in doing.attempt(
            lambda queue: {"name": queue, **session.api.delete(_path(queue), confirm="true")}
        ):
            _say(session, answer)
