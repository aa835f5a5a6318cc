"""What producers do, against a real server: enqueue, wait, once."""

import dataclasses
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from corvo_sdk import new_job
from corvo_sdk.errors import (
    Ended,
    IdempotencyMismatch,
    WaitedTooLong,
)
from corvo_sdk.models.claim import Ack


@dataclasses.dataclass
class Order:
    number: int
    placed: datetime


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
