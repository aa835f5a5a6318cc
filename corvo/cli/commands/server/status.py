"""`corvo status`: how the server and its queues are doing."""

import click

from corvo.cli.commands.queues.queues import COLUMNS
from corvo.cli.output.watch import interval_option, repeat, watch_option
from corvo.cli.request.session import Session, talks_to_server


@click.command("status")
@watch_option
@interval_option
@talks_to_server
def command(session: Session, watch: bool, interval: float) -> None:
    """Show how the server and its queues are doing.

    \b
    Examples:
      corvo status --watch
      corvo status -o json | jq .cluster.status
    """
    repeat(session, lambda: _show(session), watch=watch, interval=interval)


def _show(session: Session) -> None:
    cluster = session.api.get("/api/v1/cluster/status")
    queues = session.api.get("/api/v1/queues")
    out = session.out
    if out.form != "table":
        out.one({"cluster": cluster, "queues": queues}, "", id_member="status")
        return
    nodes = len(cluster.get("nodes", ()))
    leader = cluster.get("leader_id") or "nobody"
    out.line(f"{cluster['mode']} {cluster['status']}, {nodes} node{'s' * (nodes != 1)}, led by {leader}")
    out.table(queues, COLUMNS)
