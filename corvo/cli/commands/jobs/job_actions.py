"""`corvo retry`, `cancel`, `hold`, `approve`, `reject`, `move`, `priority`, `delete`: acts on single jobs."""

from collections.abc import Iterable
from typing import Any

import click

from corvo.cli.each import each
from corvo.cli.input import ids
from corvo.cli.input.complete import queue_names
from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.request.client import segment
from corvo.cli.request.session import Session, talks_to_server
from corvo.core.priority import LABELS

_reason = click.option("--reason", metavar="TEXT", help="Why; shown with the job.")


def _act(session: Session, job_ids: Iterable[str], verb: str, body: Any = None) -> None:
    def act(job_id: str) -> dict[str, Any]:
        path = f"/api/v1/jobs/{segment(job_id)}"
        answer = session.api.delete(path) if verb == "delete" else session.api.post(f"{path}/{verb}", body)
        return {"id": job_id, **answer}

    with each(job_ids) as jobs:
        for answer in jobs.attempt(act):
            session.out.one(answer, f"{answer['id']} {answer['status']}")


@click.command("retry")
@ids.ids_argument
@talks_to_server
def retry(session: Session, job_ids: tuple[str, ...]) -> None:
    """Run dead, cancelled, completed or scheduled jobs again, from their first attempt. Ids may come
    on stdin.

    \b
    Examples:
      corvo retry job_01J...
      corvo search 'queue:emails state:dead' -o id | corvo retry
    """
    _act(session, ids.given(session, job_ids), "retry")


@click.command("cancel")
@ids.ids_argument
@talks_to_server
def cancel(session: Session, job_ids: tuple[str, ...]) -> None:
    """Cancel jobs. The worker of an active one learns it by its next heartbeat. Ids may come on stdin."""
    _act(session, ids.given(session, job_ids), "cancel")


@click.command("hold")
@ids.ids_argument
@_reason
@talks_to_server
def hold(session: Session, job_ids: tuple[str, ...], reason: str | None) -> None:
    """Keep jobs from running until they are approved. Ids may come on stdin."""
    _act(session, ids.given(session, job_ids), "hold", {"reason": reason} if reason else {})


@click.command("approve")
@ids.ids_argument
@talks_to_server
def approve(session: Session, job_ids: tuple[str, ...]) -> None:
    """Let held jobs go on. Ids may come on stdin."""
    _act(session, ids.given(session, job_ids), "approve")


@click.command("reject")
@ids.ids_argument
@_reason
@talks_to_server
def reject(session: Session, job_ids: tuple[str, ...], reason: str | None) -> None:
    """Give up held jobs: they are dead, and can be retried. Ids may come on stdin."""
    _act(session, ids.given(session, job_ids), "reject", {"reason": reason} if reason else {})


@click.command("move")
@click.argument("job_ids", nargs=-1, required=True, metavar="ID... QUEUE")
@click.option(
    "--to", "queue", metavar="QUEUE", shell_complete=queue_names, help="The queue, if ids come on stdin."
)
@talks_to_server
def move(session: Session, job_ids: tuple[str, ...], queue: str | None) -> None:
    """Move jobs that are not active to another queue. Ids may come on stdin.

    \b
    Examples:
      corvo move job_01J... emails.v2
      corvo search queue:old -o id | corvo move - --to emails.v2
    """
    if queue is None:
        *named, queue = job_ids
        job_ids = tuple(named)
    _act(session, ids.given(session, job_ids), "move", {"queue": queue})


@click.command("priority")
@click.argument("level", type=click.Choice(LABELS))
@ids.ids_argument
@talks_to_server
def priority(session: Session, level: str, job_ids: tuple[str, ...]) -> None:
    """Change the priority of jobs that have not been handed out yet. Ids may come on stdin.

    \b
    Example:
      corvo priority high job_01J...
    """
    _act(session, ids.given(session, job_ids), "priority", {"priority": level})


@click.command("delete")
@ids.ids_argument
@yes_option
@talks_to_server
def delete(session: Session, job_ids: tuple[str, ...], yes: bool) -> None:
    """Remove jobs in whatever state they are. This cannot be undone. Ids may come on stdin."""
    wanted = ids.given(session, job_ids)
    what = wanted[0] if len(wanted) == 1 else f"{len(wanted)} jobs"
    confirm(f"This removes {what}.", "delete", yes=yes)
    _act(session, wanted, "delete")
