"""`corvo inspect`, `why`, `history`, `wait`: looking at single jobs."""

import sys
from itertools import chain
from typing import Any

import click

from corvo.cli.each import each
from corvo.cli.exit_codes import ExitCode, of_state
from corvo.cli.input import ids
from corvo.cli.output.job_page import page
from corvo.cli.output.output import Output, relative, to_json
from corvo.cli.output.table import Column
from corvo.cli.output.watch import interval_option, repeat, watch_option
from corvo.cli.problems import ApiError
from corvo.cli.request.client import segment
from corvo.cli.request.job_wait import wait_for
from corvo.cli.request.session import Duration, Session, talks_to_server
from corvo.core.clock import NS_PER_MS
from corvo.core.times import format_time_ns


@click.command("inspect")
@ids.ids_argument
@watch_option
@interval_option
@talks_to_server
def inspect(session: Session, job_ids: tuple[str, ...], watch: bool, interval: float) -> None:
    """Show everything about jobs, as JSON, or as a page with -o table. Ids may come on stdin.

    \b
    Examples:
      corvo inspect job_01J... -o table --watch
      corvo search state:dead -o id | corvo inspect | jq .last_error
    """
    session.out.default_to("json")
    wanted = ids.given(session, job_ids)

    def show() -> None:
        with each(wanted) as jobs:
            for job in jobs.attempt(lambda job_id: session.api.get(f"/api/v1/jobs/{segment(job_id)}")):
                session.out.one(job, page(job, session.out))

    repeat(session, show, watch=watch, interval=interval)


@click.command("why")
@ids.ids_argument
@talks_to_server
def why(session: Session, job_ids: tuple[str, ...]) -> None:
    """Say what stands between jobs and a worker. Ids may come on stdin.

    \b
    Examples:
      corvo why job_01J...
      corvo search 'state:pending age>1h' -o id | corvo why
    """
    with each(ids.given(session, job_ids)) as jobs:
        for found in jobs.attempt(lambda job_id: {"id": job_id} | session.api.get(_path(job_id, "explain"))):
            session.out.one(found, _reasons(found, session.out))


def _reasons(found: dict[str, Any], out: Output) -> str:
    lines = [f"{found['id']} is {found['state']}"]
    for reason in found["reasons"]:
        until = f" ({out.time(reason['until'])})" if "until" in reason else ""
        lines.append(f"  {reason['text']}{until}")
    if "eta_ms" in found:
        words = relative(found["eta_ms"] * NS_PER_MS)
        lines.append(f"  expected to start {words.replace('in ', 'in about ').replace('now', 'any moment')}")
    return "\n".join(lines)


@click.command("history")
@ids.ids_argument
@talks_to_server
def history(session: Session, job_ids: tuple[str, ...]) -> None:
    """Show what happened to jobs, one job after the other, oldest first. Ids may come on stdin.

    \b
    Examples:
      corvo history job_01J... --time iso
      corvo search 'state:dead age<1h' -o id | corvo history -o jsonl
    """

    def events_of(job_id: str) -> list[dict[str, Any]]:
        found = session.api.get(_path(job_id, "events"))
        if not found["complete"]:
            session.talk(f"{job_id}: the oldest part of the history is no longer kept")
        events: list[dict[str, Any]] = found["events"]
        return events

    with each(ids.given(session, job_ids)) as jobs:
        events = chain.from_iterable(jobs.attempt(events_of))
        session.out.many(events, EVENT_COLUMNS, id_member="seq")


def _path(job_id: str, part: str) -> str:
    return f"/api/v1/jobs/{segment(job_id)}/{part}"


EVENT_COLUMNS = [
    Column("SEQ", "seq", "number"),
    Column("TIME", lambda event: format_time_ns(event["at_ns"]), "time"),
    Column("EVENT", "type"),
    Column("QUEUE", "queue"),
    Column("JOB", "job_id", "id"),
    Column("DATA", lambda event: _facts(event.get("data")), "text"),
]


def _facts(data: Any) -> str:
    if not isinstance(data, dict):
        return "" if data is None else to_json(data)
    return " ".join(
        f"{name}={value if isinstance(value, str) else to_json(value)}" for name, value in data.items()
    )


@click.command("wait")
@ids.ids_argument
@click.option("--wait-timeout", type=Duration(), default="5m", help="How long to wait for each.")
@talks_to_server
def wait(session: Session, job_ids: tuple[str, ...], wait_timeout: float) -> None:
    """Wait until jobs have ended. The exit code tells how; of several, that of the first that went
    wrong. Ids may come on stdin; if there are none, the exit code is 0.

    \b
    Example:
      corvo enqueue thumbs --file jobs.ndjson -o id | corvo wait -o none && echo all done
    """
    worst = ExitCode.OK
    for job_id in ids.given(session, job_ids):
        try:
            job = wait_for(session.api, job_id, wait_timeout, quiet=session.quiet)
        except ApiError as error:
            if error.exit_code is not ExitCode.NOT_FOUND:
                raise
            error.show()
            worst = worst or error.exit_code
            continue
        session.out.one(job, f"{job_id} {job['state']}")
        worst = worst or of_state(job["state"])
    sys.exit(worst)
