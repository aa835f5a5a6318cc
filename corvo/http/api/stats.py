"""Node stats: everything that /metrics and /cluster/status are made of, gathered from the actors."""

import asyncio
from typing import Any

import msgspec

from corvo.actors.kernel.stats import Stats
from corvo.actors.state.questions import ListQueues, ListWorkers, QueuesListed, WorkersListed
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
from corvo.core.namespace import ANYWHERE
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
    queues: QueuesListed
    workers: list[Worker]
    workers_active: int
    actors: Stats


async def gather(ctx: EdgeContext) -> NodeStats:
    names = ActorFigures.__struct_fields__
    answers: list[Any] = await asyncio.gather(
        *(ctx.ask(getattr(ctx.actors, name), GetStatus()) for name in names),
        ctx.ask(ctx.actors.fsm, ListQueues(reach=ANYWHERE)),
        ctx.ask(ctx.actors.fsm, ListWorkers(ANYWHERE)),
        ctx.ask(ctx.actors.fetch_desk, ListWorkers(ANYWHERE)),
    )
    queues: QueuesListed = answers[-3]
    stored: WorkersListed = answers[-2]
    polling: WorkersListed = answers[-1]
    workers = merge(stored.workers, polling.workers)
    since_ns = ctx.clock.now_ns() - _ACTIVE_WORKER_NS
    return NodeStats(
        of=ActorFigures(*answers[: len(names)]),
        queues=queues,
        workers=workers,
        workers_active=sum(worker.last_seen_ns > since_ns for worker in workers),
        actors=ctx.system.stats(),
    )
