"""The files that producers and handlers write: a line for each job, all of one length."""

from pathlib import Path

from bench.peers.programs.common import RECORD_BYTES


def count(path: Path) -> int:
    return path.stat().st_size // RECORD_BYTES if path.exists() else 0


def read(path: Path) -> list[tuple[int, int]]:
    """Number of the job, and microseconds since it was sent."""
    if not path.exists():
        return []
    rows = (line.split() for line in path.read_text().splitlines() if len(line) == RECORD_BYTES - 1)
    return [(int(number), int(us)) for number, us in rows]


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")
