"""Each attack for a while on each edge, and beside it what a healthy client and the node's memory show.

    python -m chaos.attack --seconds 60
    python -m chaos.attack --seconds 5 --edge granian --only pings,half-sent-bodies

The first row of an edge is the quiet one. The command fails if a node died, or did not answer afterwards.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from chaos.attack.attacks import ATTACKS
from chaos.attack.healthy import HealthyClient, family_mb
from chaos.process import Server, free_port

EDGES = {
    "hypercorn": (),
    "granian": ("--edge", "granian"),
    "edge-workers": ("--edge-workers", "2"),
}
_LOOK_EVERY_S = 0.1
#: How long the node has to answer again when an attack is over.
_RECOVERY_S = 30.0


class Row(NamedTuple):
    edge: str
    attack: str
    p50_ms: float
    p99_ms: float
    errors: int
    requests: int
    memory_mb: float
    survived: bool

    def __str__(self) -> str:
        fate = "" if self.survived else "  DIED"
        return (
            f"{self.edge:13} {self.attack:22} {self.p50_ms:9.1f} {self.p99_ms:9.1f} {self.requests:9,}"
            f" {self.errors:7,} {self.memory_mb:9.0f}{fate}"
        )


HEADING = (
    f"{'edge':13} {'attack':22} {'p50 ms':>9} {'p99 ms':>9} {'requests':>9} {'errors':>7} {'memory MB':>9}"
)


def rows(edges: list[str], attacks: list[str], seconds: float) -> Iterator[Row]:
    for edge in edges:
        for name in ("quiet", *attacks):
            # A node of its own for each: what one attack leaves behind is not the next one's.
            with tempfile.TemporaryDirectory() as folder:
                yield one(edge, name, seconds, Path(folder))


def one(edge: str, name: str, seconds: float, folder: Path) -> Row:
    server = Server(folder / "data", free_port(), "--raft-bind", "127.0.0.1:0", *EDGES[edge])
    server.start()
    attacker = None
    try:
        if name != "quiet":
            command = [sys.executable, "-m", "chaos.attack.attacks", name, str(server.port)]
            attacker = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        client, peak_mb = asyncio.run(_watch(server, seconds))
        if attacker is not None:
            attacker.kill()
            attacker.wait()
            attacker = None
        survived = _answers(server)
        return Row(
            edge,
            name,
            client.percentile_ms(0.5),
            client.percentile_ms(0.99),
            client.errors,
            len(client.took_s),
            peak_mb,
            survived,
        )
    finally:
        if attacker is not None:
            attacker.kill()
            attacker.wait()
        server.close()


async def _watch(server: Server, seconds: float) -> tuple[HealthyClient, float]:
    client = HealthyClient(server.port)
    asking = asyncio.create_task(client.run(seconds))
    peak_mb = 0.0
    while not asking.done():
        peak_mb = max(peak_mb, await asyncio.to_thread(family_mb, server.pid))
        await asyncio.wait({asking}, timeout=_LOOK_EVERY_S)
    await asking
    return client, peak_mb


def _answers(server: Server) -> bool:
    end = time.monotonic() + _RECOVERY_S
    while time.monotonic() < end:
        if not server.is_running:
            return False
        if server.is_healthy():
            return True
        time.sleep(_LOOK_EVERY_S)
    return False


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m chaos.attack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--edge", choices=EDGES, action="append")
    parser.add_argument("--only", default=",".join(ATTACKS), help="names, separated by commas")
    given = parser.parse_args()
    attacks = given.only.split(",")
    unknown = [name for name in attacks if name not in ATTACKS]
    if unknown:
        parser.error(f"there is no attack {unknown[0]!r}; there are {', '.join(ATTACKS)}")
    print(HEADING)
    survived = True
    for row in rows(given.edge or list(EDGES), attacks, given.seconds):
        print(row, flush=True)
        survived = survived and row.survived
    return 0 if survived else 1


if __name__ == "__main__":
    sys.exit(main())
