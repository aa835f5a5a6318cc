"""`corvo audit`: who changed what."""

import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

import click

from corvo.cli.output.table import Column
from corvo.cli.problems import Misused
from corvo.cli.request.session import Session, talks_to_server
from corvo.core.clock import NS_PER_MS, Clock
from corvo.core.errors import ValidationFailed
from corvo.core.times import format_time_ns, parse_duration_ms, parse_time_ns

_PATH = "/api/v1/audit-logs"
_PAGE = 500
_LOOK_EVERY_S = 1.0

COLUMNS = [
    Column("TIME", "created_at", "time"),
    Column("PRINCIPAL", "principal"),
    Column("FROM", "client"),
    Column("NAMESPACE", "namespace"),
    Column("REQUEST", lambda record: f"{record['method']} {record['path']}", "text"),
    Column("OUTCOME", lambda record: record.get("code") or record["outcome"]),
    Column("JOBS", lambda record: record["affected"] or None, "number"),
    Column("TIMES", "times", "number"),
]


@click.command("audit")
@click.option("--principal", metavar="NAME", help="Only what this one did, such as key:deploy.")
@click.option("--method", metavar="METHOD", help="Only requests with this method, such as DELETE.")
@click.option("--path", metavar="PREFIX", help="Only requests whose path begins like this.")
@click.option("--of", "home", metavar="NAMESPACE", help="Only of this namespace; * is the cluster itself.")
@click.option("--since", metavar="TIME|AGO", help="Not before this: a time, or 1h for an hour ago.")
@click.option("--until", metavar="TIME|AGO", help="Before this.")
@click.option("--limit", "-n", type=click.IntRange(min=1), default=50, help="At most so many.")
@click.option("-f", "--follow", "following", is_flag=True, help="Go on with what happens, until Ctrl-C.")
@click.option("--export", is_flag=True, help="All there are, as lines of JSON.")
@talks_to_server
def command(  # noqa: PLR0913, PLR0917 - an option each
    session: Session,
    principal: str | None,
    method: str | None,
    path: str | None,
    home: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    following: bool,
    export: bool,
) -> None:
    """Show who changed what, from where, and what came of it; newest first.

    \b
    Examples:
      corvo audit --principal key:deploy --since 1d
      corvo audit --path /api/v1/queues --method DELETE
      corvo audit -f
      corvo audit --export --since 30d > audit.jsonl
    """
    if following and (export or until):
        raise Misused("--follow has no end; leave out --export and --until")
    query: dict[str, Any] = {
        "principal": principal,
        "method": method,
        "path_prefix": path,
        "namespace": home,
        "since": _moment(since, "since", session.clock),
        "until": _moment(until, "until", session.clock),
    }
    if export:
        _export(session, query)
    elif following:
        _follow(session, query, limit)
    else:
        session.out.many(islice(_pages(session, query, min(limit, _PAGE)), limit), COLUMNS)


def _pages(session: Session, query: dict[str, Any], size: int = _PAGE) -> Iterator[dict[str, Any]]:
    cursor = None
    while True:
        page = session.api.get(_PATH, **query, limit=size, cursor=cursor)
        yield from page["audit_logs"]
        cursor = page.get("cursor")
        if cursor is None:
            return


def _export(session: Session, query: dict[str, Any]) -> None:
    with session.api.stream(f"{_PATH}/export", kind="application/x-ndjson", **query) as response:
        for line in response:
            session.out.line(line.decode().rstrip("\n"))


def _follow(session: Session, query: dict[str, Any], limit: int) -> None:
    """The last so many, oldest first, and then each as it comes. Ids are in the order of time."""
    last_id = ""
    found = list(islice(_pages(session, query, min(limit, _PAGE)), limit))
    while True:
        for record in reversed(found):
            _print(session, record)
            last_id, query["since"] = record["id"], record["created_at"]
        session.out.expect_reader()
        time.sleep(_LOOK_EVERY_S)
        found = [record for record in _pages(session, query) if record["id"] > last_id]


def _print(session: Session, record: dict[str, Any]) -> None:
    """A line of its own each: a table would wait for the last one."""
    if session.out.form == "json":
        session.out.form = "jsonl"
    cells = [session.out.cell(column, record) for column in COLUMNS]
    session.out.one(record, "  ".join(cell for cell in cells if cell))


def _moment(text: str | None, name: str, clock: Clock) -> str | None:
    """A time as the server takes it, from a time or from how long ago it was."""
    if text is None:
        return None
    try:
        parse_time_ns(text, name)
    except ValidationFailed:
        try:
            ago_ms = parse_duration_ms(text, name)
        except ValidationFailed:
            raise Misused(
                f"--{name}: {text!r} is neither a time nor how long ago",
                "Write 1h30m or 2026-01-31T12:00:00Z.",
            ) from None
        return format_time_ns(clock.now_ns() - ago_ms * NS_PER_MS)
    return text
