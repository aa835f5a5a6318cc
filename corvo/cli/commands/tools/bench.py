"""`corvo bench`: how fast a server is, and whether it loses anything on the way."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from corvo.cli.bench import report
from corvo.cli.bench.figures import BenchFigures
from corvo.cli.bench.link import BenchAddress
from corvo.cli.bench.load import Load
from corvo.cli.bench.plan import MODES, WAYS, BenchPlan
from corvo.cli.bench.server_use import ServerUse
from corvo.cli.exit_codes import ExitCode
from corvo.cli.output.progress import ProgressLine
from corvo.cli.problems import ApiError, Misused
from corvo.cli.request.client import Api, segment
from corvo.cli.request.session import Duration, Session, talks_to_server

_JOBS_DEFAULT = 10_000
_positive = click.IntRange(min=1)


@click.command("bench")
@click.option("--mode", type=click.Choice(MODES), default="lifecycle", help="What to do; see above.")
@click.option("--way", type=click.Choice(WAYS), default="batch", help="How to talk; see above.")
@click.option("--http", type=click.Choice(["1", "2"]), default="1", help="HTTP/1.1 or HTTP/2.")
@click.option("--jobs", type=_positive, help="Jobs in all, in whole batches.  [default: 10000]")
@click.option("--duration", type=Duration(), help="Produce for so long, instead of a number of jobs.")
@click.option("--concurrency", type=click.IntRange(1, 512), default=8, help="Producers at once.")
@click.option("--workers", type=click.IntRange(1, 512), default=8, help="Workers at once.")
@click.option("--connections", type=click.IntRange(1, 512), default=2, help="Connections that HTTP/2 shares.")
@click.option("--enqueue-batch-size", type=click.IntRange(1, 1_000), default=64, help="Jobs in a batch.")
@click.option("--fetch-batch-size", type=click.IntRange(1, 512), default=64, help="Jobs in a fetch or ack.")
@click.option(
    "--payload-size", type=click.IntRange(0, 200_000), default=64, help="Bytes of filling in a job."
)
@click.option("--queues", type=click.IntRange(1, 64), default=1, help="Spread the jobs over so many queues.")
@click.option("--rate", type=click.FloatRange(0.1, 100_000), default=100.0, help="Jobs/s in latency mode.")
@click.option("--queue", default="bench.q", help="Beginning of the name of the queue, which is made anew.")
@click.option("--keep", is_flag=True, help="Do not remove the queue afterwards.")
@click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures to this file."
)
@click.option("--compare", type=click.Path(exists=True, path_type=Path), help="Compare with a saved file.")
@talks_to_server
def command(session: Session, keep: bool, save: Path | None, compare: Path | None, **given: Any) -> None:
    """Measure a server, and check at the end that every accepted job was completed exactly once.

    \b
    Modes:
      enqueue    jobs go in
      lifecycle  jobs go in; then workers fetch and ack them all
      mixed      both at once; producers pause while 4,000 jobs wait
      latency    jobs go in at --rate: how long from each until a waiting worker has it

    \b
    Ways:
      single  a request for each enqueue, fetch and ack
      batch   requests of many jobs
      stream  the worker stream: acks and fetch in one line

    Only acknowledged work counts. The load comes from one Python process; the report says if that had no
    processor left: run several at once to find the server's limit. Ctrl-C stops it and removes the queue.
    Exit code 1 if anything was lost.
    """
    before = _read(compare)
    plan = _plan(given)
    figures = BenchFigures()
    try:
        used = _load(session, plan, figures)
        found = report.summary(plan, figures) | used
        states = [session.api.get(f"/api/v1/queues/{segment(queue)}") for queue in plan.queues]
        wrong = list(report.violations(figures, states, worked=plan.mode != "enqueue"))
    finally:
        if not keep:
            _remove(session.api, plan.queues)
    found["violations"] = wrong
    if save is not None:
        save.write_text(json.dumps(found, indent=2) + "\n")
    verdict = "nothing was lost" if not wrong else "\n".join(f"WRONG: {sentence}" for sentence in wrong)
    session.out.one(found, "\n".join([*report.lines(found, before), verdict]))
    sys.exit(ExitCode.REFUSED if wrong else ExitCode.OK)


def _plan(given: dict[str, Any]) -> BenchPlan:
    if given["jobs"] and given["duration"]:
        raise Misused("--jobs and --duration exclude each other", "Give one of them.")
    one_by_one = given["way"] == "single" or given["mode"] == "latency"
    jobs = None if given["duration"] else given["jobs"] or _JOBS_DEFAULT
    batch = 1 if one_by_one else given["enqueue_batch_size"]
    if jobs is not None:
        batch = min(batch, jobs)
        jobs = -(-jobs // batch) * batch
    name = f"{given['queue']}.{os.urandom(4).hex()}"
    count = given["queues"]
    return BenchPlan(
        mode=given["mode"],
        way=given["way"],
        queues=(name,) if count == 1 else tuple(f"{name}.{number}" for number in range(count)),
        jobs=jobs,
        duration_s=given["duration"],
        producers=given["concurrency"],
        workers=given["workers"],
        enqueue_batch=batch,
        fetch_batch=1 if one_by_one else given["fetch_batch_size"],
        payload_bytes=given["payload_size"],
        http=int(given["http"]),
        connections=given["connections"],
        rate=given["rate"],
    )


def _load(session: Session, plan: BenchPlan, figures: BenchFigures) -> dict[str, Any]:
    """Runs it; what the server and the generator used."""
    address = BenchAddress(session.api.target)
    server = ServerUse(session.api, address.host, address.port)
    began, before, own_s = time.perf_counter(), server.now(), time.process_time()
    with ProgressLine("bench", quiet=session.quiet) as progress:
        phases: dict[str, float] = {}

        def show(phase: str, done: int, total: int | None) -> None:
            now = time.perf_counter()
            rate = done / max(now - phases.setdefault(phase, now), 0.1)
            progress.note(f"{phase}, {done:,}{f' of {total:,}' if total else ''} jobs, {rate:,.0f}/s")

        load = Load(session.api.target, plan, figures, show)
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(load.run())
    seconds = time.perf_counter() - began
    used: dict[str, Any] = {
        "generator_cpu": round((time.process_time() - own_s) / seconds, 3),
        "server": None,
    }
    after = server.now()
    if before is not None and after is not None:
        used["server"] = {
            "cpu_percent": round((after.cpu_s - before.cpu_s) / seconds * 100, 1),
            "cpu_s": round(after.cpu_s - before.cpu_s, 3),
            "memory_mb": round(after.memory_mb, 1),
            "memory_mb_before": round(before.memory_mb, 1),
        }
    return used


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop if it is there: the generator has to be cheap."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop] = import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory


def _read(file: Path | None) -> dict[str, Any] | None:
    if file is None:
        return None
    try:
        saved: dict[str, Any] = json.loads(file.read_text())
        _ = saved["rates"], saved["per_second"], saved["requests"], saved["generator_cpu"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Misused(
            f"{file} cannot be read: {error!r}", "Take a file that `corvo bench --save FILE` has written."
        ) from None
    return saved


def _remove(api: Api, queues: tuple[str, ...]) -> None:
    for queue in queues:
        try:
            api.delete(f"/api/v1/queues/{segment(queue)}", confirm="true")
        except ApiError as error:
            if error.status != 404:
                raise
