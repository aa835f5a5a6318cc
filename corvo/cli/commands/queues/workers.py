"""`corvo workers`: the clients that fetch jobs."""

import click

from corvo.cli.output.table import Column
from corvo.cli.output.watch import interval_option, repeat, watch_option
from corvo.cli.request.session import Session, talks_to_server

COLUMNS = [
    Column("ID", "id"),
    Column("HOSTNAME", "hostname"),
    Column("STATUS", "status", "state"),
    Column("ACTIVE", "active_jobs", "number"),
    Column("LAST HEARTBEAT", "last_heartbeat", "time"),
    Column("QUEUES", lambda worker: ",".join(worker.get("queue_names", ()))),
]


@click.command("workers")
@watch_option
@interval_option
@talks_to_server
def command(session: Session, watch: bool, interval: float) -> None:
    """List workers, those heard of last first.

    \b
    Example:
      corvo workers --watch
    """
    repeat(
        session,
        lambda: session.out.many(session.api.get("/api/v1/workers"), COLUMNS),
        watch=watch,
        interval=interval,
    )
