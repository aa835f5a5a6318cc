"""`corvo failures`: failed jobs by what their errors have in common."""

from typing import Any

import click

from corvo.cli.commands.jobs.search import parse
from corvo.cli.input.complete import queue_names
from corvo.cli.output.table import Column
from corvo.cli.output.watch import interval_option, repeat, watch_option
from corvo.cli.request.session import Session, talks_to_server

COLUMNS = [
    Column("JOBS", "count", "number"),
    Column("DEAD", "dead", "number"),
    Column("RETRYING", "retrying", "number"),
    Column("FIRST", "first_at", "time"),
    Column("LAST", "last_at", "time"),
    Column("QUEUES", lambda failure: ",".join(failure["queues"])),
    Column("FAILURE", "failure"),
]


@click.command("failures")
@click.argument("words", nargs=-1, metavar="[QUERY]...")
@click.option("--queue", shell_complete=queue_names, help="Only of this queue.")
@click.option("--limit", type=click.IntRange(1, 200), default=50, help="Groups at most.")
@watch_option
@interval_option
@talks_to_server
def command(
    session: Session, words: tuple[str, ...], queue: str | None, limit: int, watch: bool, interval: float
) -> None:
    """Show dead and retrying jobs, grouped by error: numbers, ids, addresses and the like do not count.

    \b
    Examples:
      corvo failures 'queue:emails age<1h'
      corvo bulk retry --query 'state:dead failure:"user … not found"'
    """
    query = " ".join(words)
    parse(session, query)  # Parsed here, too, so that a mistake is pointed at.

    def show() -> None:
        found: dict[str, Any] = session.api.get("/api/v1/failures", q=query, queue=queue, limit=limit)
        session.out.many(found["failures"], COLUMNS, id_member="failure")
        if found["total"] > len(found["failures"]):
            session.talk(f"{len(found['failures'])} of {found['total']} groups; --limit N shows more")

    repeat(session, show, watch=watch, interval=interval)
