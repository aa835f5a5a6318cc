"""Node stats: everything that /metrics and /cluster/status are made of, gathered from the actors."""

import asyncio
from typing import Any

import msgspec

from corvo.actors.kernel.stats import Stats
from corvo.actors.state.questions import ListQueues, ListWorkers, QueueInfo, QueuesListed, WorkersListed
from corvo.actors.status import (
    BatcherStatus,
    EventHubStatus,
    FetchDeskStatus,
    ForwarderStatus,
    FsmStatus,
    GetStatus,
    MirrorWriterStatus,
    ProposerStatus,
    ReplicaCheckStatus,
    ScheduleFirerStatus,
    SchedulerStatus,
    ThroughputStatus,
    WebhooksStatus,
)
from corvo.core.clock import NS_PER_S
from corvo.core.limits import QUEUES_AT_ONCE
from corvo.core.namespace import ANYWHERE, Reach
from corvo.core.worker import Worker
from corvo.http.api.schema.workers import merge
from corvo.http.serve.context import EdgeContext

_ACTIVE_WORKER_NS = 300 * NS_PER_S


class ActorFigures(msgspec.Struct, frozen=True):
    """What actors answer to GetStatus; each field is named like the actor in `Actors`."""

    proposer: ProposerStatus
    batcher: BatcherStatus
    forwarder: ForwarderStatus
    replica_check: ReplicaCheckStatus
    fsm: FsmStatus
    fetch_desk: FetchDeskStatus
    scheduler: SchedulerStatus
    schedule_firer: ScheduleFirerStatus
    throughput: ThroughputStatus
    mirror_writer: MirrorWriterStatus
    event_hub: EventHubStatus
    webhooks: WebhooksStatus


class NodeStats(msgspec.Struct, frozen=True):
    of: ActorFigures
    queues: list[QueueInfo]
    workers: list[Worker]
    workers_active: int
    actors: Stats


async def every_queue(ctx: EdgeContext, reach: Reach | None) -> list[QueueInfo]:
    """All queues within reach, by name; if there are many, with others served in between."""
    listed: QueuesListed = await ctx.ask(ctx.actors.fsm, ListQueues(reach=reach))
    queues, rest = listed.queues, listed.rest
    for at in range(0, len(rest), QUEUES_AT_ONCE):
        some = ListQueues(rest[at : at + QUEUES_AT_ONCE], reach)
        more: QueuesListed = await ctx.ask(ctx.actors.fsm, some)
        queues += more.queues
    return queues


async def gather(ctx: EdgeContext, *, queues: bool) -> NodeStats:
    """`queues` says whether each queue is wanted, of which there may be many."""
    names = ActorFigures.__struct_fields__
    answers: list[Any] = await asyncio.gather(
        *(ctx.ask(getattr(ctx.actors, name), GetStatus()) for name in names),
        ctx.ask(ctx.actors.fsm, ListWorkers(ANYWHERE)),
        ctx.ask(ctx.actors.fetch_desk, ListWorkers(ANYWHERE)),
    )
    stored: WorkersListed = answers[-2]
    polling: WorkersListed = answers[-1]
    workers = merge(stored.workers, polling.workers)
    since_ns = ctx.clock.now_ns() - _ACTIVE_WORKER_NS
    return NodeStats(
        of=ActorFigures(*answers[: len(names)]),
        queues=await every_queue(ctx, ANYWHERE) if queues else [],
        workers=workers,
        workers_active=sum(worker.last_seen_ns > since_ns for worker in workers),
        actors=ctx.system.stats(),
    )
