"""Figures for machines."""

import msgspec

from corvo.actors.events.throughput import GetQueueMinutes, GetThroughput, QueueMinutesFound, ThroughputFound
from corvo.core.times import format_time_ns
from corvo.http.api import prometheus as exposition
from corvo.http.api.stats import gather
from corvo.http.serve.context import Context
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


class RuntimeBody(msgspec.Struct):
    goroutines: int
    gomaxprocs: int
    heap_inuse_bytes: int
    stack_inuse_bytes: int
    gc_pause_p99_ns: int
    cpu_user_ns: int
    cpu_sys_ns: int


@route("GET /api/v1/metrics", needs="metrics:read", tag="Metrics")
async def metrics(request: Request, ctx: Context) -> Response:
    """Metrics in the text format of Prometheus."""
    text = exposition.render(await gather(ctx), ctx.counters, ctx.conversations, ctx.gc_watch)
    return Response(200, text, content_type=b"text/plain; version=0.0.4; charset=utf-8")


@route("GET /api/v1/metrics/throughput", needs="metrics:read", returns=list[MinuteBody], tag="Metrics")
async def throughput(request: Request, ctx: Context) -> Response:
    """Jobs enqueued, completed and failed in each of the last sixty minutes, oldest first."""
    found: ThroughputFound = await ctx.ask(ctx.actors.throughput, GetThroughput())
    minutes = [
        MinuteBody(format_time_ns(m.start_ns), m.enqueued, m.completed, m.failed) for m in found.minutes
    ]
    return Response(200, _encode(minutes))


@route("GET /api/v1/metrics/throughput/queues", needs="metrics:read", returns=QueueHoursBody, tag="Metrics")
async def queue_throughput(request: Request, ctx: Context) -> Response:
    """The same for each queue in which anything happened within the hour."""
    found: QueueMinutesFound = await ctx.ask(ctx.actors.throughput, GetQueueMinutes())
    hours = {
        queue: QueueHourBody(
            [m.enqueued for m in minutes], [m.completed for m in minutes], [m.failed for m in minutes]
        )
        for queue, minutes in found.by_queue.items()
    }
    return Response(200, _encode(QueueHoursBody(format_time_ns(found.start_ns), hours)))


@route("GET /api/v1/debug/runtime", needs="debug:read", returns=RuntimeBody, tag="Metrics")
async def runtime(request: Request, ctx: Context) -> Response:
    """Figures about the process, under the names that bench tools know."""
    user_ns, system_ns = process.cpu_ns()
    body = RuntimeBody(
        goroutines=process.task_count(),
        gomaxprocs=1,
        heap_inuse_bytes=process.resident_bytes(),
        stack_inuse_bytes=0,
        gc_pause_p99_ns=ctx.gc_watch.longest_ns,
        cpu_user_ns=user_ns,
        cpu_sys_ns=system_ns,
    )
    return Response(200, _encode(body))
