"""`corvo inspect`, `why`, `history`, `wait`: looking at single jobs."""

import json
import sys
from typing import Any

import click

from corvo.cli import ids
from corvo.cli.client import segment
from corvo.cli.exit_codes import of_state
from corvo.cli.job_page import page
from corvo.cli.session import Duration, Session, talks_to_server
from corvo.cli.table import Column
from corvo.cli.together import each
from corvo.cli.waiting import wait_for
from corvo.cli.watch import interval_option, repeat, watch_option
from corvo.core.times import format_time_ns


@click.command("inspect")
@click.argument("job_ids", nargs=-1, metavar="[ID]...")
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
    wanted = ids.given(job_ids)

    def show() -> None:
        with each(wanted) as jobs:
            for job in jobs.attempt(lambda job_id: session.api.get(f"/api/v1/jobs/{segment(job_id)}")):
                session.out.one(job, page(job, session.out))

    repeat(show, watch=watch, interval=interval)


@click.command("why")
@click.argument("job_id", metavar="ID")
@talks_to_server
def why(session: Session, job_id: str) -> None:
    """Say what stands between a job and a worker.

    \b
    Example:
      corvo why job_01J...
    """
    found = session.api.get(f"/api/v1/jobs/{segment(job_id)}/explain")
    lines = [f"{job_id} is {found['state']}"]
    for reason in found["reasons"]:
        until = f" (until {session.out.time(reason['until'])})" if "until" in reason else ""
        lines.append(f"  {reason['text']}{until}")
    if "eta_ms" in found:
        lines.append(f"  expected to start in about {found['eta_ms'] / 1_000:g} s")
    session.out.one({"id": job_id} | found, "\n".join(lines))


@click.command("history")
@click.argument("job_id", metavar="ID")
@talks_to_server
def history(session: Session, job_id: str) -> None:
    """Show what happened to a job, oldest first.

    \b
    Example:
      corvo history job_01J... --time iso
    """
    found = session.api.get(f"/api/v1/jobs/{segment(job_id)}/events")
    if not found["complete"]:
        session.talk("The oldest part of the history is no longer kept.")
    session.out.many(found["events"], EVENT_COLUMNS, id_member="seq")


EVENT_COLUMNS = [
    Column("SEQ", "seq", "number"),
    Column("TIME", lambda event: format_time_ns(event["at_ns"]), "time"),
    Column("EVENT", "type"),
    Column("QUEUE", "queue"),
    Column("JOB", "job_id"),
    Column("DATA", lambda event: _facts(event.get("data")), "text"),
]


def _facts(data: Any) -> str:
    if not isinstance(data, dict):
        return "" if data is None else json.dumps(data)
    return " ".join(f"{name}={value}" for name, value in data.items())


@click.command("wait")
@click.argument("job_ids", nargs=-1, metavar="[ID]...")
@click.option("--wait-timeout", type=Duration(), default="5m", help="How long to wait for each.")
@talks_to_server
def wait(session: Session, job_ids: tuple[str, ...], wait_timeout: float) -> None:
    """Wait until jobs have ended. The exit code tells how; of several, that of the first that went wrong.

    \b
    Example:
      corvo enqueue thumbs --file jobs.ndjson -o id | corvo wait -o none && echo all done
    """
    worst = of_state("completed")
    for job_id in ids.given(job_ids):
        job = wait_for(session.api, job_id, wait_timeout, quiet=session.quiet)
        session.out.one(job, f"{job_id} {job['state']}")
        worst = worst or of_state(job["state"])
    sys.exit(worst)
