"""All figures of a node in one place: what /metrics, /cluster/status and /debug/runtime are made of."""

import asyncio
from typing import Any

import msgspec

from corvo.actors.kernel.stats import Stats
from corvo.actors.messages import GetStatus, ListQueues, ListWorkers, QueuesListed, Status, WorkersListed
from corvo.core.clock import NS_PER_S
from corvo.core.worker import Worker
from corvo.http.api.schema.workers import merge
from corvo.http.serve.context import Context

_ACTIVE_WORKER_NS = 300 * NS_PER_S


class Figures(msgspec.Struct, frozen=True):
    consensus: dict[str, Any]
    batcher: dict[str, Any]
    envoy: dict[str, Any]
    auditor: dict[str, Any]
    fsm: dict[str, Any]
    desk: dict[str, Any]
    scheduler: dict[str, Any]
    throughput: dict[str, Any]
    mirror: dict[str, Any]
    hub: dict[str, Any]
    webhooks: dict[str, Any]
    queues: QueuesListed
    workers: list[Worker]
    workers_active: int
    actors: Stats


async def gather(ctx: Context) -> Figures:
    actors = ctx.actors
    named = (
        "batcher",
        "envoy",
        "auditor",
        "fsm",
        "desk",
        "scheduler",
        "timekeeper",
        "throughput",
        "mirror",
        "hub",
        "webhooks",
        "proposer",
    )
    questions = [ctx.ask(getattr(actors, name), GetStatus()) for name in named]
    answers = await asyncio.gather(
        *questions,
        ctx.ask(actors.fsm, ListQueues()),
        ctx.ask(actors.fsm, ListWorkers()),
        ctx.ask(actors.desk, ListWorkers()),
    )
    statuses: dict[str, Status] = dict(zip(named, answers[: len(named)], strict=True))
    queues: QueuesListed = answers[-3]
    stored: WorkersListed = answers[-2]
    polling: WorkersListed = answers[-1]
    workers = merge(stored.workers, polling.workers)
    since_ns = ctx.clock.now_ns() - _ACTIVE_WORKER_NS
    return Figures(
        consensus=statuses["proposer"].figures,
        batcher=statuses["batcher"].figures,
        envoy=statuses["envoy"].figures,
        auditor=statuses["auditor"].figures,
        fsm=statuses["fsm"].figures,
        desk=statuses["desk"].figures,
        scheduler=statuses["scheduler"].figures | statuses["timekeeper"].figures,
        throughput=statuses["throughput"].figures,
        mirror=statuses["mirror"].figures,
        hub=statuses["hub"].figures,
        webhooks=statuses["webhooks"].figures,
        queues=queues,
        workers=workers,
        workers_active=sum(worker.last_seen_ns > since_ns for worker in workers),
        actors=ctx.system.stats(),
    )
