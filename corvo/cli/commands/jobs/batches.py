"""`corvo batches`: jobs that belong together, and the job that comes when all of them have ended."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import click

from corvo.cli.input.complete import queue_names
from corvo.cli.output.table import Column
from corvo.cli.request.client import segment
from corvo.cli.request.exact_json import written
from corvo.cli.request.session import Session, is_alone, talks_to_server

COLUMNS = [
    Column("ID", "id", "id"),
    Column("JOBS", "total", "number"),
    Column("PENDING", "pending", "number"),
    Column("SUCCEEDED", "succeeded", "number"),
    Column("FAILED", "failed", "number"),
    Column("SEALED", "sealed"),
    Column("CALLBACK", "callback_queue"),
    Column("CREATED", "created_at", "time"),
    Column("ENDED", "ended_at", "time"),
]
_PAGE = 200

_batch = click.argument("batch", metavar="ID")
_limit = click.option("--limit", type=click.IntRange(min=1), default=50, help="Batches at most.")


def _path(batch: str, verb: str = "") -> str:
    return f"/api/v1/batch/{segment(batch)}{verb}"


@click.group("batches", invoke_without_command=True)
@talks_to_server
@click.pass_context
def command(ctx: click.Context, session: Session) -> None:
    """List batches, or work on one.

    \b
    Examples:
      ID=$(corvo batches open --callback-queue reports -o id)
      corvo enqueue thumbs '{"n":1}' --batch-id "$ID"
      corvo batches seal "$ID"
      corvo batches show "$ID"
    """
    if is_alone(ctx):
        _list(session, 50)


@command.command("list")
@_limit
@talks_to_server
def list_batches(session: Session, limit: int) -> None:
    """List batches, newest first."""
    _list(session, limit)


def _list(session: Session, limit: int) -> None:
    session.out.many(islice(_pages(session, limit), limit), COLUMNS)


def _pages(session: Session, limit: int) -> Iterator[dict[str, Any]]:
    cursor: dict[str, str] = {}
    while True:
        page = session.api.get("/api/v1/batches", limit=min(limit, _PAGE), **cursor)
        yield from page["batches"]
        if not page["has_more"]:
            return
        cursor = {"cursor": page["cursor"]}


@command.command("show")
@_batch
@talks_to_server
def show(session: Session, batch: str) -> None:
    """Show one batch and how many of its jobs have ended."""
    session.out.card(session.api.get(_path(batch)), COLUMNS[1:])


@command.command("open")
@click.option(
    "--callback-queue",
    metavar="QUEUE",
    shell_complete=queue_names,
    help="Where a job is made when all jobs of the batch have ended.",
)
@click.option("--callback-payload", metavar="JSON", help="Payload of that job, besides the counts.")
@talks_to_server
def open_batch(session: Session, callback_queue: str | None, callback_payload: str | None) -> None:
    """Open a batch. Jobs join it by `corvo enqueue --batch-id` until it is sealed."""
    body: dict[str, Any] = {} if callback_queue is None else {"callback_queue": callback_queue}
    if callback_payload is not None:
        body["callback_payload"] = written(callback_payload, "--callback-payload")
    answer = session.api.post("/api/v1/batch", body)
    session.out.one({"id": answer["batch_id"]}, answer["batch_id"])


@command.command("seal")
@_batch
@talks_to_server
def seal(session: Session, batch: str) -> None:
    """Let no more jobs join a batch, so that its callback can come."""
    answer = session.api.post(_path(batch, "/seal"))
    callback = answer.get("callback_job")
    words = "" if callback is None else f"; its callback is {callback['id']}"
    session.out.one({"id": batch, **answer}, f"{batch} sealed{words}")
