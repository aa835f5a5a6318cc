"""Servers side by side: a second of load on one, then on the next, over and over.

    python -m bench.sides . ./:--apply-batch-min-wait-us=100 ../other-tree:--edge=granian

On a host whose speed changes from minute to minute two runs in a row compare two minutes. Here every server
meets every minute, and the ratio is the median of neighbours. A side is the folder of a work tree, and flags
behind a colon.
"""

import argparse
import statistics
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bench import load
from bench.edge import BODY
from bench.usage import cpu_s
from chaos.process import Server, free_port

SLICE_S = 1.0
SINGLE = load.request_bytes("POST", "/api/v1/enqueue", BODY)
HUNDRED = load.request_bytes("POST", "/api/v1/enqueue/batch", b'{"jobs":[' + b",".join([BODY] * 100) + b"]}")


@dataclass
class Side:
    name: str
    server: Server
    rates: list[float] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    p50_ms: list[float] = field(default_factory=list)
    p99_ms: list[float] = field(default_factory=list)

    def take_turn(self, request: bytes, connections: int) -> None:
        before_s = cpu_s(self.server.pid)
        result = load.run(self.server.port, request, connections=connections, seconds=SLICE_S)
        assert not result.failures, f"{result.failures} failures at {self.name}"
        self.rates.append(result.per_second)
        self.cpu_us.append((cpu_s(self.server.pid) - before_s) * 1e6 / result.requests)
        self.p50_ms.append(result.quantile_ms(0.5))
        self.p99_ms.append(result.quantile_ms(0.99))

    def line(self, first: "Side") -> str:
        ratio = statistics.median(a / b for a, b in zip(self.rates, first.rates, strict=True))
        rate, cpu_us, p50_ms, p99_ms = map(
            statistics.mean, (self.rates, self.cpu_us, self.p50_ms, self.p99_ms)
        )
        figures = f"{rate:8,.0f}/s  {ratio:5.2f} x  cpu {cpu_us:6.0f} us"
        return f"{figures}  p50 {p50_ms:6.2f} ms  p99 {p99_ms:6.2f} ms  {self.name}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare servers on a machine that is not quiet.")
    parser.add_argument("sides", nargs="+", metavar="TREE[:FLAGS]")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--batches", action="store_true", help="a hundred jobs a request instead of one")
    arguments = parser.parse_args()
    request = HUNDRED if arguments.batches else SINGLE
    with ExitStack() as stack:
        sides = [_start(stack, name) for name in arguments.sides]
        for side in sides:
            load.run(side.server.port, request, connections=arguments.connections, seconds=SLICE_S)
        for number in range(arguments.rounds):
            # There and back again, so that nobody always comes after the same other one.
            for side in sides if number % 2 else reversed(sides):
                side.take_turn(request, arguments.connections)
        for side in sides:
            print(side.line(sides[0]))


def _start(stack: ExitStack, name: str) -> Side:
    tree, _, flags = name.partition(":")
    root = str(Path(tree).resolve())
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="corvo-sides-")))
    before = ("env", "-C", root, f"PYTHONPATH={root}")
    server = Server(folder / "data", free_port(), *flags.split(), python=sys.executable, before=before)
    server.start()
    stack.callback(server.close)
    return Side(name, server)


if __name__ == "__main__":
    main()
