"""`corvo whoami`: who the server takes one for."""

import click

from corvo.cli.output.table import Column
from corvo.cli.request.session import Session, talks_to_server

_CARD = [
    Column("ROLE", "role"),
    Column("NAMESPACE", "namespace"),
    Column("QUEUES", lambda who: ",".join(who["queue_scope"])),
    Column("KEY NEEDED", "auth_required"),
    Column("MAY", lambda who: " ".join(who["permissions"])),
]


@click.command("whoami")
@talks_to_server
def command(session: Session) -> None:
    """Show who the server takes you for, and what you may do there."""
    session.out.card(session.api.get("/api/v1/auth/whoami"), _CARD, id_member="principal")
