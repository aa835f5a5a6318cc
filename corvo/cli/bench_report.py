"""What `corvo bench` has to say: figures, and whether anything was lost."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from corvo.cli.bench_load import Figures, Plan


def summary(mode: str, plan: Plan, figures: Figures) -> dict[str, Any]:
    counts = {"enqueue": len(figures.accepted), "lifecycle": len(figures.acked)}
    return {
        "id": mode,
        "mode": mode,
        **plan._asdict(),
        "rates": {
            name: round((counts["enqueue"] if name == "enqueue" else counts["lifecycle"]) / seconds, 1)
            for name, seconds in figures.seconds.items()
        },
        "requests": {name: _quantiles(values) for name, values in figures.latencies_ms.items() if values},
    }


def _quantiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    found = {
        name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in _SHARES.items()
    }
    return {"count": len(ordered)} | {name: round(value, 2) for name, value in found.items()}


_SHARES = {"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99}


def violations(figures: Figures, queue: dict[str, Any] | None, *, worked: bool) -> Iterator[str]:
    """One sentence per thing that must not be. None is a pass."""
    accepted, acked = Counter(figures.accepted), Counter(figures.acked)
    twice = [job_id for job_id, count in acked.items() if count > 1]
    if twice:
        yield f"{len(twice)} jobs were committed twice, {twice[0]} among them"
    if figures.skipped:
        yield f"{figures.skipped} acks of fresh leases were not taken"
    if worked:
        lost = accepted.keys() - acked.keys()
        if lost:
            yield f"{len(lost)} accepted jobs were never completed, {min(lost)} among them"
    if queue is None:
        yield "the queue is gone"
        return
    kept = sum(queue[state] for state in ("pending", "active", "retrying", "scheduled", "held", "dead"))
    if kept + queue["completed"] < len(accepted):
        yield f"{len(accepted)} jobs were accepted, but the queue knows of {kept + queue['completed']}"
    if worked and queue["completed"] != len(acked):
        yield f"{len(acked)} jobs were acked, but the queue counts {queue['completed']}"


def lines(found: dict[str, Any], before: dict[str, Any] | None) -> Iterator[str]:
    threads = f"{found['producers']} producers, {found['workers']} workers"
    batches = f"batches of {found['enqueue_batch']} and {found['fetch_batch']}"
    yield f"{found['mode']}: {found['jobs']:,} jobs, {threads}, {batches}"
    for name, rate in found["rates"].items():
        past = (before or {}).get("rates", {}).get(name)
        change = f"  ({(rate / past - 1):+.0%} of {past:,.0f})" if past else ""
        yield f"  {name:<10} {rate:>12,.0f} jobs/s{change}"
    for name, row in found["requests"].items():
        times = "  ".join(f"{share[:3]} {row[share]:,.2f} ms" for share in _SHARES)
        yield f"  {name:<10} {row['count']:>12,} requests  {times}"
