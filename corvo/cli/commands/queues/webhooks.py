"""`corvo webhooks`: addresses that are told what happens, by HTTP."""

import sys
from typing import Any

import click

from corvo.cli.exit_codes import ExitCode
from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.table import Column
from corvo.cli.request.client import segment
from corvo.cli.request.secret_files import read_secret
from corvo.cli.request.session import Session, is_alone, talks_to_server

COLUMNS = [
    Column("ID", "id"),
    Column("URL", "url"),
    Column("EVENTS", lambda webhook: ",".join(webhook["events"])),
    Column("ENABLED", "enabled"),
    Column("DELIVERED", "delivered_total", "number"),
    Column("FAILED", "failed_total", "number"),
    Column("LAST", "last_delivery_at", "time"),
    Column("ERROR", lambda webhook: webhook.get("disabled_reason") or webhook.get("last_error")),
]
_DELIVERIES = [
    Column("SEQ", "seq", "number"),
    Column("TYPE", "type"),
    Column("TIME", "at", "time"),
    Column("ATTEMPTS", "attempts", "number"),
    Column("DELIVERED", "delivered"),
    Column("STATUS", "status_code", "number"),
    Column("TOOK MS", "took_ms", "number"),
    Column("ERROR", "error"),
]

_webhook = click.argument("webhook", metavar="ID")


def _path(webhook: str, verb: str = "") -> str:
    return f"/api/v1/webhooks/{segment(webhook)}{verb}"


@click.group("webhooks", invoke_without_command=True)
@talks_to_server
@click.pass_context
def command(ctx: click.Context, session: Session) -> None:
    """List webhooks, or work on one.

    \b
    Examples:
      corvo webhooks add https://example.com/hook --id pager --event dead --secret-file hook.key
      corvo webhooks test pager
      corvo webhooks deliveries pager
    """
    if is_alone(ctx):
        _list(session)


@command.command("list")
@talks_to_server
def list_webhooks(session: Session) -> None:
    """List webhooks."""
    _list(session)


def _list(session: Session) -> None:
    session.out.many(session.api.get("/api/v1/webhooks"), COLUMNS)


@command.command("show")
@_webhook
@talks_to_server
def show(session: Session, webhook: str) -> None:
    """Show one webhook."""
    session.out.card(session.api.get(_path(webhook)), COLUMNS[1:])


@command.command("add")
@click.argument("url")
@click.option("--id", "webhook_id", metavar="ID", help="Its id; the webhook that has it is changed.")
@click.option("--event", "events", multiple=True, metavar="TYPE", help="Only of this type; may be repeated.")
@click.option(
    "--secret-file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="File with the secret that signs deliveries; - for stdin.",
)
@click.option("--retry-limit", type=click.IntRange(min=1), help="Attempts at one event.")
@click.option("--disabled", is_flag=True, help="Do not deliver yet.")
@talks_to_server
def add(
    session: Session,
    url: str,
    webhook_id: str | None,
    events: tuple[str, ...],
    secret_file: str | None,
    retry_limit: int | None,
    disabled: bool,
) -> None:
    """Deliver events to URL. With the --id of one that exists, change that one.

    \b
    Example:
      corvo webhooks add https://example.com/hook --id pager --event dead --event held
    """
    given: dict[str, Any] = {"id": webhook_id, "events": list(events) or None, "retry_limit": retry_limit}
    if secret_file is not None:
        given["secret"] = read_secret("the secret", secret_file)
    body = {name: value for name, value in given.items() if value is not None}
    answer = session.api.post("/api/v1/webhooks", body | {"url": url, "enabled": not disabled})
    _say(session, answer)


@command.command("delete")
@_webhook
@yes_option
@talks_to_server
def delete(session: Session, webhook: str, yes: bool) -> None:
    """Deliver nothing any more, and forget the webhook."""
    confirm(f"This removes the webhook {webhook}.", webhook, yes=yes)
    _say(session, session.api.delete(_path(webhook)))


@command.command("enable")
@_webhook
@click.option("--from-now", is_flag=True, help="Leave out what happened meanwhile.")
@talks_to_server
def enable(session: Session, webhook: str, from_now: bool) -> None:
    """Deliver again, from where it stopped."""
    _say(session, session.api.post(_path(webhook, "/enable"), {"from": "now" if from_now else "cursor"}))


@command.command("disable")
@_webhook
@talks_to_server
def disable(session: Session, webhook: str) -> None:
    """Deliver nothing for now; it keeps its place."""
    _say(session, session.api.post(_path(webhook, "/disable")))


@command.command("deliveries")
@_webhook
@talks_to_server
def deliveries(session: Session, webhook: str) -> None:
    """List the latest deliveries, oldest first."""
    found = session.api.get(_path(webhook, "/deliveries"))
    session.out.many(found["deliveries"], _DELIVERIES, id_member="seq")


@command.command("test")
@_webhook
@talks_to_server
def test(session: Session, webhook: str) -> None:
    """Send a ping, and say what became of it. Exit code 1 if it did not arrive."""
    _sent(session, webhook, session.api.post(_path(webhook, "/test")))


@command.command("redeliver")
@_webhook
@click.argument("seq", type=click.IntRange(min=1))
@click.option("--onwards", is_flag=True, help="Everything from this event on, in order.")
@talks_to_server
def redeliver(session: Session, webhook: str, seq: int, onwards: bool) -> None:
    """Deliver the event number SEQ again, now. Exit code 1 if it did not arrive.

    \b
    Example:
      corvo webhooks redeliver pager 4711 --onwards
    """
    body = {"from_seq" if onwards else "seq": seq}
    _sent(session, webhook, session.api.post(_path(webhook, "/redeliver"), body))


def _say(session: Session, answer: dict[str, Any]) -> None:
    session.out.one(answer, f"{answer['id']} {answer['status']}")


def _sent(session: Session, webhook: str, answer: dict[str, Any]) -> None:
    code = f", status {answer['status_code']}" if "status_code" in answer else ""
    took = f" in {answer['took_ms']} ms" if "took_ms" in answer else ""
    error = f": {answer['error']}" if "error" in answer else ""
    session.out.one({"id": webhook, **answer}, f"{webhook} {answer['status']}{took}{code}{error}")
    if answer.get("delivered") is False:
        sys.exit(ExitCode.REFUSED)
