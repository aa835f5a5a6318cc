"""The client against a real server: every family of calls, in both kinds."""

import dataclasses
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from corvo_client import AsyncClient, Client, new_job
from corvo_client.errors import (
    CancelRefused,
    Conflict,
    Ended,
    IdempotencyMismatch,
    LeaseLost,
    NotFound,
    PayloadTooLarge,
    RetryRefused,
    Unreachable,
    ValidationFailed,
    WaitedTooLong,
    WebhookRefused,
)
from corvo_client.models.claim import Ack, Beat
from corvo_client.retrying import NO_RETRIES, RetryPolicy


@dataclasses.dataclass
class Order:
    number: int
    placed: datetime


# Producing


def test_a_job_carries_what_was_said_of_it(client, queue):
    at = datetime(2200, 1, 1, tzinfo=UTC)
    enqueued = client.enqueue(
        queue,
        {"to": "you"},
        priority="high",
        at=at,
        unique_key="k",
        max_retries=7,
        retry_backoff="fixed",
        retry_base_delay=timedelta(seconds=2),
        retry_jitter=0.5,
        expire_after="3h",
        tags={"team": "mail"},
        checkpoint=[1],
        group="g",
    )

    job = client.get(enqueued.job_id)

    assert (job.state, job.payload, job.priority, job.max_retries) == ("scheduled", {"to": "you"}, 1, 7)
    assert (job.retry_backoff, job.retry_base_delay_ms, job.retry_jitter) == ("fixed", 2_000, 0.5)
    assert (job.unique_key, job.tags, job.checkpoint, job.group) == ("k", {"team": "mail"}, [1], "g")
    assert abs(job.scheduled_at - at) < timedelta(milliseconds=1)
    assert job.expire_at < at


def test_a_payload_may_be_a_dataclass_with_times_in_it(client, queue):
    placed = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)

    enqueued = client.enqueue(queue, Order(7, placed), delay=30)

    job = client.get(enqueued.job_id)
    assert job.payload == {"number": 7, "placed": "2026-01-02T03:04:05Z"}
    assert job.state == "scheduled"


def test_a_payload_is_read_as_what_it_was(client, queue):
    order = Order(7, datetime(2026, 1, 2, tzinfo=UTC))
    client.enqueue(queue, order)
    (job,) = client.protocol.fetch([queue])

    assert job.payload_as(Order) == order
    assert client.get(job.job_id).payload_as(Order) == order


def test_a_time_without_a_zone_is_refused_before_it_is_sent(client, queue):
    with pytest.raises(ValueError, match="time zone"):
        client.enqueue(queue, at=datetime(2026, 1, 1))  # noqa: DTZ001 - that is the point


def test_a_unique_key_gives_the_job_that_holds_it(client, queue):
    first = client.enqueue(queue, unique_key="once")
    second = client.enqueue(queue, unique_key="once")

    assert second.unique_existing
    assert second.job_id == first.job_id


def test_many_jobs_come_in_order_and_end_in_a_callback(client, queue):
    made = client.enqueue_many(
        [new_job(queue, {"n": n}) for n in range(5)],
        callback_queue=f"{queue}-done",
        callback_payload={"a": 1},
    )

    assert [job.payload["n"] for job in client.jobs.get_many(made.job_ids)] == [0, 1, 2, 3, 4]
    for job in client.protocol.fetch([queue], count=5):
        client.protocol.ack(Ack(job_id=job.job_id, lease_token=job.lease_token))
    batch = client.batches.get(made.batch_id)
    assert (batch.total, batch.succeeded, batch.sealed) == (5, 5, True)
    callback = client.get(batch.callback_job_id)
    assert callback.payload["a"] == 1
    assert callback.queue == f"{queue}-done"


def test_an_open_batch_ends_when_it_is_sealed(client, queue):
    batch_id = client.batches.open(f"{queue}-done")
    client.enqueue(queue, batch_id=batch_id)
    (job,) = client.protocol.fetch([queue])
    client.protocol.ack(Ack(job_id=job.job_id, lease_token=job.lease_token))

    sealed = client.batches.seal(batch_id)

    assert sealed.callback_job.queue == f"{queue}-done"


def test_a_chain_hands_results_on(client, queue):
    first = client.enqueue_chain([(queue, {"a": 1}), (f"{queue}-2", {"b": 2})], on_failure=f"{queue}-sorry")
    (job,) = client.protocol.fetch([queue])
    client.protocol.ack(Ack(job_id=job.job_id, lease_token=job.lease_token, result={"sum": 3}))

    (then,) = client.protocol.fetch([f"{queue}-2"])

    assert then.payload == {"b": 2, "previous_job_id": first.job_id, "previous_result": {"sum": 3}}
    assert then.chain_id == client.get(first.job_id).chain_id


def test_the_same_key_happens_once(client, queue):
    key = uuid.uuid4().hex
    first = client.enqueue(queue, {"n": 1}, idempotency_key=key)
    again = client.enqueue(queue, {"n": 1}, idempotency_key=key)

    assert again.job_id == first.job_id
    assert client.queues.get(queue).pending == 1
    with pytest.raises(IdempotencyMismatch):
        client.enqueue(queue, {"n": 2}, idempotency_key=key)


# Waiting


def test_a_result_is_waited_for_and_a_dead_job_says_why(client, queue):
    good, bad = client.enqueue(queue), client.enqueue(queue)
    first, second = client.protocol.fetch([queue], count=2)
    client.protocol.ack(Ack(job_id=first.job_id, lease_token=first.lease_token, result=[1, 2]))
    client.protocol.fail(second.job_id, "no luck", lease_token=second.lease_token, retry=False)

    assert client.result(good.job_id, timeout="5s") == [1, 2]
    with pytest.raises(Ended, match="no luck") as ended:
        client.result(bad.job_id, timeout="5s")
    assert ended.value.job.errors[0].error == "no luck"


def test_a_wait_that_is_over_says_what_the_job_is(client, queue):
    enqueued = client.enqueue(queue)
    with pytest.raises(WaitedTooLong, match="still pending"):
        client.wait(enqueued.job_id, timeout="50ms")


# Single jobs


def test_people_can_do_to_a_job_what_the_server_allows(client, queue):
    job_id = client.enqueue(queue).job_id

    assert client.jobs.hold(job_id, "look at it") == "held"
    assert client.get(job_id).hold_reason == "look at it"
    assert client.jobs.approve(job_id) == "pending"
    assert client.jobs.change_priority(job_id, "critical") == "changed"
    assert client.jobs.move(job_id, f"{queue}-2") == "moved"
    assert client.jobs.cancel(job_id) == "cancelled"
    assert client.jobs.retry(job_id) == "retried"
    assert client.jobs.hold(job_id) == "held"
    assert client.jobs.reject(job_id, "no") == "dead"
    assert client.jobs.delete(job_id) == "deleted"
    with pytest.raises(NotFound):
        client.get(job_id)


def test_what_is_not_possible_is_an_error_of_its_own_kind(client, queue):
    job_id = client.enqueue(queue).job_id
    with pytest.raises(RetryRefused) as refused:
        client.jobs.retry(job_id)
    assert refused.value.status == 400
    assert refused.value.hint
    assert refused.value.request_id
    client.jobs.cancel(job_id)
    with pytest.raises(CancelRefused):
        client.jobs.cancel(job_id)


def test_a_job_explains_itself_and_has_a_history(client, queue):
    client.queues.pause(queue)
    job_id = client.enqueue(queue).job_id

    why = client.jobs.why(job_id)
    history = client.jobs.history(job_id)

    assert "paused" in {reason.code for reason in why.reasons}
    assert [event.type for event in history.events] == ["enqueued"]


# Finding


def test_jobs_are_found_by_filter_page_by_page(client, queue):
    client.enqueue_many([new_job(queue, {"n": n}, tags={"odd": str(n % 2)}) for n in range(7)])

    page = client.jobs.search(queue=queue, state="pending", limit=3)
    odd = list(client.jobs.find(queue=queue, tags={"odd": "1"}, payload_jq=".n > 1", order="asc"))

    assert (page.total, len(page.jobs), page.has_more) == (7, 3, True)
    assert len(client.jobs.search(queue=queue, state="pending", cursor=page.cursor).jobs) == 4
    assert [job.payload["n"] for job in odd] == [3, 5]
    with pytest.raises(ValidationFailed):
        client.jobs.search(payload_jq="nonsense")


def test_many_jobs_are_changed_at_once(client, queue):
    made = client.enqueue_many([new_job(queue, {"n": n}) for n in range(4)])

    dry = client.bulk("cancel", filter={"queue": queue}, dry_run=True)
    assert client.queues.get(queue).pending == 4
    done = client.bulk("cancel", job_ids=made.job_ids[:3])
    begun = client.bulk("move", filter={"queue": queue}, move_to_queue=f"{queue}-2", background=True)
    task = client.bulk.wait(begun.bulk_operation_id)

    assert (dry.dry_run, dry.count, dry.by_state, len(dry.sample)) == (True, 4, {"pending": 4}, 4)
    assert (done.affected, client.queues.get(queue).cancelled) == (3, 0)
    assert (task.status, task.total) == ("completed", 4)
    assert client.queues.get(f"{queue}-2").pending == 1


def test_a_bulk_task_tells_how_far_it_is(client, queue):
    client.enqueue_many([new_job(queue) for _ in range(30)])
    begun = client.bulk("delete", filter={"queue": queue}, background=True, rate=1_000)

    last = list(client.bulk.progress(begun.bulk_operation_id))[-1]

    assert (last.status, last.processed) == ("completed", 30)
    assert begun.bulk_operation_id in {task.id for task in client.bulk.all()}


def test_dead_jobs_and_words_are_found(client, queue):
    job_id = client.enqueue(queue, {"note": f"raven{queue}"}).job_id
    (job,) = client.protocol.fetch([queue])
    client.protocol.fail(job.job_id, "no", lease_token=job.lease_token, retry=False)

    assert [job.id for job in client.jobs.dead(queue).jobs] == [job_id]
    assert [found.id for found in client.jobs.full_text(f"raven{queue}")] == [job_id]


# Schedules


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


# Queues


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


# Events and the server


def test_events_are_followed_from_where_one_was(client, queue):
    job_id = client.enqueue(queue).job_id
    client.jobs.cancel(job_id)

    events = client.events(after=0, job_ids=[job_id])
    first = next(events)
    events.close()
    second = next(client.events(after=first.seq, job_ids=[job_id]))

    assert (first.type, second.type) == ("enqueued", "cancelled")


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


# The worker protocol


def test_only_the_holder_of_the_lease_is_heard(client, queue):
    client.enqueue(queue)
    (job,) = client.protocol.fetch([queue])
    pulses = client.protocol.heartbeat({job.job_id: Beat(lease_token=job.lease_token, progress=1)})
    assert pulses.jobs[job.job_id].status == "ok"

    client.protocol.release(job.job_id, lease_token=job.lease_token, checkpoint={"at": 3})
    (again,) = client.protocol.fetch([queue])

    assert again.checkpoint == {"at": 3}
    assert again.lease_version > job.lease_version
    assert again.attempt == 1
    with pytest.raises(LeaseLost):
        client.protocol.ack(Ack(job_id=job.job_id, lease_token=job.lease_token))
    lost = client.protocol.heartbeat({job.job_id: Beat(lease_token=job.lease_token)})
    assert lost.jobs[job.job_id].status == "cancel"


def test_a_repeated_ack_is_answered_like_the_first(client, queue):
    client.enqueue(queue)
    (job,) = client.protocol.fetch([queue])
    ack = Ack(job_id=job.job_id, lease_token=job.lease_token)

    assert not client.protocol.ack(ack).duplicate
    assert client.protocol.ack(ack).duplicate
    assert client.protocol.ack_many([ack]).results[0].duplicate


# Trouble


def test_a_payload_that_is_too_large_is_an_error_of_its_own(client, queue):
    with pytest.raises(PayloadTooLarge):
        client.enqueue(queue, "x" * 300_000)


def test_a_server_that_is_not_there_is_unreachable():
    with Client("http://127.0.0.1:9", retry=NO_RETRIES) as client, pytest.raises(Unreachable):
        client.enqueue("q")


def test_the_environment_says_where_the_server_is(monkeypatch, server, queue):
    monkeypatch.setenv("CORVO_URL", server.url)
    with Client() as client:
        assert client.url == server.url
        assert client.enqueue(queue).job_id


# asyncio


async def test_the_asyncio_client_speaks_the_same(server, queue):
    async with AsyncClient(server.url, retry=RetryPolicy(attempts=2)) as client:
        enqueued = await client.enqueue(queue, {"n": 1})
        (job,) = await client.protocol.fetch([queue])
        await client.protocol.ack(Ack(job_id=job.job_id, lease_token=job.lease_token, result="done"))
        found = [job async for job in client.jobs.find(queue=queue)]
        stream = client.events(after=0, job_ids=[enqueued.job_id])
        types = [(await anext(stream)).type for _ in range(3)]
        await stream.aclose()

        assert await client.result(enqueued.job_id) == "done"
        assert [job.id for job in found] == [enqueued.job_id]
        assert types == ["enqueued", "started", "completed"]
