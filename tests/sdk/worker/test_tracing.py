"""A trace goes on where the job is handled."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from corvo_sdk import Worker


@pytest.fixture
def spans(monkeypatch):
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    return exporter


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_the_handlers_span_is_a_child_of_the_producers(spans, server, client, queue, kind):
    worker = Worker(server.url)
    current = []

    if kind == "sync":

        @worker.task(queue)
        def handle(job):
            current.append(trace.get_current_span().get_span_context().trace_id)
    else:

        @worker.task(queue)
        async def handle(job):
            current.append(trace.get_current_span().get_span_context().trace_id)

    tracer = trace.get_tracer("test")
    with worker.running():
        with tracer.start_as_current_span("producer") as producer:
            enqueued = client.enqueue(queue, tags={"a": "b"})
        job = client.wait(enqueued.job_id, timeout="20s")

    assert set(job.tags) == {"a", "traceparent"}
    (consumer,) = [span for span in spans.get_finished_spans() if span.name == f"{queue} process"]
    assert consumer.parent.span_id == producer.get_span_context().span_id
    assert consumer.attributes["messaging.message.id"] == enqueued.job_id
    assert current == [producer.get_span_context().trace_id]


def test_without_a_span_the_tags_stay_as_they_are(client, queue):
    assert client.get(client.enqueue(queue).job_id).tags == {}


def test_where_nobody_records_a_trace_still_goes_through(server, client, queue):
    """A worker without a tracer of its own hands on what it got, and wraps nothing else."""
    worker = Worker(server.url)
    current = []

    @worker.task(queue)
    def handle(job):
        current.append(trace.get_current_span().get_span_context().trace_id)

    tags = {"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"}
    with worker.running():
        for given in ({}, tags):
            client.wait(client.enqueue(queue, tags=given).job_id, timeout="20s")
    assert current == [0, int("ab" * 16, 16)]
