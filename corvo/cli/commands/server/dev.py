"""`corvo dev`: a throw-away node with demo data, a producer and workers."""

import importlib
import sys
import tempfile
from pathlib import Path

import click

from corvo.config import load


@click.command("dev")
@click.option("--bind", default="127.0.0.1:8080", help="Address of the HTTP API and UI.")
@click.option(
    "--data-dir", type=click.Path(path_type=Path), help="Keep the data here; else it is thrown away."
)
@click.option("--count", type=click.IntRange(0, 10_000), default=48, help="Demo jobs to begin with.")
@click.option("--rate", type=float, default=3.0, help="New jobs per second; 0 for none, and no worker.")
@click.option("--insecure-open", is_flag=True, help="Serve other machines, too, without any key.")
@click.option("--log-level", default="warn", help="Least important kind of line that is logged.")
def command(
    bind: str, data_dir: Path | None, count: int, rate: float, insecure_open: bool, log_level: str
) -> None:
    """Run a node to look at, with demo data, a producer and workers.

    The data is in a temporary folder and gone when you press Ctrl-C, unless you say --data-dir.
    """
    # Loaded late: `corvo dev --help` must not wait for the whole server.
    developing = importlib.import_module("corvo.cli.demo.dev_node")
    with tempfile.TemporaryDirectory(prefix="corvo-dev-") as folder:
        flags = {
            "bind": bind,
            "insecure_open": insecure_open,
            "raft_bind": "127.0.0.1:0",
            "node_id": "dev",
            "data_dir": str(data_dir or folder),
            "durable": "auto" if data_dir else "off",
            "log_level": log_level,
        }
        config, _ = load(flags, {})
        code = developing.run(config, count, rate)
    sys.exit(code)
