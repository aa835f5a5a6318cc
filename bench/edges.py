"""Every edge with the same requests: how many, how quick, and whose CPU they cost.

    python -m bench.edges [SECONDS]

The rate depends on how many cores there are for node, edge processes and this load generator; the CPU time
per request of the node's own process does not, and is what an edge is chosen for: it bounds what the node can
do at all, however many cores the others have.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from bench import load
from bench.servers import corvo
from bench.usage import cpu_s
from chaos.process import Server

CONNECTIONS = 32
ROUNDS = 2

CHOICES = {
    "hypercorn, asyncio": ("--loop", "asyncio"),
    "hypercorn, uvloop": ("--loop", "uvloop"),
    "granian, uvloop": ("--edge", "granian"),
    "1 edge process": ("--edge-workers", "1"),
    "2 edge processes": ("--edge-workers", "2"),
    "2 of granian": ("--edge-workers", "2", "--edge", "granian"),
}
_ENQUEUE = b'{"queue":"emails","payload":{"to":"someone@example.com","text":"' + b"x" * 64 + b'"}}'
REQUESTS = {
    "enqueue": load.request_bytes("POST", "/api/v1/enqueue", _ENQUEUE),
    "healthz": load.request_bytes("GET", "/healthz", b""),
}


class Cpu(NamedTuple):
    """Seconds so far."""

    node: float
    processes: float

    @classmethod
    def of(cls, server: Server) -> "Cpu":
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        return cls(cpu_s(server.pid), sum(map(cpu_s, map(int, children))))


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    print(f"{CONNECTIONS} connections, HTTP/1.1, not durable, best of {ROUNDS}; CPU in us per request")
    print(f"{'':20} {'':8} {'req/s':>7} {'p50 ms':>7} {'p99 ms':>7} {'node':>6} {'edges':>6}")
    for name, flags in CHOICES.items():
        with corvo("--durable", "off", "--raft-bind", "127.0.0.1:0", *flags) as server:
            for what, request in REQUESTS.items():
                load.run(server.port, request, connections=CONNECTIONS, seconds=seconds / 3)
                rate, p50, p99, node, edges = max(_measure(server, request, seconds) for _ in range(ROUNDS))
                print(f"{name:20} {what:8} {rate:7.0f} {p50:7.1f} {p99:7.1f} {node:6.0f} {edges:6.0f}")


def _measure(server: Server, request: bytes, seconds: float) -> tuple[float, float, float, float, float]:
    before = Cpu.of(server)
    result = load.run(server.port, request, connections=CONNECTIONS, seconds=seconds)
    after = Cpu.of(server)
    assert not result.failures, f"{result.failures} failures"
    each = 1e6 / result.requests
    return (
        result.per_second,
        result.quantile_ms(0.5),
        result.quantile_ms(0.99),
        (after.node - before.node) * each,
        (after.processes - before.processes) * each,
    )


if __name__ == "__main__":
    main()
