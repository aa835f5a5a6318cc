"""`corvo queues`: the list of queues, and one of them."""

import click

from corvo.cli.commands.queues import queue_actions
from corvo.cli.input.complete import queue_names
from corvo.cli.output.table import Column
from corvo.cli.output.watch import interval_option, repeat, watch_option
from corvo.cli.request.client import segment
from corvo.cli.request.session import Session, is_alone, talks_to_server

COLUMNS = [
    Column("QUEUE", "name"),
    Column("PENDING", "pending", "number"),
    Column("ACTIVE", "active", "number"),
    Column("HELD", "held", "number"),
    Column("SCHEDULED", "scheduled", "number"),
    Column("RETRYING", "retrying", "number"),
    Column("COMPLETED", "completed", "number"),
    Column("DEAD", "dead", "number"),
    Column("PAUSED", "paused"),
]
_DETAILS = [
    *COLUMNS[1:],
    Column("CANCELLED", "cancelled", "number"),
    Column("BLOCKED", "blocked", "number"),
    Column("LIMIT", "max_concurrency", "number"),
    Column("RATE LIMIT", "rate_limit", "number"),
    Column("RATE WINDOW MS", "rate_window_ms", "number"),
    Column("ENQUEUED EVER", "enqueued", "number"),
    Column("COMPLETED EVER", "completed_total", "number"),
    Column("FAILED EVER", "failed", "number"),
    Column("OLDEST PENDING", "oldest_pending_at", "time"),
    Column("CREATED", "created_at", "time"),
    Column("RATES", "rates", "json"),
]


@click.group("queues", invoke_without_command=True)
@watch_option
@interval_option
@talks_to_server
@click.pass_context
def command(ctx: click.Context, session: Session, watch: bool, interval: float) -> None:
    """List queues with their counters, or act on one.

    \b
    Examples:
      corvo queues --watch
      corvo queues -o json | jq '.[] | select(.dead > 0) | .name'
      corvo queues pause emails
    """
    if is_alone(ctx):
        repeat(session, lambda: _list(session), watch=watch, interval=interval)


def _list(session: Session) -> None:
    session.out.many(session.api.get("/api/v1/queues"), COLUMNS, id_member="name")


@command.command("list")
@watch_option
@interval_option
@talks_to_server
def list_queues(session: Session, watch: bool, interval: float) -> None:
    """List queues with their counters."""
    repeat(session, lambda: _list(session), watch=watch, interval=interval)


@command.command("show")
@click.argument("queue", shell_complete=queue_names)
@talks_to_server
def show(session: Session, queue: str) -> None:
    """Show one queue: settings, counters, rates."""
    found = session.api.get(f"/api/v1/queues/{segment(queue)}")
    session.out.card(found, _DETAILS, id_member="name")


for action in (
    queue_actions.pause,
    queue_actions.resume,
    queue_actions.drain,
    queue_actions.limit,
    queue_actions.throttle,
    queue_actions.clear,
    queue_actions.destroy,
):
    command.add_command(action)
command.add_command(queue_actions.destroy, "delete")
