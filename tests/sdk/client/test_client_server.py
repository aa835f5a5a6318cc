"""Schedules, webhooks, queues, events and the server itself, through the client."""

from datetime import timedelta

import pytest

from corvo_sdk import new_job
from corvo_sdk.errors import (
    Conflict,
    NotFound,
    ValidationFailed,
    WebhookRefused,
)


def test_a_schedule_is_made_changed_run_and_removed(client, queue):
    made = client.schedules.create(
        f"nightly {queue}", queue, "30 3 * * *", timezone="Europe/Berlin", payload={"n": 1}, expire_after="1h"
    )
    assert (made.enabled, made.timezone, made.payload) == (True, "Europe/Berlin", {"n": 1})
    with pytest.raises(Conflict):
        client.schedules.create(made.name, queue, "@daily")

    changed = client.schedules.update(made.id, cron="0 4 * * *", misfire="skip", version=made.version)
    assert (changed.cron, changed.misfire, changed.version > made.version) == ("0 4 * * *", "skip", True)
    assert not client.schedules.disable(made.name).enabled
    assert client.schedules.enable(made.id).next_run is not None
    assert client.get(client.schedules.run(made.id).job_id).payload == {"n": 1}
    assert len(client.schedules.next_runs(made.id, n=3).runs) == 3
    assert made.id in {schedule.id for schedule in client.schedules.all()}

    client.schedules.delete(made.id)
    with pytest.raises(NotFound):
        client.schedules.get(made.id)


def test_an_expression_is_looked_at_before_it_is_used(client):
    preview = client.schedules.preview(
        "30 2 * * *", timezone="Europe/Berlin", n=2, after="2026-03-28T12:00:00Z", dst_gap="skip"
    )
    assert [run.local[:10] for run in preview.runs] == ["2026-03-30", "2026-03-31"]
    with pytest.raises(ValidationFailed):
        client.schedules.preview("nonsense")


def test_a_webhook_is_made_switched_and_removed(client):
    webhook_id = client.webhooks.put("https://example.com/hook", events=["dead"], secret="s", enabled=False)
    assert client.webhooks.get(webhook_id).events == ["dead"]
    assert client.webhooks.get(webhook_id).has_secret

    client.webhooks.put("https://example.com/other", webhook_id=webhook_id, enabled=False)
    client.webhooks.enable(webhook_id, from_now=True)
    assert client.webhooks.get(webhook_id).enabled
    client.webhooks.disable(webhook_id)
    assert [hook.url for hook in client.webhooks.all()] == ["https://example.com/other"]
    assert client.webhooks.deliveries(webhook_id) == []
    assert client.webhooks.rewind(webhook_id, 1).from_seq == 1

    client.webhooks.delete(webhook_id)
    with pytest.raises(NotFound):
        client.webhooks.get(webhook_id)
    with pytest.raises(WebhookRefused):
        client.webhooks.put("ftp://example.com")


def test_a_job_shows_its_relatives(client, queue):
    parent = client.enqueue(queue).job_id
    child = client.enqueue(queue, depends_on=[parent]).job_id

    graph = client.jobs.graph(child)

    assert {node.id for node in graph.nodes} == {parent, child}
    assert (graph.edges[0].source, graph.edges[0].target) == (parent, child)


def test_a_queue_is_paused_limited_throttled_drained_cleared_and_destroyed(client, queue):
    client.enqueue_many([new_job(queue) for _ in range(3)])
    client.queues.limit(queue, 1)
    assert len(client.protocol.fetch([queue], count=3)) == 1
    client.queues.limit(queue, None)
    client.queues.throttle(queue, 5, "1m")
    info = client.queues.get(queue)
    assert (info.rate_limit, info.rate_window_ms, info.max_concurrency) == (5, 60_000, None)
    client.queues.unthrottle(queue)
    client.queues.pause(queue)
    client.queues.resume(queue)

    assert client.queues.drain(queue, wait="20ms").active == 1
    assert queue in {q.name for q in client.queues.all()}
    assert client.queues.clear(queue) == 2
    assert client.queues.destroy(queue) == 1
    with pytest.raises(NotFound):
        client.queues.get(queue)


def test_a_queue_may_have_any_name_that_the_server_takes(client):
    name = "späte post?#% &+"
    client.enqueue(name)
    assert client.queues.get(name).pending == 1


def test_events_are_followed_from_where_one_was(client, queue):
    job_id = client.enqueue(queue).job_id
    client.jobs.cancel(job_id)

    events = client.events(after=0, job_ids=[job_id])
    first = next(events)
    events.close()
    second = next(client.events(after=first.seq, job_ids=[job_id]))

    assert (first.type, second.type) == ("enqueued", "cancelled")


def test_events_of_a_queue_with_a_comma_in_its_name_are_followed(client, queue):
    for name in (queue, "x", f"{queue},x"):
        client.enqueue(name)
    assert next(client.events(after=0, queues=[f"{queue},x"])).queue == f"{queue},x"


def test_the_server_tells_about_itself(client, queue):
    client.enqueue_many([new_job(queue)] * 2)
    client.protocol.fetch([queue], worker_id=f"w-{queue}")

    assert client.server.info().api_version
    assert client.server.health().status == "ok"
    assert f"w-{queue}" in {worker.id for worker in client.server.workers()}
    assert len(client.server.throughput()) == 60
    assert client.server.queue_throughput().start
    batch_id = client.batches.open("done")
    assert client.batches.page().batches[0].id == batch_id
    assert client.server.cluster()["nodes"]
    assert "corvo_queue_jobs" in client.server.metrics()
    assert client.server.runtime()
    assert client.server.check()["problems"] == []
    assert client.server.rebuild_search()["status"] == "ok"
    first, second = client.server.events(limit=2)
    assert client.server.events(after=first.seq, limit=1)[0].seq == second.seq


def test_who_changed_what_is_read_page_by_page_and_all_at_once(client):
    for _ in range(3):
        client.queues.pause("audited")
    wanted = {"path_prefix": "/api/v1/queues/audited", "method": "POST"}
    page = client.audit.page(limit=2, **wanted)
    rest = client.audit.page(limit=2, cursor=page.cursor, **wanted)
    records = [*page.audit_logs, *rest.audit_logs]
    assert [record.principal for record in records] == ["anonymous"] * 3
    assert [record.outcome for record in records] == ["done"] * 3
    assert list(client.audit.export(**wanted)) == records
    assert list(client.audit.export(until=records[-1].created_at - timedelta(milliseconds=1), **wanted)) == []
