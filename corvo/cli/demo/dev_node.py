"""What `corvo dev` does: a node in this process, and a thread that fills it once it answers."""

import os
import threading
from pathlib import Path
from random import Random

import click

from corvo.cli.demo.seed import Seeding
from corvo.cli.demo.traffic import Traffic
from corvo.cli.node.running import run as run_node
from corvo.cli.problems import Problem
from corvo.cli.request.client import Api, Target
from corvo.config import Config
from corvo.core.clock import NS_PER_S, SystemClock
from corvo.core.times import format_time_ns
from corvo.storage import datadir

_LOOK_EVERY_S = 0.1
_EVERYWHERE = ("", "0.0.0.0", "[::]")  # noqa: S104 - compared with, never bound


def run(config: Config, count: int, jobs_per_s: float) -> int:
    """The exit code of the node."""
    stopped = threading.Event()
    guide = threading.Thread(target=_guide, args=(config, count, jobs_per_s, stopped), daemon=True)
    guide.start()
    try:
        return run_node(config)
    finally:
        stopped.set()
        guide.join(timeout=5)


def _guide(config: Config, count: int, jobs_per_s: float, stopped: threading.Event) -> None:
    address = _await_node(Path(config.data_dir), stopped)
    if address is None:
        return
    target = Target(f"http://{address}")
    api = Api(target)
    try:
        in_an_hour = format_time_ns(SystemClock().now_ns() + 3_600 * NS_PER_S)
        Seeding(api, "", Random(7), in_an_hour).run(count, lambda _: None)  # noqa: S311 - made-up jobs
        click.echo(f"Corvo is at {target.server}: the UI at /ui/, the API at /docs. Ctrl-C ends it.")
        click.echo(f"Try: corvo top --server {target.server}")
    except Problem as problem:
        if not stopped.is_set():
            problem.show()
        return
    traffic = Traffic(target, jobs_per_s) if jobs_per_s > 0 else None
    if traffic is not None:
        traffic.start()
    stopped.wait()
    if traffic is not None:
        traffic.stop()


def _await_node(data_dir: Path, stopped: threading.Event) -> str | None:
    """Where our node listens. Asked of its folder: at that address another server may be answering."""
    while not stopped.wait(_LOOK_EVERY_S):
        running = datadir.read_running(data_dir)
        if running is not None and running["pid"] == os.getpid():
            host, _, port = str(running["http"]).rpartition(":")
            return f"{'127.0.0.1' if host in _EVERYWHERE else host}:{port}"
    return None
