"""The floor: what the state machine and LevelDB reach alone, in one process, entries of 256 ops, fsync on.

Nothing that Corvo does around them can be quicker than this, so other figures are told as a share of it.
"""

import tempfile
import time
from pathlib import Path

from bench.fsm import OPS_PER_ENTRY, Bench


def measure(seconds: float = 4.0) -> dict[str, float]:
    """Jobs per second: whole lifecycles, and enqueues alone."""
    return {"lifecycle": _rate(Bench.cycle, seconds), "enqueue": _rate(_enqueue, seconds)}


def _enqueue(bench: Bench) -> None:
    bench.apply([bench.new() for _ in range(OPS_PER_ENTRY)])


def _rate(step, seconds: float) -> float:
    with tempfile.TemporaryDirectory(prefix="corvo-bench-") as folder:
        bench = Bench(Path(folder), sync=True)
        for _ in range(5):
            step(bench)
        steps, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            step(bench)
            steps += 1
        return steps * OPS_PER_ENTRY / (time.perf_counter() - began)


def main() -> None:
    print(f"state machine and LevelDB alone, entries of {OPS_PER_ENTRY} ops, fsync on:")
    for what, rate in measure().items():
        print(f"  {what:10} {rate:8.0f} jobs/s")


if __name__ == "__main__":
    main()
