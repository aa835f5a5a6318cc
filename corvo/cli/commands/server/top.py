"""`corvo top`: the live dashboard, or one look at it for scripts."""

import importlib
import sys

import click

from corvo.cli.commands.queues import queues, workers
from corvo.cli.commands.server.cluster import summary
from corvo.cli.problems import Misused
from corvo.cli.request.session import Session, talks_to_server


@click.command("top")
@click.option("--once", is_flag=True, help="Print once and leave, as it always does without a terminal.")
@talks_to_server
def command(session: Session, once: bool) -> None:
    """Watch queues, jobs, workers, cluster and events live. Press ? for the keys.

    \b
    Examples:
      corvo top
      corvo top --once -o json | jq '.queues[].pending'
    """
    if once or not (sys.stdout.isatty() and sys.stdin.isatty()):
        _print(session)
        return
    # A server that is not there is said before the screen is taken.
    session.api.get("/healthz")
    try:
        app = importlib.import_module("corvo.cli.top.app")
    except ModuleNotFoundError as error:
        raise Misused(
            f"corvo top needs {error.name}", "pip install 'corvo-server[top]', or use --once."
        ) from None
    app.Dashboard(session).run()


def _print(session: Session) -> None:
    found = {
        "cluster": session.api.get("/api/v1/cluster/status"),
        "queues": session.api.get("/api/v1/queues"),
        "workers": session.api.get("/api/v1/workers"),
        "throughput": session.api.get("/api/v1/metrics/throughput")[-5:],
    }
    out = session.out
    if out.form != "table":
        out.one(found, "")
        return
    for line in summary(found["cluster"]):
        out.line(line)
    minute = found["throughput"][-2]
    words = ", ".join(f"{minute[name]} {name}" for name in ("enqueued", "completed", "failed"))
    out.line(f"last minute: {words}\n")
    out.table(found["queues"], queues.COLUMNS)
    out.line("")
    out.table(found["workers"], workers.COLUMNS)
