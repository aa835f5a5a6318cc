"""What `corvo bench` has to say: figures, beside earlier ones, and whether anything was lost."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from corvo.cli.bench.figures import SHARES, BenchFigures, quantiles
from corvo.cli.bench.plan import BenchPlan
from corvo.core.wording import count

#: States of a job that has not ended well.
_KEPT = ("pending", "active", "retrying", "scheduled", "held", "dead")

#: Share of a core above which the generator is suspected of holding up the server.
_BUSY = 0.9
_WHAT = {
    "turn": "ack and fetch",
    "fetch": "fetch, with jobs",
    "start": "enqueue to start",
}

Found = dict[str, Any]


def summary(plan: BenchPlan, figures: BenchFigures) -> Found:
    return {
        "id": plan.mode,
        **plan._asdict(),
        "queues": len(plan.queues),
        "accepted": len(figures.accepted),
        "completed": len(figures.acked),
        "refused": figures.refused,
        "rates": {name: round(count / seconds, 1) for name, (count, seconds) in figures.phases.items()},
        "per_second": figures.per_second,
        "requests": {name: quantiles(values) for name, values in figures.latencies_ms.items() if values},
    }


def violations(figures: BenchFigures, queues: list[Found | None], *, worked: bool) -> Iterator[str]:
    """One sentence per thing that must not be. None is a pass."""
    accepted, acked = Counter(figures.accepted), Counter(figures.acked)
    twice = [job_id for job_id, count in acked.items() if count > 1]
    if twice:
        yield f"{count(len(twice), 'job')} committed twice, {twice[0]} among them"
    if figures.skipped:
        yield f"{figures.skipped} acks of fresh leases were not taken"
    if worked:
        lost = accepted.keys() - acked.keys()
        if lost:
            yield f"{len(lost)} accepted jobs were never completed, {min(lost)} among them"
        strange = acked.keys() - accepted.keys()
        if strange:
            yield f"{len(strange)} jobs were completed that were never accepted, {min(strange)} among them"
    known = [queue for queue in queues if queue is not None]
    if len(known) < len(queues):
        yield "the queue is gone"
        return
    completed = sum(queue["completed"] for queue in known)
    kept = sum(queue[state] for queue in known for state in _KEPT)
    if kept + completed < len(accepted):
        yield f"{len(accepted)} jobs were accepted, but the queue knows of {kept + completed}"
    if worked and completed != len(acked):
        yield f"{len(acked)} jobs were acked, but the queue counts {completed}"
    if worked and kept:
        yield f"{count(kept, 'job')} left over"


def lines(found: Found, before: Found | None) -> Iterator[str]:
    yield _heading(found)
    rows, past = _rows(found), _rows(before) if before else {}
    if before:
        yield f"  {'':<26} {'now':>10} {'before':>10} {'ratio':>8}"
    for (name, unit), value in rows.items():
        yield f"  {name:<26} {value:>10,.0f}{_beside(value, past.get((name, unit)))} {unit}"
    yield f"  {'milliseconds':<26} {'requests':>10}" + "".join(f"{share[:-3]:>10}" for share in SHARES)
    for name, row in found["requests"].items():
        times = "".join(f"{row[share]:>10,.2f}" for share in SHARES)
        yield f"  {_WHAT.get(name, name):<26} {row['count']:>10,}{times}"
        was = before["requests"].get(name) if before else None
        if was:
            ratios = "".join(_ratio(row[share], was[share]).rjust(10) for share in SHARES)
            yield f"  {'':<4}{'to before':<22} {'':>10}{ratios}"
    if found["refused"]:
        yield f"  {found['refused']:,} requests were refused for overload and sent again"
    if found["generator_cpu"] > _BUSY:
        yield "  the generator had no processor left: the server may be faster than this"


def _heading(found: Found) -> str:
    size = f"{found['duration_s']:g} s" if found["duration_s"] else f"{found['jobs']:,} jobs"
    people = f"{found['producers']} producers, {found['workers']} workers"
    batches = f", batches of {found['enqueue_batch']} and {found['fetch_batch']}"
    way = f"{found['way']} over HTTP/{'2' if found['http'] == 2 else '1.1'}"
    return (
        f"{found['mode']}: {size}, {way}, {people}{batches if found['way'] != 'single' else ''}, "
        f"{found['payload_bytes']} bytes, {found['queues']} queue{'s' * (found['queues'] > 1)}"
    )


def _rows(found: Found) -> dict[tuple[str, str], float]:
    rows: dict[tuple[str, str], float] = {}
    for name, rate in found["rates"].items():
        rows[name, "jobs/s"] = rate
        seconds = found["per_second"].get(name, [])
        if len(seconds) > 2:
            rows[f"{name}, slowest second", "jobs/s"] = min(seconds)
    if found.get("server"):
        rows["server", "% of a core"] = found["server"]["cpu_percent"]
        rows["server", "MB"] = found["server"]["memory_mb"]
    rows["generator", "% of a core"] = found["generator_cpu"] * 100
    return rows


def _beside(value: float, past: float | None) -> str:
    return f" {past:>10,.0f} {_ratio(value, past):>8}" if past else ""


def _ratio(value: float, past: float) -> str:
    return f"{value / past:.2f}x" if past else ""
