"""`corvo schedules`: jobs that come by the clock."""

from collections.abc import Callable, Iterator
from typing import Any

import click

from corvo.cli.input.complete import queue_names
from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.table import Column
from corvo.cli.problems import Misused
from corvo.cli.request.client import segment
from corvo.cli.request.exact_json import written
from corvo.cli.request.session import Session, is_alone, talks_to_server
from corvo.core.priority import LABELS

_PAGE = 1_000

COLUMNS = [
    Column("NAME", "name"),
    Column("QUEUE", "queue"),
    Column("CRON", "cron"),
    Column("TIMEZONE", "timezone"),
    Column("ENABLED", "enabled"),
    Column("NEXT", "next_run", "time"),
    Column("LAST", "last_run", "time"),
    Column("FIRED", "fired", "number"),
    Column("ID", "id"),
]
_TIMES = [Column("AT", "at"), Column("LOCAL", "local")]

_schedule = click.argument("schedule", metavar="NAME|ID")


def _path(schedule: str, verb: str = "") -> str:
    return f"/api/v1/schedules/{segment(schedule)}{verb}"


@click.group("schedules", invoke_without_command=True)
@talks_to_server
@click.pass_context
def command(ctx: click.Context, session: Session) -> None:
    """List schedules, or work on one.

    \b
    Examples:
      corvo schedules create nightly reports '0 3 * * *' --timezone Europe/Berlin --payload '{"kind":"full"}'
      corvo schedules next nightly
      corvo schedules disable nightly
    """
    if is_alone(ctx):
        session.out.many(_all(session), COLUMNS)


@command.command("list")
@talks_to_server
def list_schedules(session: Session) -> None:
    """List schedules by name."""
    session.out.many(_all(session), COLUMNS)


def _all(session: Session) -> Iterator[dict[str, Any]]:
    after = None
    while True:
        page = session.api.get("/api/v1/schedules", limit=_PAGE, after=after)
        yield from page
        if len(page) < _PAGE:
            return
        after = page[-1]["name"]


def _members(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a schedule can be told when it is made or changed."""
    for option in (
        click.option("--payload", metavar="JSON", help="Payload of its jobs."),
        click.option("--timezone", metavar="ZONE", help="Such as Europe/Berlin.  [default: UTC]"),
        click.option("--priority", type=click.Choice(LABELS), help="Priority of its jobs."),
        click.option("--max-retries", type=click.IntRange(min=0), help="Attempts of its jobs at most."),
        click.option("--unique-key", metavar="KEY", help="Unique key of its jobs."),
        click.option(
            "--misfire",
            type=click.Choice(["once", "skip", "all"]),
            help="What to do for times that were missed.",
        ),
        click.option(
            "--overlap",
            type=click.Choice(["allow", "skip"]),
            help="What to do if its last job has not ended.",
        ),
        click.option("--dst-gap", type=click.Choice(["shift", "skip"]), help="For times that do not exist."),
        click.option(
            "--dst-overlap", type=click.Choice(["first", "last", "both"]), help="For times that come twice."
        ),
    ):
        function = option(function)
    return function


def _given(members: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in members.items() if value is not None}
    if "payload" in given:
        given["payload"] = written(given["payload"], "--payload")
    return given


@command.command("create")
@click.argument("name")
@click.argument("queue", shell_complete=queue_names)
@click.argument("cron")
@_members
@click.option("--disabled", is_flag=True, help="Make it, but do not let it fire yet.")
@talks_to_server
def create(session: Session, name: str, queue: str, cron: str, disabled: bool, **members: Any) -> None:
    """Make a schedule NAME: a job in QUEUE whenever CRON says (5 or 6 fields, or @daily)."""
    body = {"name": name, "queue": queue, "cron": cron} | _given(members)
    made = session.api.post("/api/v1/schedules", body | ({"enabled": False} if disabled else {}))
    _say(session, made, "created")


@command.command("update")
@_schedule
@click.option("--name", help="Another name.")
@click.option("--queue", shell_complete=queue_names, help="Another queue.")
@click.option("--cron", help="Other times.")
@_members
@talks_to_server
def update(session: Session, schedule: str, **members: Any) -> None:
    """Change what is given of a schedule; the rest stays."""
    body = _given(members)
    if not body:
        raise Misused("nothing to change was given")
    _say(session, session.api.put(_path(schedule), body), "changed")


@command.command("enable")
@_schedule
@talks_to_server
def enable(session: Session, schedule: str) -> None:
    """Let a schedule fire again."""
    _say(session, session.api.put(_path(schedule), {"enabled": True}), "enabled")


@command.command("disable")
@_schedule
@talks_to_server
def disable(session: Session, schedule: str) -> None:
    """Keep a schedule from firing; it can still be run by hand."""
    _say(session, session.api.put(_path(schedule), {"enabled": False}), "disabled")


@command.command("show")
@_schedule
@talks_to_server
def show(session: Session, schedule: str) -> None:
    """Show a schedule and its latest runs, as JSON."""
    session.out.default_to("json")
    _say(session, session.api.get(_path(schedule)), "")


@command.command("run")
@_schedule
@talks_to_server
def run(session: Session, schedule: str) -> None:
    """Make one job of a schedule now; its times stay as they are."""
    answer = session.api.post(_path(schedule, "/run"))
    session.out.one({"id": answer["job_id"], **answer}, f"{answer['job_id']} {answer['status']}")


@command.command("next")
@click.argument("schedule", metavar="NAME|ID|CRON")
@click.option("-n", "count", type=click.IntRange(1, 100), default=10, help="How many.")
@click.option("--timezone", metavar="ZONE", help="For a cron expression.  [default: UTC]")
@talks_to_server
def upcoming(session: Session, schedule: str, count: int, timezone: str | None) -> None:
    """Show the next times of a schedule, or of a cron expression such as '0 3 * * 1-5'."""
    if " " in schedule or schedule.startswith("@"):
        body = {"cron": schedule, "timezone": timezone, "n": count}
        found = session.api.ask("/api/v1/schedules/preview", body)
    else:
        found = session.api.get(_path(schedule, "/preview"), n=count)
    session.out.many(found["runs"], _TIMES, id_member="at")


@command.command("delete")
@_schedule
@yes_option
@talks_to_server
def delete(session: Session, schedule: str, yes: bool) -> None:
    """Remove a schedule. Jobs it has made stay."""
    confirm(f"This removes the schedule {schedule}.", schedule, yes=yes)
    answer = session.api.delete(_path(schedule))
    session.out.one({"id": schedule, **answer}, f"{schedule} deleted")


def _say(session: Session, schedule: dict[str, Any], word: str) -> None:
    following = session.out.time(schedule["next_run"]) if "next_run" in schedule else "never"
    session.out.one(schedule, f"{schedule['name']} {word or schedule['cron']}, next {following}")
