"""`corvo events`: what happens, as it happens."""

from collections.abc import Iterator
from typing import Any

import click

from corvo.cli.commands.inspect import EVENT_COLUMNS
from corvo.cli.complete import queue_names
from corvo.cli.session import Session, talks_to_server
from corvo.cli.stream import follow

_PAGE = 1_000


@click.command("events")
@click.option("-f", "--follow", "following", is_flag=True, help="Go on with what happens, until Ctrl-C.")
@click.option("--since", type=click.IntRange(min=0), metavar="SEQ", help="After this number; 0 for all kept.")
@click.option(
    "--limit", "-n", type=click.IntRange(min=1), default=20, help="Without --since: the last so many."
)
@click.option(
    "--queue", multiple=True, shell_complete=queue_names, help="Only of this queue; may be repeated."
)
@click.option("--job", multiple=True, metavar="ID", help="Only of this job; may be repeated.")
@click.option("--type", "kind", multiple=True, metavar="TYPE", help="Only this type; may be repeated.")
@talks_to_server
def command(
    session: Session,
    following: bool,
    since: int | None,
    limit: int,
    queue: tuple[str, ...],
    job: tuple[str, ...],
    kind: tuple[str, ...],
) -> None:
    """Show lifecycle events: the last ones, those after a number, or as they come.

    \b
    Examples:
      corvo events -f --queue emails --type failed --type dead
      corvo events --since 0 -o jsonl > everything.jsonl
    """
    if not following:
        events = _past(session, since, limit)
        fitting = (event for event in events if _fits(event, queue, job, kind))
        session.out.many(fitting, EVENT_COLUMNS, id_member="seq")
        return
    filters = {"queues": queue, "job_ids": job, "types": kind}
    query = {name: ",".join(values) for name, values in filters.items() if values}
    for event in follow(session.api, last_event_id=since, **query):
        if event is None or event.kind == "dropped":
            continue
        if event.kind == "gap":
            session.talk(
                f"events {event.data['data']['from']} to {event.data['data']['to']} are no longer kept"
            )
            continue
        _print(session, event.data)


def _print(session: Session, event: dict[str, Any]) -> None:
    """A line of its own each: a table would wait for the last one."""
    cells = [session.out.cell(column, event) for column in EVENT_COLUMNS]
    if session.out.form == "json":
        session.out.form = "jsonl"
    session.out.one(event, "  ".join(cell for cell in cells if cell), id_member="seq")


def _past(session: Session, since: int | None, limit: int) -> Iterator[dict[str, Any]]:
    if since is None:
        newest = session.api.get("/api/v1/cluster/events", limit=1)["last_seq"]
        since = max(0, newest - limit)
    while True:
        page = session.api.get("/api/v1/cluster/events", after_seq=since, limit=_PAGE)["events"]
        yield from page
        if len(page) < _PAGE:
            return
        since = page[-1]["seq"]


def _fits(event: dict[str, Any], queue: tuple[str, ...], job: tuple[str, ...], kind: tuple[str, ...]) -> bool:
    return (
        (not queue or event.get("queue") in queue)
        and (not job or event.get("job_id") in job)
        and (not kind or event["type"] in kind)
    )
