"""The load generator of `corvo bench`, for the parts of this folder: one server, one plan, its figures."""

import argparse
import asyncio
from collections.abc import Callable

from chaos.process import Server
from corvo.cli.bench.figures import BenchFigures
from corvo.cli.bench.load import Load, Progress
from corvo.cli.bench.plan import BenchPlan
from corvo.cli.request.client import Target

#: About 100 bytes of JSON with what is around it.
PAYLOAD_BYTES = 90


def _no_progress(_phase: str, _done: int, _total: int | None) -> None:
    """Nobody looks."""


def run(server: Server, plan: BenchPlan, progress: Progress = _no_progress) -> BenchFigures:
    figures = BenchFigures()
    load = Load(Target(f"http://127.0.0.1:{server.port}"), plan, figures, progress)
    asyncio.run(load.run())
    return figures


def rate(figures: BenchFigures) -> float:
    """Of the last phase."""
    jobs, seconds = list(figures.phases.values())[-1]
    return jobs / seconds


def lifecycle_plan(seconds: float, **changes: object) -> BenchPlan:
    """Enqueue, fetch and ack over the stream at once: 4 producers, 8 workers, 50 jobs a line."""
    plan = BenchPlan(
        mode="mixed",
        way="stream",
        queues=("q",),
        jobs=None,
        duration_s=seconds,
        producers=4,
        workers=8,
        enqueue_batch=50,
        fetch_batch=50,
        payload_bytes=PAYLOAD_BYTES,
    )
    return plan._replace(**changes)


def edge_flags(arguments: argparse.Namespace) -> tuple[str, ...]:
    return () if arguments.edge == "hypercorn" else ("--edge", arguments.edge)


def parser(add: Callable[[argparse.ArgumentParser], object] | None = None) -> argparse.Namespace:
    """Arguments that all parts take: the edge that serves HTTP."""
    given = argparse.ArgumentParser()
    given.add_argument("--edge", default="hypercorn", help="hypercorn or granian")
    if add is not None:
        add(given)
    return given.parse_args()
