"""The run as Markdown: what was measured, how Corvo compares, and what was asked of whom."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path

from bench.peers.measure import AHEAD, LATENCY_RATE, PRODUCERS, Row
from corvo.core.clock import SystemClock
from corvo.core.times import format_time_ns

#: At least so many times the lifecycles of the quickest of these.
_TARGETS = {
    "Celery, Redis everysec": (8.0, ("Celery, Redis everysec",)),
    "Dramatiq, Redis everysec": (3.0, ("Dramatiq, Redis everysec",)),
    "the best on PostgreSQL": (2.0, ("Procrastinate, PostgreSQL", "pg-boss, PostgreSQL")),
}


def page(rows: list[Row], floors: dict[str, float], *, command: str, quick: bool, load: float) -> str:
    return "\n".join(_lines(rows, floors, command=command, quick=quick, load=load)) + "\n"


def _lines(
    rows: list[Row], floors: dict[str, float], *, command: str, quick: bool, load: float
) -> Iterator[str]:
    date = format_time_ns(SystemClock().now_ns())[:16].replace("T", " ")
    yield "# Corvo beside others"
    yield ""
    yield f"Written by `{command}` on {date} UTC. Worse rows stand beside better ones."
    yield ""
    if quick:
        yield "**A quick run: every measurement is short, so the figures are noisy.**"
        yield ""
    if load > 1.0:
        yield f"**The machine was busy with other things: its load was {load:.1f} before this began.**"
        yield ""
    yield f"**Machine**: {machine()}."
    yield ""
    yield from _table(rows)
    yield ""
    yield from _how()
    yield ""
    yield "## Corvo against each"
    yield ""
    yield from _ratios(rows)
    yield ""
    yield from _against_targets(rows, floors)
    yield ""
    yield "## How each was set up"
    yield ""
    yield "| | durability | producers; workers | versions |"
    yield "| --- | --- | --- | --- |"
    for row in rows:
        yield f"| {row.title} | {row.durability} | {row.setting} | {row.versions} |"
    problems = [(row.title, problem) for row in rows for problem in row.problems]
    if problems:
        yield ""
        yield "## What did not work"
        yield ""
        for title, problem in problems:
            yield f"- {title}: {' '.join(problem.split())}"


def _table(rows: list[Row]) -> Iterator[str]:
    yield (
        "| | enqueue/s | lifecycle/s | enqueue to start p50 | p99 | server memory | workers' memory "
        "| lost after kill -9 | late | done twice |"
    )
    yield "| --- |" + " ---: |" * 9
    for row in rows:
        crash = f"{row.lost:,} of {row.accepted:,}" if row.accepted else "-"
        cells = [
            row.title,
            _number(row.enqueue),
            _number(row.lifecycle),
            f"{row.p50_ms:,.1f} ms" if row.p50_ms else "-",
            f"{row.p99_ms:,.1f} ms" if row.p99_ms else "-",
            f"{row.server_mb:,.0f} MB" if row.server_mb else "-",
            f"{row.workers_mb:,.0f} MB" if row.workers_mb else "-",
            crash,
            f"{row.held:,}" if row.accepted else "-",
            f"{row.twice:,}" if row.accepted else "-",
        ]
        yield f"| {' | '.join(cells)} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value else "-"


def _how() -> Iterator[str]:
    yield f"""\
- A job is about 100 bytes of JSON; its handler appends a line to a file and returns (that of Corvo's stream
  does nothing). 8 workers.
- enqueue/s: acknowledged; {PRODUCERS} producing processes, no workers.
- lifecycle/s: jobs done while they are also enqueued; producers pause while {AHEAD:,} wait.
- enqueue to start: one producer, {LATENCY_RATE:.0f} jobs/s, idle workers.
- kill -9 hits the server (and all it has started) while jobs come in and wait; then it is started again, and
  so are workers that ended over it. What was acknowledged and is not done when nothing more happens for a
  while is late if the server still has it (a lease or a timeout has to pass), else lost. This is not a power
  cut: for that see durability.
- Memory counts shared pages once. Servers have nothing in them at the start. For Corvo's stream,
  producers and workers are one generator, and done means that the server has acknowledged the ack; its
  kill -9 is done with the SDK, since the server is the same."""


def _ratios(rows: list[Row]) -> Iterator[str]:
    ours = [row for row in rows if row.name.startswith("corvo") and row.lifecycle]
    yield "| times as many per second |" + "".join(f" {row.title}: enqueue | lifecycle |" for row in ours)
    yield "| --- |" + " ---: |" * (2 * len(ours))
    for row in rows:
        if row in ours or not row.lifecycle:
            continue
        cells = "".join(
            f" {_ratio(our.enqueue, row.enqueue)} | {_ratio(our.lifecycle, row.lifecycle)} |" for our in ours
        )
        yield f"| {row.title} |{cells}"


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.2f}" if ours and theirs else "-"


def _against_targets(rows: list[Row], floors: dict[str, float]) -> Iterator[str]:
    stream = next((row for row in rows if row.name == "corvo" and row.lifecycle), None)
    if stream is None:
        return
    yield "| lifecycles over the stream against | times | target |"
    yield "| --- | ---: | --- |"
    floor = floors["lifecycle"]
    ratio = stream.lifecycle / floor
    yield f"| the floor: state machine and LevelDB alone, fsync, {floor:,.0f}/s | {ratio:.2f} | ≥ 0.35 |"
    for what, (target, titles) in _TARGETS.items():
        best = max((row.lifecycle for row in rows if row.title in titles), default=0.0)
        if best:
            ratio = stream.lifecycle / best
            yield f"| {what} | {ratio:.2f} | ≥ {target:g}{'' if ratio >= target else ', **missed**'} |"


def machine() -> str:
    cpu = next(
        (line.partition(":")[2].strip() for line in _read("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    memory = next((int(line.split()[1]) for line in _read("/proc/meminfo") if line.startswith("MemTotal")), 0)
    return (
        f"{os.cpu_count()} cores of {cpu}, {memory / 2**20:.0f} GB, Linux {platform.release()}, "
        f"Python {platform.python_version()}"
    )


def _read(path: str) -> list[str]:
    return Path(path).read_text().splitlines()
