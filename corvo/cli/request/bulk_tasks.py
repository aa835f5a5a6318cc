"""Bulk tasks in the background: how they get on, and stopping them."""

import time
from typing import Any

from corvo.cli.output.progress import ProgressLine
from corvo.cli.output.table import Column
from corvo.cli.problems import Misused, Problem
from corvo.cli.request.client import segment
from corvo.cli.request.session import Session
from corvo.core.wording import count as number_of

_ENDED = frozenset({"completed", "failed", "cancelled"})
_LOOK_EVERY_S = 0.2

_COLUMNS = [
    Column("ID", "id", "id"),
    Column("ACTION", "action"),
    Column("STATUS", "status", "state"),
    Column("TOTAL", "total", "number"),
    Column("PROCESSED", "processed", "number"),
    Column("AFFECTED", "affected", "number"),
    Column("LEFT ALONE", "skipped", "number"),
    Column("CREATED", "created_at", "time"),
]


def follow(session: Session, task_id: str) -> dict[str, Any]:
    """The task when it has ended. Ctrl-C leaves it running."""
    with ProgressLine(task_id, quiet=session.quiet) as progress:
        try:
            while True:
                task: dict[str, Any] = session.api.get(f"/api/v1/bulk/{segment(task_id)}")
                if task["status"] in _ENDED:
                    return task
                progress.to(task["processed"], task["total"])
                time.sleep(_LOOK_EVERY_S)
        except KeyboardInterrupt:
            session.talk(f"{task_id} goes on; `corvo bulk stop {task_id}` ends it")
            raise
        except Problem:
            session.talk(
                f"{task_id} goes on with its server; `corvo bulk show {task_id}` tells how far it is"
            )
            raise


def show_task(session: Session, verb: str, task_id: str | None) -> None:
    if verb == "list":
        session.out.many(session.api.get("/api/v1/bulk", limit=200)["tasks"], _COLUMNS)
        return
    if task_id is None:
        raise Misused(f"which task? `corvo bulk {verb} ID`")
    path = f"/api/v1/bulk/{segment(task_id)}"
    task = session.api.post(f"{path}/cancel") if verb == "stop" else session.api.get(path)
    session.out.one(
        task, f"{task['id']} {task['status']}: {task['processed']} of {number_of(task['total'], 'job')}"
    )
