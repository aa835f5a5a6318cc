"""Metrics: for Prometheus, for the charts of the web UI, and about the process."""

from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from corvo.actors.events.messages import GetQueueMinutes, GetThroughput, QueueMinutesFound, ThroughputFound
from corvo.core.limits import QUEUES_AT_ONCE
from corvo.core.namespace import name_of
from corvo.core.times import format_time_ns
from corvo.http.api import prometheus, seal_metrics
from corvo.http.api.stats import every_queue, gather
from corvo.http.serve.access.queue_access import sees_everything
from corvo.http.serve.context import EdgeContext
from corvo.http.serve.off_loop import off_loop
from corvo.http.serve.route import route
from corvo.http.wire.message import Request, Response
from corvo.observe import process

_encode = msgspec.json.Encoder().encode


class MinuteBody(msgspec.Struct):
    minute: str
    enqueued: int
    completed: int
    failed: int


class QueueHourBody(msgspec.Struct):
    """Sixty minutes, oldest first."""

    enqueued: list[int]
    completed: list[int]
    failed: list[int]


class QueueHoursBody(msgspec.Struct):
    #: When the first of the sixty minutes began.
    start: str
    queues: dict[str, QueueHourBody]


def _said(text: str) -> Meta:
    return Meta(description=text)


def _old_name(of: str) -> Meta:
    return Meta(description=f"Old name of `{of}`.", extra_json_schema={"deprecated": True})


class RuntimeBody(msgspec.Struct):
    tasks: Annotated[int, _said("Tasks on the event loop.")]
    parallelism: Annotated[
        int, _said("Threads that run Python code at the same time: one, because of the interpreter's lock.")
    ]
    heap_inuse_bytes: Annotated[int, _said("Resident memory.")]
    stack_inuse_bytes: Annotated[int, _said("Always 0: Python does not count it.")]
    gc_pause_p99_ns: Annotated[int, _said("The longest pause of the garbage collector so far.")]
    cpu_user_ns: Annotated[int, _said("Time the process has spent in its own code.")]
    cpu_sys_ns: Annotated[int, _said("Time the process has spent in the kernel.")]
    # Bench tools that are not in this repository read these.
    goroutines: Annotated[int, _old_name("tasks")]
    gomaxprocs: Annotated[int, _old_name("parallelism")]


@route("GET /api/v1/metrics", needs="metrics:read", tag="Metrics")
async def metrics(request: Request, ctx: EdgeContext) -> Response:
    """Metrics in the text format of Prometheus. A client of one namespace gets those of its queues only."""
    if sees_everything(request):
        figures = await gather(ctx, queues=True)
        queues = figures.queues
        collected = prometheus.collect(figures, ctx.counters, ctx.open_streams, ctx.gc_watch)
        sealed = seal_metrics.render(ctx.sealing.keyring.tally)
    else:
        # How its queues are doing, and nothing of the node.
        queues, collected, sealed = await every_queue(ctx, request.reach), [], b""
    text = await off_loop(partial(prometheus.render, collected, queues), len(queues))
    return Response(200, text + sealed, content_type=b"text/plain; version=0.0.4; charset=utf-8")


@route("GET /metrics", needs="metrics:read", tag="Metrics")
async def prometheus_metrics(request: Request, ctx: EdgeContext) -> Response:
    """Metrics in the text format of Prometheus, at the path that Prometheus asks unless told otherwise.

    The answer is that of `/api/v1/metrics`.
    """
    return await metrics(request, ctx)


@route("GET /api/v1/metrics/throughput", needs="metrics:read", returns=list[MinuteBody], tag="Metrics")
async def throughput(request: Request, ctx: EdgeContext) -> Response:
    """Jobs enqueued, completed and failed in each of the last sixty minutes, oldest first."""
    found: ThroughputFound = await ctx.ask(ctx.actors.throughput, GetThroughput(request.reach))
    minutes = [
        MinuteBody(format_time_ns(m.start_ns), m.enqueued, m.completed, m.failed) for m in found.minutes
    ]
    return Response(200, _encode(minutes))


@route("GET /api/v1/metrics/throughput/queues", needs="metrics:read", returns=QueueHoursBody, tag="Metrics")
async def queue_throughput(request: Request, ctx: EdgeContext) -> Response:
    """Jobs enqueued, completed and failed in each of the last sixty minutes, by queue.

    Queues in which nothing happened within the hour are left out.
    """
    found: QueueMinutesFound = await ctx.ask(ctx.actors.throughput, GetQueueMinutes(request.reach))
    for at in range(0, len(found.rest), QUEUES_AT_ONCE):
        some = GetQueueMinutes(request.reach, found.rest[at : at + QUEUES_AT_ONCE], found.now_ns)
        more: QueueMinutesFound = await ctx.ask(ctx.actors.throughput, some)
        found.by_queue.update(more.by_queue)
    return Response(200, await off_loop(partial(_hours, found), len(found.by_queue)))


def _hours(found: QueueMinutesFound) -> bytes:
    hours: dict[str, QueueHourBody] = {
        name_of(queue): QueueHourBody(
            [m.enqueued for m in minutes], [m.completed for m in minutes], [m.failed for m in minutes]
        )
        for queue, minutes in found.by_queue.items()
    }
    return _encode(QueueHoursBody(format_time_ns(found.start_ns), hours))


@route("GET /api/v1/debug/runtime", needs="debug:read", returns=RuntimeBody, tag="Metrics")
async def runtime(request: Request, ctx: EdgeContext) -> Response:
    """Figures about the process of the node."""
    user_ns, system_ns = process.cpu_ns()
    tasks = process.task_count()
    body = RuntimeBody(
        tasks=tasks,
        parallelism=1,
        heap_inuse_bytes=process.resident_bytes(),
        stack_inuse_bytes=0,
        gc_pause_p99_ns=ctx.gc_watch.longest_ns,
        cpu_user_ns=user_ns,
        cpu_sys_ns=system_ns,
        goroutines=tasks,
        gomaxprocs=1,
    )
    return Response(200, _encode(body))
