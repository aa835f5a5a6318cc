"""`corvo namespaces`: tenants, how much each may have and how much it has."""

from typing import Any

import click

from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.table import Column
from corvo.cli.problems import Misused
from corvo.cli.request.bulk_tasks import follow
from corvo.cli.request.client import segment
from corvo.cli.request.session import Session, is_alone, talks_to_server

#: Quotas, in the order of the API, and what kind of number each is.
_QUOTAS = {
    "max_queues": int,
    "max_jobs": int,
    "max_payload_bytes": int,
    "read_rps": float,
    "read_burst": int,
    "write_rps": float,
    "write_burst": int,
    "max_streams": int,
    "max_waiting_fetches": int,
}


def _of(member: str, quota: str) -> Any:
    """How much is used of how much: 3/10, or 3 if any amount will do."""

    def shown(namespace: dict[str, Any]) -> str:
        used, most = namespace["used"][member], namespace["quotas"].get(quota)
        return f"{used}" if most is None else f"{used}/{most}"

    return shown


COLUMNS = [
    Column("NAME", "name"),
    Column("QUEUES", _of("queues", "max_queues")),
    Column("JOBS", _of("jobs", "max_jobs")),
    Column("PAYLOAD BYTES", _of("payload_bytes", "max_payload_bytes")),
    Column("STREAMS", _of("streams", "max_streams")),
    Column("WAITING", _of("waiting_fetches", "max_waiting_fetches")),
    Column("READS/S", lambda namespace: namespace["quotas"].get("read_rps")),
    Column("WRITES/S", lambda namespace: namespace["quotas"].get("write_rps")),
    Column("DELETING", "deleting"),
]
_CARD = [*COLUMNS, Column("SINCE", "created_at", "time")]


@click.group("namespaces", invoke_without_command=True)
@talks_to_server
@click.pass_context
def command(ctx: click.Context, session: Session) -> None:
    """List namespaces with their quotas, or work on one.

    \b
    Examples:
      corvo namespaces create acme max_jobs=100000 write_rps=500
      corvo namespaces quotas acme max_jobs=200000 max_streams=none
      corvo queues --namespace acme
      corvo namespaces delete acme --force
    """
    if is_alone(ctx):
        _list(session)


@command.command("list")
@talks_to_server
def list_namespaces(session: Session) -> None:
    """List the namespaces you may see: all of them, or your own."""
    _list(session)


def _list(session: Session) -> None:
    session.out.many(session.api.get("/api/v1/namespaces"), COLUMNS, id_member="name")


@command.command("show")
@click.argument("name")
@talks_to_server
def show(session: Session, name: str) -> None:
    """Show one namespace: its quotas, and how much of them is used."""
    session.out.card(session.api.get(_path(name)), _CARD, id_member="name")


@command.command("create")
@click.argument("name")
@click.argument("quotas", nargs=-1, metavar="[QUOTA=N]...")
@talks_to_server
def create(session: Session, name: str, quotas: tuple[str, ...]) -> None:
    """Set a namespace up. One that is merely used needs no setting up; it has no quotas then."""
    made = session.api.post("/api/v1/namespaces", {"name": name, "quotas": _read(quotas)})
    session.out.one(made, f"namespace {name} is set up", id_member="name")


@command.command("quotas")
@click.argument("name")
@click.argument("quotas", nargs=-1, required=True, metavar="QUOTA=N...")
@talks_to_server
def set_quotas(session: Session, name: str, quotas: tuple[str, ...]) -> None:
    """Change quotas of a namespace; those that are not named stay. `none` takes one away.

    \b
    max_queues, max_jobs, max_payload_bytes           of the whole cluster, kept exactly
    read_rps, read_burst, write_rps, write_burst      of each node
    max_streams, max_waiting_fetches                  of each node
    """
    changes = _read(quotas)
    known = session.api.get(_path(name))["quotas"]
    done = session.api.put(_path(name, "/quotas"), known | changes)
    session.out.one(done | {"name": name}, f"namespace {name} has other quotas", id_member="name")


@command.command("delete")
@click.argument("name")
@click.option("--force", is_flag=True, help="Also if it is not empty: its jobs, queues and keys go, too.")
@yes_option
@talks_to_server
def delete(session: Session, name: str, force: bool, yes: bool) -> None:
    """Delete a namespace. With --force all that is in it, which takes a while and shows how it gets on."""
    what = "with all its jobs, queues, schedules, webhooks and keys" if force else "if it is empty"
    confirm(f"This removes the namespace {name}, {what}.", name, yes=yes)
    done = session.api.delete(_path(name), force="true" if force else None)
    if done["status"] == "deleting":
        follow(session, done["bulk_operation_id"])
    session.out.one(done | {"name": name}, f"namespace {name} is gone", id_member="name")


def _path(name: str, verb: str = "") -> str:
    return f"/api/v1/namespaces/{segment(name)}{verb}"


def _read(pairs: tuple[str, ...]) -> dict[str, float | None]:
    read: dict[str, float | None] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if name not in _QUOTAS or not equals:
            raise Misused(f"{pair!r} is not a quota", f"Write one as NAME=N; names are {', '.join(_QUOTAS)}.")
        if text == "none":
            read[name] = None
            continue
        try:
            read[name] = _QUOTAS[name](text)
        except ValueError:
            raise Misused(f"{name}: {text!r} is not a number", "Write a number, or none.") from None
    return read
