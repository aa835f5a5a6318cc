"""`corvo events`: what happens, as it happens."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import click

from corvo.cli.commands.jobs.inspect import EVENT_COLUMNS
from corvo.cli.input.complete import queue_names
from corvo.cli.request.event_stream import follow
from corvo.cli.request.session import Session, talks_to_server
from corvo.core.events import BY_LABEL

_PAGE = 1_000
_TYPE_HELP = f"Only this type; may be repeated. One of {', '.join(BY_LABEL)}."


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
@click.option(
    "--type", "kind", multiple=True, type=click.Choice(list(BY_LABEL)), metavar="TYPE", help=_TYPE_HELP
)
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

        def fits(event: dict[str, Any]) -> bool:
            return (
                (not queue or event.get("queue") in queue)
                and (not job or event.get("job_id") in job)
                and (not kind or event["type"] in kind)
            )

        events = _latest(session, limit, fits) if since is None else filter(fits, _past(session, since))
        session.out.many(events, EVENT_COLUMNS, id_member="seq")
        return
    # Names of queues may hold commas.
    filters = {
        "queues": queue and json.dumps(queue, ensure_ascii=False),
        "job_ids": ",".join(job),
        "types": ",".join(kind),
    }
    query = {name: text for name, text in filters.items() if text}
    for event in follow(session, last_event_id=since, **query):
        if event.data is None:
            session.out.expect_reader()
            continue
        if event.kind == "dropped":
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


def _past(session: Session, since: int) -> Iterator[dict[str, Any]]:
    while True:
        page = _page(session, since)["events"]
        yield from page
        if len(page) < _PAGE:
            return
        since = page[-1]["seq"]


def _latest(session: Session, limit: int, fits: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """The last so many of those that fit, looked for from the end of the log towards its beginning."""
    found: list[dict[str, Any]] = []
    end: int = session.api.get("/api/v1/cluster/events", limit=1)["last_seq"]
    step = min(limit, _PAGE)
    while True:
        after = max(0, end - step)
        page = _page(session, after)
        found = [event for event in page["events"] if event["seq"] <= end and fits(event)] + found
        if len(found) >= limit or after == 0 or after < page["first_seq"]:
            return found[-limit:]
        end, step = after, _PAGE


def _page(session: Session, after: int) -> Any:
    return session.api.get("/api/v1/cluster/events", after_seq=after, limit=_PAGE)
