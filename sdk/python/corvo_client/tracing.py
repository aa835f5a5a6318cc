"""Traces across the queue: the producer's span becomes the parent of the worker's, carried in a job's tags.

Does nothing unless OpenTelemetry is installed and a span is recording.
"""

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from corvo_client.models.claim import ClaimedJob

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


@contextmanager
def handling(job: ClaimedJob, context: object) -> Iterator[None]:  # noqa: ARG001 - all wrappings look alike
    """A span around the handler, child of the one that enqueued the job."""
    trace = importlib.import_module("opentelemetry.trace")
    parent = _propagator().extract({name: value for name, value in job.tags.items() if name in _TAGS})
    attributes = {
        "messaging.system": "corvo",
        "messaging.destination.name": job.queue,
        "messaging.message.id": job.job_id,
        "corvo.attempt": job.attempt,
    }
    tracer = trace.get_tracer("corvo_client")
    with tracer.start_as_current_span(
        f"{job.queue} process", context=parent, kind=trace.SpanKind.CONSUMER, attributes=attributes
    ):
        yield
