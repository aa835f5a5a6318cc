"""`corvo search`: find jobs by the query language, by flags, or both."""

from collections.abc import Iterator
from typing import Any

import click

from corvo.cli.input.complete import queue_names
from corvo.cli.input.tags import tags_of
from corvo.cli.output.table import Column
from corvo.cli.output.watch import interval_option, repeat, watch_option
from corvo.cli.problems import Misused
from corvo.cli.request.session import Session, talks_to_server
from corvo.core.errors import ValidationFailed
from corvo.core.priority import LABELS
from corvo.core.query import language
from corvo.core.query.fields import moment
from corvo.core.times import format_time_ns
from corvo.core.wording import count as number_of

_PAGE = 1_000
_LIMIT_DEFAULT = 50

COLUMNS = [
    Column("ID", "id", "id"),
    Column("QUEUE", "queue"),
    Column("STATE", "state", "state"),
    Column("ATTEMPT", lambda job: f"{job['attempt']}/{job['max_retries']}", "number"),
    Column("CREATED", "created_at", "time"),
    Column("ERROR", lambda job: job.get("last_error") or job.get("hold_reason")),
    Column("PAYLOAD", "payload", "json"),
]


def parse(session: Session, text: str) -> dict[str, Any]:
    try:
        return language.parse(text, session.clock.now_ns())
    except language.QueryRefused as refusal:
        pointer = " " * (refusal.at - 1) + "^"
        raise Misused(
            f"{refusal}\n  {text}\n  {pointer}", "The language: docs/reference/query-language.md"
        ) from None


@click.command("search")
@click.argument("words", nargs=-1, metavar="[QUERY]...")
@click.option("--queue", shell_complete=queue_names, help="Only of this queue.")
@click.option("--state", metavar="A,B", help="Only in any of these states.")
@click.option("--priority", type=click.Choice(LABELS), help="Only of this priority.")
@click.option("--tag", "tag", multiple=True, metavar="K=V", help="Only with this tag; may be repeated.")
@click.option("--group", metavar="LABEL", help="Only with this label.")
@click.option("--payload-contains", metavar="TEXT", help="Only with this text in the payload.")
@click.option("--payload-jq", metavar="EXPR", help="Only if this holds, such as '.amount > 100'.")
@click.option("--error-contains", metavar="TEXT", help="Only with this text in an error.")
@click.option("--created-after", metavar="TIME", help="Only after: a date, an RFC 3339 time, or -2h.")
@click.option("--created-before", metavar="TIME", help="Only before: a date, an RFC 3339 time, or -2h.")
@click.option("--sort", metavar="FIELD", help="created_at, priority, started_at, completed_at, attempt, ...")
@click.option("--order", type=click.Choice(["asc", "desc"]), help="Ascending or descending.  [default: desc]")
@click.option("--limit", type=click.IntRange(min=1), help="Jobs at most.  [default: 50]")
@click.option("--all", "everything", is_flag=True, help="All jobs that fit, not only the first.")
@click.option("--count", is_flag=True, help="Only say how many there are.")
@watch_option
@interval_option
@talks_to_server
def command(session: Session, words: tuple[str, ...], watch: bool, interval: float, **flags: Any) -> None:
    """Find jobs. QUERY is one language for CLI and UI; quote it as a whole.

    \b
    Examples:
      corvo search 'queue:emails state:dead error~"timed out" age>1h'
      corvo search 'payload.user.plan == "pro"' --limit 200 -o json
      corvo search state:dead --all -o id | corvo bulk retry
      corvo search --queue emails --state dead,cancelled --count
    """
    limit = None if flags.pop("everything") else flags.pop("limit", None) or _LIMIT_DEFAULT
    flags.pop("limit", None)
    count = flags.pop("count")
    filter_ = _filter(session, " ".join(words), flags)
    if limit is not None:
        limit = filter_.pop("limit", limit)

    def show() -> None:
        if count:
            _count(session, filter_)
        else:
            session.out.many(_find(session, filter_, limit), COLUMNS)

    repeat(session, show, watch=watch, interval=interval)


@click.command("held")
@talks_to_server
def held(session: Session) -> None:
    """List the jobs that wait for approval.

    \b
    Example:
      corvo held -o id | corvo approve
    """
    session.out.many(_find(session, {"state": ["held"]}, 100), COLUMNS)


def _filter(session: Session, text: str, flags: dict[str, Any]) -> dict[str, Any]:
    """The query and the flags together; what both say is a mistake."""
    found = parse(session, text)
    for name, value in _from_flags(session, flags).items():
        if name in found:
            raise Misused(f"both the query and a flag say what {name} is")
        found[name] = value
    return found


def _from_flags(session: Session, flags: dict[str, Any]) -> dict[str, Any]:
    given = {name: value for name, value in flags.items() if value}
    if "state" in given:
        given["state"] = given["state"].split(",")
    if "tag" in given:
        given["tags"] = tags_of(given.pop("tag"))
    for name in ("created_after", "created_before"):
        if name in given:
            try:
                given[name] = format_time_ns(moment(given[name], session.clock.now_ns()))
            except ValidationFailed as refusal:
                raise Misused(f"--{name.replace('_', '-')}: {refusal.message}") from None
    return given


def _find(session: Session, filter_: dict[str, Any], limit: int | None) -> Iterator[dict[str, Any]]:
    """Page after page, until there are no more or enough."""
    found, cursor = 0, None
    while True:
        size = _PAGE if limit is None else min(_PAGE, limit - found)
        page = session.api.ask(
            "/api/v1/jobs/search", filter_ | {"limit": size} | ({"cursor": cursor} if cursor else {})
        )
        _warn(session, page)
        yield from page["jobs"]
        found += len(page["jobs"])
        cursor = page.get("cursor")
        if not cursor:
            return
        if limit is not None and found >= limit:
            more = "more than " if page.get("total_is_estimate") else ""
            session.talk(f"{found} of {more}{number_of(page['total'], 'job')}; --limit N or --all shows more")
            return


def _warn(session: Session, page: dict[str, Any]) -> None:
    if page.get("unsearchable"):
        session.talk(f"not searched, because their texts are sealed: {', '.join(page['unsearchable'])}")


def _count(session: Session, filter_: dict[str, Any]) -> None:
    page = session.api.ask("/api/v1/jobs/search", filter_ | {"limit": 1})
    _warn(session, page)
    is_estimate = bool(page.get("total_is_estimate"))
    document = {"total": page["total"], "total_is_estimate": is_estimate}
    session.out.one(document, f"{'more than ' if is_estimate else ''}{page['total']}", id_member="total")
