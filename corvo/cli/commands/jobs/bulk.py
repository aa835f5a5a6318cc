"""`corvo bulk`: one action for many jobs, by ids on stdin, by a query or by a filter."""

import sys
from typing import Any

import click

from corvo.cli.commands.jobs.search import COLUMNS, parse
from corvo.cli.exit_codes import ExitCode
from corvo.cli.input import ids
from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.progress import ProgressLine
from corvo.cli.problems import Misused
from corvo.cli.request.bulk_tasks import follow, show_task
from corvo.cli.request.exact_json import parse as parse_json
from corvo.cli.request.session import Session, talks_to_server
from corvo.core.wording import count as number_of

_ACTIONS = (
    "retry",
    "cancel",
    "delete",
    "move",
    "requeue",
    "change_priority",
    "hold",
    "approve",
    "reject",
    "reseal",
)
#: About running tasks, not about jobs.
_ABOUT_TASKS = ("list", "show", "stop")
#: A person is asked before these.
_DESTRUCTIVE = frozenset({"delete", "cancel", "reject"})
#: Ids in one request. Between two of them the command can be interrupted.
_CHUNK = 1_000


@click.command("bulk")
@click.argument("action", type=click.Choice([*_ACTIONS, *_ABOUT_TASKS]), metavar="ACTION")
@click.argument("argument", required=False)
@click.option("--query", metavar="QUERY", help="The jobs this finds; see `corvo search`.")
@click.option("--filter", "filter_text", metavar="JSON", help="The jobs this search filter finds.")
@click.option("--dry-run", is_flag=True, help="Only show which jobs it would be.")
@click.option("--rate", type=click.IntRange(min=1), help="Jobs per second at most; runs in the background.")
@click.option("--detach", is_flag=True, help="Do not wait for what runs in the background.")
@click.option("--reason", metavar="TEXT", help="Why; shown with held and rejected jobs.")
@yes_option
@talks_to_server
def command(session: Session, action: str, argument: str | None, **given: Any) -> None:
    """Do one thing to many jobs.

    \b
    ACTION is retry, cancel, delete, move QUEUE, requeue, change_priority LEVEL, hold, approve, reject or
    reseal; or, about tasks in the background, list, show ID or stop ID.

    \b
    Examples:
      corvo search 'queue:emails state:dead' --all -o json | corvo bulk retry
      corvo bulk move emails.v2 --query 'queue:emails state:pending' --dry-run
      corvo bulk delete --query 'state:completed age>7d' --rate 500 --yes

    Ctrl-C does no harm: ids from stdin that were not sent yet are left alone, and a task in the background
    goes on until `corvo bulk stop ID`.
    """
    if action in _ABOUT_TASKS:
        show_task(session, action, argument)
        return
    deed = {"action": action} | _deed(action, argument, given["reason"])
    filter_ = _filter(session, given["query"], given["filter_text"])
    job_ids = None if filter_ is not None else ids.given(session, ())
    chosen: dict[str, Any] = {"job_ids": job_ids} if filter_ is None else {"filter": filter_}
    if given["dry_run"]:
        _preview(session, deed, chosen)
        return
    if action in _DESTRUCTIVE and not given["yes"]:
        count = session.api.ask("/api/v1/jobs/bulk", deed | chosen | {"dry_run": True})["count"]
        confirm(f"This will {action} {number_of(count, 'job')}.", str(count), yes=False)
    if job_ids is not None and not given["rate"]:
        _do_ids(session, deed, job_ids)
    else:
        rate = {"rate": given["rate"]} if given["rate"] else {}
        in_background = {"async": True} if rate or given["detach"] else {}
        _do(session, deed | chosen | rate | in_background, detach=given["detach"])


def _deed(action: str, argument: str | None, reason: str | None) -> dict[str, Any]:
    named = {"move": "move_to_queue", "change_priority": "priority"}.get(action)
    if named and not argument:
        raise Misused(f"{action} needs one more word", f"`corvo bulk {action} {named.upper()}`")
    if argument and not named:
        raise Misused(f"{action} takes no {argument!r}", "Ids come on stdin, or use --query.")
    return ({named: argument} if named else {}) | ({"reason": reason} if reason else {})


def _filter(session: Session, query: str | None, text: str | None) -> dict[str, Any] | None:
    if query is None and text is None:
        return None
    if query is not None and text is not None:
        raise Misused("give --query or --filter, not both")
    if query is not None:
        found = parse(session, query)
        if not found:
            raise Misused("the query is empty: that would be every job there is")
        if found.keys() & {"limit", "sort", "order"}:
            raise Misused("bulk goes over all jobs the query finds: it takes no limit, sort or order")
        return found
    assert text is not None
    decoded = parse_json(text, "--filter")
    if not isinstance(decoded, dict) or not decoded:
        raise Misused("--filter is not a JSON object with at least one member")
    return decoded


def _preview(session: Session, deed: dict[str, Any], chosen: dict[str, Any]) -> None:
    found = session.api.ask("/api/v1/jobs/bulk", deed | chosen | {"dry_run": True})
    out = session.out
    if out.form == "id":
        out.many(found["sample"], COLUMNS)
        return
    if out.form != "table":
        out.one(found, "")
        return
    by_state = ", ".join(f"{count} {state}" for state, count in found["by_state"].items())
    jobs = number_of(found["count"], "job")
    out.line(f"{deed['action']} would look at {jobs}{': ' if by_state else ''}{by_state}")
    if found["sample"]:
        out.table(found["sample"], COLUMNS)


# Doing it


def _do_ids(session: Session, deed: dict[str, Any], job_ids: list[str]) -> None:
    total: dict[str, Any] = {"affected": 0, "skipped": 0, "errors": 0, "duration_ms": 0, "failures": []}
    with ProgressLine(deed["action"], len(job_ids), quiet=session.quiet) as progress:
        try:
            for start in range(0, len(job_ids), _CHUNK):
                part = job_ids[start : start + _CHUNK]
                done = session.api.post("/api/v1/jobs/bulk", deed | {"job_ids": part})
                total = {name: value + done.get(name, type(value)()) for name, value in total.items()}
                progress.to(start + len(part))
        except KeyboardInterrupt:
            session.talk(
                f"stopped after {progress.done} of {number_of(len(job_ids), 'job')}; the rest is left alone"
            )
            raise
    finish(session, deed["action"], total)


def _do(session: Session, request: dict[str, Any], *, detach: bool) -> None:
    done = session.api.post("/api/v1/jobs/bulk", request)
    task_id = done.get("bulk_operation_id")
    if task_id is None:
        finish(session, request["action"], done)
    elif detach:
        session.out.one({"id": task_id, **done}, f"{task_id} {done['status']}")
    else:
        task = follow(session, task_id)
        finish(session, request["action"], task)


def finish(session: Session, action: str, done: dict[str, Any]) -> None:
    """Say what was done; exit code 8 if some jobs were left alone, 1 if all were."""
    affected, skipped = done["affected"], done.get("skipped", 0)
    took = f" in {done['duration_ms']} ms" if "duration_ms" in done else ""
    left = f", {skipped} left alone" if skipped else ""
    session.out.one({"id": affected, **done}, f"{action}: {number_of(affected, 'job')}{took}{left}")
    for failure in done.get("failures", [])[:10]:
        session.talk(f"  {failure['job_id']}: {failure['error']}")
    if done.get("status") in ("failed", "cancelled"):
        session.talk(f"the task was {done['status']} {done.get('error', '')}".rstrip())
        sys.exit(ExitCode.PARTIAL if affected else ExitCode.REFUSED)
    if skipped:
        sys.exit(ExitCode.PARTIAL if affected else ExitCode.REFUSED)
