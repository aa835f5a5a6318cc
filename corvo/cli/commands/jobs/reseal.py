"""`corvo reseal`: seal everything with the current key, after the key or the sealed queues have changed."""

from typing import Any

import click

from corvo.cli.commands.jobs.bulk import finish
from corvo.cli.input.complete import queue_names
from corvo.cli.request.bulk_tasks import follow
from corvo.cli.request.client import segment
from corvo.cli.request.session import Session, talks_to_server
from corvo.core.wording import count as number_of

#: Schedules asked for at once. The server may send fewer if they are large.
_PAGE = 200


@click.command("reseal")
@click.option("--queue", shell_complete=queue_names, help="Only jobs of this queue, and no schedules.")
@click.option("--rate", type=click.IntRange(min=1), help="Jobs per second at most.")
@click.option("--detach", is_flag=True, help="Do not wait for it.")
@talks_to_server
def command(session: Session, queue: str | None, rate: int | None, detach: bool) -> None:
    """Seal jobs and schedules with the current key of `--seal-keys`.

    After a new key was made current, so that the old one can be given up; and after `--seal` names more
    queues, for the jobs that are there. What is sealed as it should be is left alone.

    \b
    Examples:
      corvo reseal
      corvo reseal --queue payments --rate 500 --detach
    """
    request: dict[str, Any] = {"action": "reseal", "filter": {"queue": queue} if queue else {}}
    queued = session.api.post("/api/v1/jobs/bulk", request | ({"rate": rate} if rate else {}))
    task_id = queued["bulk_operation_id"]
    if not queue:
        session.talk(f"{number_of(_schedules(session), 'schedule')} sealed with the current key")
    if detach:
        session.out.one({"id": task_id, **queued}, f"{task_id} {queued['status']}")
    else:
        finish(session, "reseal", follow(session, task_id))


def _schedules(session: Session) -> int:
    """A change that changes nothing: the server seals the payload anew when it stores it."""
    done, after = 0, ""
    while True:
        page = session.api.get("/api/v1/schedules", limit=_PAGE, after=after)
        for schedule in page:
            session.api.put(f"/api/v1/schedules/{segment(schedule['id'])}", {"name": schedule["name"]})
            after = schedule["name"]
        done += len(page)
        if not page:
            return done
