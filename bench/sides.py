"""Servers side by side: a moment of load on one, then on the next, over and over.

    python -m bench.sides ../before . ./:--apply-batch-min-wait-us=100 ../other-tree:--edge=granian
    python -m bench.sides ../before . --what enqueue lifecycle latency --rounds 30

On a host whose speed changes from minute to minute two runs in a row compare two minutes. Here every server
meets every minute, and the ratio is the median of neighbours: above 1 is better than the first side. Two
processes of the same code differ by some percent for as long as they live, so all are started anew several
times. A side is the folder of a work tree, and flags behind a colon.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench import load, loads
from bench.edge import BODY
from bench.usage import cpu_s
from chaos.process import Server, free_port
from corvo.cli.bench.figures import quantiles

SLICE_S = 1.0
#: What takes turns in lines of many jobs needs longer slices to come to rest.
LONG_SLICE_S = 2.0
LATENCY_RATE = 500.0
SINGLE = load.request_bytes("POST", "/api/v1/enqueue", BODY)
HUNDRED = load.request_bytes("POST", "/api/v1/enqueue/batch", b'{"jobs":[' + b",".join([BODY] * 100) + b"]}")


@dataclass
class Turn:
    """What one slice measured: how good it was (more is better), what it cost, what else is worth knowing."""

    score: float
    done: float
    p50_ms: float
    p99_ms: float


def enqueue(server: Server, request: bytes = SINGLE) -> Turn:
    result = load.run(server.port, request, connections=32, seconds=SLICE_S)
    assert not result.failures, f"{result.failures} failures"
    return Turn(result.per_second, result.requests, result.quantile_ms(0.5), result.quantile_ms(0.99))


def batches(server: Server) -> Turn:
    return enqueue(server, HUNDRED)


def lifecycle(server: Server) -> Turn:
    figures = loads.run(server, loads.lifecycle_plan(LONG_SLICE_S))
    return Turn(loads.rate(figures), len(figures.accepted), 0.0, 0.0)


def latency(server: Server) -> Turn:
    """From enqueue to a waiting worker that has the job; the score is how many of these fit into a second."""
    plan = loads.lifecycle_plan(
        LONG_SLICE_S, mode="latency", rate=LATENCY_RATE, enqueue_batch=1, fetch_batch=1
    )
    figures = loads.run(server, plan)
    found = quantiles(figures.latencies_ms["start"])
    return Turn(1_000 / found["p50_ms"], LATENCY_RATE * LONG_SLICE_S, found["p50_ms"], found["p99_ms"])


KINDS: dict[str, Callable[[Server], Turn]] = {
    "enqueue": enqueue,
    "batches": batches,
    "lifecycle": lifecycle,
    "latency": latency,
}


@dataclass
class Side:
    name: str
    turns: list[Turn] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)

    def take_turn(self, kind: Callable[[Server], Turn], server: Server) -> None:
        before_s = cpu_s(server.pid)
        turn = kind(server)
        self.turns.append(turn)
        self.cpu_us.append((cpu_s(server.pid) - before_s) * 1e6 / turn.done)

    def line(self, first: "Side") -> str:
        pairs = zip(self.turns, first.turns, strict=True)
        ratio = statistics.median(own.score / other.score for own, other in pairs)
        cheap = statistics.median(other / own for own, other in zip(self.cpu_us, first.cpu_us, strict=True))
        rate = statistics.mean(turn.score for turn in self.turns)
        p50_ms, p99_ms = (
            statistics.median(getattr(turn, name) for turn in self.turns) for name in ("p50_ms", "p99_ms")
        )
        figures = (
            f"{rate:9,.0f}/s  {ratio:5.3f} x  cpu {statistics.median(self.cpu_us):6.0f} us {cheap:5.3f} x"
        )
        times = f"  p50 {p50_ms:6.2f} ms  p99 {p99_ms:6.2f} ms" if p50_ms else ""
        return f"{figures}{times}  {self.name}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare servers on a machine that is not quiet.")
    parser.add_argument("sides", nargs="+", metavar="TREE[:FLAGS]")
    parser.add_argument("--starts", type=int, default=4, help="how often all servers are started")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each server between two starts")
    parser.add_argument("--what", nargs="+", choices=KINDS, default=["enqueue"])
    arguments = parser.parse_args()
    for tree in {name.partition(":")[0] for name in arguments.sides}:
        _compile(tree)
    for what in arguments.what:
        print(f"{what}, {arguments.starts} starts of {arguments.rounds} rounds:", flush=True)
        sides = [Side(name) for name in arguments.sides]
        for number in range(arguments.starts):
            # There and back again, so that no side is always the first or the last.
            compare(sides if number % 2 else sides[::-1], KINDS[what], arguments.rounds)
        for side in sides:
            print(f"  {side.line(sides[0])}", flush=True)


def compare(sides: list[Side], kind: Callable[[Server], Turn], rounds: int) -> None:
    with ExitStack() as stack:
        servers = [(side, _start(stack, side.name)) for side in sides]
        for _, server in servers:
            kind(server)
        for number in range(rounds):
            for side, server in servers if number % 2 else servers[::-1]:
                side.take_turn(kind, server)


def _compile(tree: str) -> None:
    """A server that compiles its own code has another memory, and is slower for as long as it lives."""
    without = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, "-m", "compileall", "-q", "corvo"], cwd=tree, env=without, check=True)


def _start(stack: ExitStack, name: str) -> Server:
    tree, _, flags = name.partition(":")
    root = str(Path(tree).resolve())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="corvo-sides-")))
    before = ("env", "-C", root, f"PYTHONPATH={root}")
    server = Server(folder / "data", free_port(), *flags.split(), python=sys.executable, before=before)
    server.start()
    stack.callback(server.close)
    return server


if __name__ == "__main__":
    main()
