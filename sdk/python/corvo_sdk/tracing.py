"""Traces across the queue: the producer's span becomes the parent of the worker's, carried in a job's tags.

Does nothing unless OpenTelemetry is installed and a span is recording.
"""

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from corvo_sdk.models.claim import ClaimedJob

#: W3C trace context; the names are the tags' names.
_TAGS = ("traceparent", "tracestate")
#: Longer tags are refused by the server.
_TAG_BYTES_MAX = 256


@cache
def installed() -> bool:
    return importlib.util.find_spec("opentelemetry") is not None


@cache
def _propagator() -> Any:
    """Imported late, because most programs have no use for it."""
    return importlib.import_module(
        "opentelemetry.trace.propagation.tracecontext"
    ).TraceContextTextMapPropagator()


def carry(tags: Mapping[str, str] | None) -> dict[str, str]:
    """The tags, with the current trace among them if there is one."""
    carried: dict[str, str] = {}
    if installed():
        _propagator().inject(carried)
    fitting = {name: value for name, value in carried.items() if len(value.encode()) <= _TAG_BYTES_MAX}
    return fitting | dict(tags or {})


def wrapping() -> Callable[[ClaimedJob, object], AbstractContextManager[Any]]:
    """Puts a span around each handler, child of the one that enqueued the job.

    Whether anybody records spans is looked up here, once: set the tracer provider before the worker runs. If
    nobody does, only jobs that carry a trace are wrapped, so that it goes on through what they enqueue.
    """
    trace = importlib.import_module("opentelemetry.trace")
    records = not isinstance(
        trace.get_tracer_provider(), trace.ProxyTracerProvider | trace.NoOpTracerProvider
    )
    tracer = trace.get_tracer("corvo_sdk")
    nothing: AbstractContextManager[None] = nullcontext()

    def handling(job: ClaimedJob, _: object) -> AbstractContextManager[Any]:
        if not records and "traceparent" not in job.tags:
            return nothing
        parent = _propagator().extract({name: value for name, value in job.tags.items() if name in _TAGS})
        attributes = {
            "messaging.system": "corvo",
            "messaging.destination.name": job.queue,
            "messaging.message.id": job.job_id,
            "corvo.attempt": job.attempt,
        }
        span: AbstractContextManager[Any] = tracer.start_as_current_span(
            f"{job.queue} process", context=parent, kind=trace.SpanKind.CONSUMER, attributes=attributes
        )
        return span

    return handling
