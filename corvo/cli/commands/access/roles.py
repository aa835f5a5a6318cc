"""`corvo roles`: what keys may do."""

from typing import Any

import click

from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.table import Column
from corvo.cli.problems import Misused
from corvo.cli.request.client import segment
from corvo.cli.request.session import Session, is_alone, talks_to_server

COLUMNS = [
    Column("NAME", "name"),
    Column("BUILT IN", "built_in"),
    Column("CHANGED", lambda role: role.get("updated_at") or role.get("created_at"), "time"),
    Column("PERMISSIONS", lambda role: spelled(role["permissions"])),
]


def spelled(permissions: list[dict[str, Any]]) -> str:
    """As `corvo roles set` takes them."""
    actions: dict[str, list[str]] = {}
    for pair in permissions:
        actions.setdefault(pair["resource"], []).extend(pair["actions"])
    return " ".join(f"{resource}:{','.join(found)}" for resource, found in actions.items())


@click.group("roles", invoke_without_command=True)
@talks_to_server
@click.pass_context
def command(ctx: click.Context, session: Session) -> None:
    """List roles, or work on one.

    \b
    Examples:
      corvo roles set pauser queues:read,pause,resume
      corvo roles set support 'jobs:*' queues:read
      corvo keys create anna --role support
    """
    if is_alone(ctx):
        _list(session)


@command.command("list")
@talks_to_server
def list_roles(session: Session) -> None:
    """List roles: those that are always there, then your own."""
    _list(session)


def _list(session: Session) -> None:
    session.out.many(session.api.get("/api/v1/auth/roles"), COLUMNS, id_member="name")


@command.command("set")
@click.argument("name")
@click.argument("permissions", nargs=-1, required=True, metavar="PERMISSION...")
@talks_to_server
def set_role(session: Session, name: str, permissions: tuple[str, ...]) -> None:
    """Make a role, or change what it holds.

    A permission is RESOURCE:ACTION,ACTION as docs/reference/access.md lists them. `*` is any action, `write`
    any but reading; a resource may end in a star.

    \b
    Example:
      corvo roles set pauser queues:read,pause,resume jobs:read
    """
    pairs = [_pair(text) for text in permissions]
    body = {"name": name, "permissions": pairs}
    session.api.post("/api/v1/auth/roles", body)
    session.out.one(body, f"{name} holds {spelled(pairs)}", id_member="name")


def _pair(text: str) -> dict[str, Any]:
    resource, _, actions = text.partition(":")
    found = [action for action in actions.split(",") if action]
    if not resource or not found:
        raise Misused(f"{text!r} is not a permission", "Write it like queues:read,pause or 'jobs:*'.")
    return {"resource": resource, "actions": found}


@command.command("delete")
@click.argument("name")
@yes_option
@talks_to_server
def delete(session: Session, name: str, yes: bool) -> None:
    """Remove a role, also from the keys that have it beside their own."""
    confirm(f"This removes the role {name}.", name, yes=yes)
    session.api.delete(f"/api/v1/auth/roles/{segment(name)}")
    session.out.one({"name": name, "status": "deleted"}, f"{name} deleted", id_member="name")
