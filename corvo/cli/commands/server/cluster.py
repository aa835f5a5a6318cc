"""`corvo cluster`: the nodes and how far they are."""

from contextlib import closing
from pathlib import Path
from typing import Any

import click

from corvo.cli.input.confirm import confirm, yes_option
from corvo.cli.output.output import Output
from corvo.cli.output.table import Column
from corvo.cli.output.watch import interval_option, repeat, watch_option
from corvo.cli.request.session import Session, prints, talks_to_server

NODES = [
    Column("NODE", "id"),
    Column("ADDRESS", "address"),
    Column("ROLE", "role"),
    Column("VOTER", "voter"),
    Column("CONNECTED", lambda node: node.get("connected", node.get("self"))),
    Column("LAG", "lag", "number"),
    Column("HTTP", "http"),
]


@click.group("cluster")
def command() -> None:
    """The nodes of the cluster, as the node asked sees them."""


@command.command("status")
@watch_option
@interval_option
@talks_to_server
def status(session: Session, watch: bool, interval: float) -> None:
    """Show which node leads, which nodes there are and how far they are.

    \b
    Example:
      corvo cluster status --watch
    """
    repeat(session, lambda: _show(session), watch=watch, interval=interval)


def _show(session: Session) -> None:
    found = session.api.get("/api/v1/cluster/status")
    out = session.out
    if out.form != "table":
        out.one(found, "", id_member="node_id")
        return
    for line in summary(found):
        out.line(line)
    out.table(found.get("nodes", []), NODES)


def summary(found: dict[str, Any]) -> list[str]:
    """The cluster in a few lines."""
    lines = [f"{found['mode']} {found['status']}, led by {found.get('leader_id') or 'nobody'}"]
    if "node_id" in found:
        lines.append(
            f"{found['node_id']} is {found.get('state', '').lower()}: term {found.get('term')}, "
            f"applied {found.get('applied_index')} of {found.get('commit_index')}"
        )
    mirror = found.get("sqlite_mirror") or {}
    if "lag" in mirror:
        lines.append(f"mirror lag {mirror['lag']}")
    return lines


@command.command("join")
@click.argument("node_id")
@click.argument("address")
@click.option("--http", "http_address", default="", metavar="HOST:PORT", help="Where its HTTP API listens.")
@talks_to_server
def join(session: Session, node_id: str, address: str, http_address: str) -> None:
    """Take in the node NODE_ID, which listens for other nodes at ADDRESS.

    A node that is started with --join does this by itself. It must answer there with the cluster's secret.
    """
    body = {"node_id": node_id, "addr": address, "http_addr": http_address}
    answer = session.api.post("/api/v1/cluster/join", body)
    words = "added" if answer["added"] else "was a member already"
    session.out.one({"id": node_id, **answer}, f"{node_id} {words}")


@command.command("remove")
@click.argument("node_id")
@yes_option
@talks_to_server
def remove(session: Session, node_id: str, yes: bool) -> None:
    """Take the node NODE_ID out of the cluster. It stops when it hears of it."""
    confirm(f"This takes {node_id} out of the cluster.", node_id, yes=yes)
    answer = session.api.post("/api/v1/cluster/remove", {"node_id": node_id})
    words = "removed" if answer["removed"] else "was no member"
    session.out.one({"id": node_id, **answer}, f"{node_id} {words}")


@command.command("forget-key")
@click.argument("node_id")
@yes_option
@talks_to_server
def forget_key(session: Session, node_id: str, yes: bool) -> None:
    """Forget by which key the node NODE_ID is known, because it has lost its node.key.

    Whoever knows the secret and first says it is NODE_ID is believed. Have that node running before.
    """
    confirm(f"This lets {node_id} in with whichever key it shows next.", node_id, yes=yes)
    answer = session.api.post("/api/v1/cluster/forget-key", {"node_id": node_id})
    words = "is known by the key it shows next" if answer["forgotten"] else "had no key noted"
    session.out.one({"id": node_id, **answer}, f"{node_id} {words}")


@command.command("leave")
@yes_option
@talks_to_server
def leave(session: Session, yes: bool) -> None:
    """Have the node that is asked leave the cluster, and stop."""
    confirm(f"This takes the node at {session.api.address} out of the cluster.", "leave", yes=yes)
    answer = session.api.post("/api/v1/cluster/leave")
    session.out.one({"id": answer["node_id"], **answer}, f"{answer['node_id']} has left")


@command.command("transfer")
@click.argument("node_id", required=False)
@talks_to_server
def transfer(session: Session, node_id: str | None) -> None:
    """Have another node lead: NODE_ID, or whichever is furthest. Clients notice a short pause."""
    answer = session.api.post("/api/v1/cluster/transfer", {"node_id": node_id} if node_id else {})
    words = "another node leads" if answer["transferred"] else "the leader stays"
    session.out.one({"id": node_id or "", **answer}, words)


@command.command("recover")
@click.option(
    "--data-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    required=True,
    help="Folder of the stopped node that is to go on alone.",
)
@yes_option
@prints
def recover(out: Output, data_dir: Path, yes: bool) -> None:
    """Make a stopped node a cluster of its own, because most nodes are gone for good.

    Of several folders that are left take the one with the highest log entry, which this command shows before
    it asks. Copy it first.

    \b
    Example:
      corvo cluster recover --data-dir data
    """
    # Loaded late: `corvo --help` must not wait for the storage engine.
    from corvo.cli.node.recovering import Recovery  # noqa: PLC0415 - see above

    with closing(Recovery(data_dir)) as recovery:
        found = recovery.look()
        facts = {
            "id": found.node_id,
            "members": sorted(found.roster.seats),
            "applied_index": found.position.index,
            "log_last_index": found.last_index,
        }
        if not found.others:
            out.one(facts | {"recovered": False}, f"{found.node_id} is a cluster of its own already")
            return
        others = ", ".join(found.others)
        confirm(
            f"{found.node_id} has applied entry {found.position.index} and logged up to {found.last_index}. "
            f"This makes it a cluster of its own.\nWhatever {others} acknowledged behind entry "
            f"{found.last_index} is lost, and they must never again be started\nwith the data they have: "
            "they could go on as a cluster beside this one.\n",
            found.node_id,
            yes=yes,
        )
        index = recovery.recover(found)
    out.one(
        facts | {"recovered": True, "index": index},
        f"{found.node_id} is a cluster of its own from entry {index} on. Start it as before, without --join; "
        "others join it with empty folders.",
    )


@command.command("rebuild-mirror")
@talks_to_server
def rebuild_mirror(session: Session) -> None:
    """Build the search index of the node asked anew. Searches go on meanwhile."""
    answer = session.api.post("/api/v1/admin/rebuild-sqlite")
    session.out.one({"id": "mirror", **answer}, f"rebuilt in {answer.get('duration_ms')} ms")
