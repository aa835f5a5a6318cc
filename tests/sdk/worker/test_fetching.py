"""How many jobs a worker takes, and what it does with a job it gets twice."""

import threading

import pytest

from corvo_sdk import Worker, new_job
from corvo_sdk.models.claim import Ack, ClaimedJob
from corvo_sdk.worker.fetcher import Fetcher
from corvo_sdk.worker.hand import Hand
from corvo_sdk.worker.held import Held, Stage
from corvo_sdk.worker.judging import Decided
from corvo_sdk.worker.metrics import Metrics
from tests.sdk.facts import until


def claimed(job_id="j", token="1", version=1):
    return ClaimedJob(
        job_id=job_id, queue="q", attempt=1, max_retries=3, lease_token=token, lease_version=version
    )


@pytest.fixture
def fetcher():
    return Fetcher(["q"], 8, Hand(), None, lambda held: None, Metrics())


def through(seconds):
    """A handler took this long."""
    held = Held(claimed(), 0.0)
    return Decided(held, Ack(job_id="j"), seconds)


def test_slow_handlers_hoard_nothing(fetcher):
    for _ in range(200):
        fetcher.note(through(2.0))
    assert fetcher.target == 8


def test_quick_handlers_are_never_out_of_work(fetcher):
    for _ in range(400):
        fetcher.note(through(0.001))
    assert 200 < fetcher.target <= 8 + 512
    for _ in range(400):
        fetcher.note(through(0.0))
    assert fetcher.target == 8 + 512


def test_a_worker_with_slow_handlers_leaves_the_rest_to_others(server, client, queue):
    worker = Worker(server.url, concurrency=3)
    go_on = threading.Event()

    @worker.task(queue)
    def slow(job):
        go_on.wait(20)

    client.enqueue_many([new_job(queue) for _ in range(20)])
    with worker.running():
        until(lambda: worker.figures().get("running") == 3)
        assert (client.queues.get(queue).active, client.queues.get(queue).pending) == (3, 17)
        worker.stop()
        go_on.set()

    assert client.queues.get(queue).active == 0


def test_slow_functions_do_not_keep_coroutines_from_work(server, client, queue):
    worker = Worker(server.url, concurrency=2)
    go_on = threading.Event()

    @worker.task(queue)
    def slow(job):
        go_on.wait(20)

    @worker.task(f"{queue}-quick")
    async def quick(job):
        return 1

    client.enqueue_many([new_job(queue) for _ in range(10)])
    with worker.running():
        until(lambda: worker.figures().get("running") == 2)
        job = client.enqueue(f"{queue}-quick")
        assert client.result(job.job_id, timeout="10s") == 1
        go_on.set()


def test_a_newer_lease_of_the_same_job_ends_the_older():
    hand = Hand()
    older = hand.take(claimed(token="1", version=1), 0.0)
    newer = hand.take(claimed(token="2", version=2), 0.0)

    assert older.lost == "lease_lost"
    assert hand.leases() == [newer]
    hand.drop(older)
    assert hand.leases() == [newer]
    assert len(hand) == 1


def test_a_verdict_is_not_taken_back_by_a_heartbeat():
    hand = Hand()
    held = hand.take(claimed(), 0.0)
    hand.decide(held)

    held.lose("cancelled")

    assert (held.stage, held.lost, hand.decided) == (Stage.DECIDED, None, 1)
    hand.drop(held)
    hand.drop(held)
    assert (len(hand), hand.decided) == (0, 0)
