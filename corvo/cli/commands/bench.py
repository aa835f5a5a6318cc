"""`corvo bench`: how fast a server is, and whether it loses anything on the way."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from corvo.cli import bench_report
from corvo.cli.bench_load import Figures, Load, Plan
from corvo.cli.client import Api, segment
from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import ApiError, Misused
from corvo.cli.progress import Progress
from corvo.cli.session import Session, talks_to_server

_MODES = ("enqueue", "lifecycle", "mixed", "latency")
_positive = click.IntRange(min=1)


@click.command("bench")
@click.option("--mode", type=click.Choice(_MODES), default="lifecycle", help="What to do; see above.")
@click.option("--jobs", type=_positive, default=10_000, help="Jobs in all.")
@click.option("--concurrency", type=click.IntRange(1, 512), default=10, help="Producers at once.")
@click.option("--workers", type=click.IntRange(1, 512), default=4, help="Workers at once.")
@click.option("--enqueue-batch-size", type=click.IntRange(1, 10_000), default=64, help="1: single requests.")
@click.option(
    "--fetch-batch-size", type=click.IntRange(1, 512), default=64, help="Also of acks. 1: single acks."
)
@click.option("--payload-size", type=click.IntRange(0, 200_000), default=64, help="Bytes of filling.")
@click.option("--queue", default="bench.q", help="Beginning of the name of the queue, which is made anew.")
@click.option("--keep", is_flag=True, help="Do not remove the queue afterwards.")
@click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures to this file."
)
@click.option("--compare", type=click.Path(exists=True, path_type=Path), help="Compare with a saved file.")
@talks_to_server
def command(
    session: Session, mode: str, keep: bool, save: Path | None, compare: Path | None, **given: Any
) -> None:
    """Measure a server, and check at the end that every accepted job was completed exactly once.

    \b
    Modes:
      enqueue    jobs go in
      lifecycle  jobs go in; then workers fetch and ack them all
      mixed      both at once
      latency    one job after the other: how long until a waiting worker has it

    The load comes from threads of one Python process, which may be slower than the server: run several at
    once to find its limit. Ctrl-C stops it and removes the queue. Exit code 1 if anything was lost.
    """
    before = _read(compare)
    queue = f"{given['queue']}.{os.urandom(4).hex()}"
    alone = mode == "latency"
    plan = Plan(
        queue=queue,
        jobs=given["jobs"],
        producers=1 if alone else given["concurrency"],
        workers=1 if alone else given["workers"],
        enqueue_batch=1 if alone else given["enqueue_batch_size"],
        fetch_batch=1 if alone else given["fetch_batch_size"],
        payload_bytes=given["payload_size"],
        one_by_one=alone,
    )
    figures = Figures()
    try:
        _load(session, mode, plan, figures)
        found = bench_report.summary(mode, plan, figures)
        state = session.api.get(f"/api/v1/queues/{segment(queue)}")
        wrong = list(bench_report.violations(figures, state, worked=mode != "enqueue"))
    finally:
        if not keep:
            _remove(session.api, queue)
    found["violations"] = wrong
    if save is not None:
        save.write_text(json.dumps(found, indent=2) + "\n")
    verdict = "nothing was lost" if not wrong else "\n".join(f"WRONG: {sentence}" for sentence in wrong)
    session.out.one(found, "\n".join([*bench_report.lines(found, before), verdict]))
    sys.exit(ExitCode.REFUSED if wrong else ExitCode.OK)


def _load(session: Session, mode: str, plan: Plan, figures: Figures) -> None:
    load = Load(session.api.target, plan, figures)
    with Progress(mode, plan.jobs, quiet=session.quiet) as progress:
        if mode in ("enqueue", "lifecycle"):
            load.run(produce=True, work=False, name="enqueue", progress=progress.to)
        if mode == "lifecycle":
            load.run(produce=False, work=True, name="lifecycle", progress=progress.to)
        if mode in ("mixed", "latency"):
            load.run(produce=True, work=True, name=mode, progress=progress.to)


def _read(file: Path | None) -> dict[str, Any] | None:
    if file is None:
        return None
    try:
        saved: dict[str, Any] = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise Misused(f"{file} cannot be read: {error}") from None
    return saved


def _remove(api: Api, queue: str) -> None:
    try:
        api.delete(f"/api/v1/queues/{segment(queue)}", confirm="true")
    except ApiError as error:
        if error.status != 404:
            raise
