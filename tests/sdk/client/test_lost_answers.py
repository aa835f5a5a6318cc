"""Answers get lost on the way. What was asked for happens once all the same."""

import socket
import threading
import time

import pytest

from corvo_sdk import Client, Retry, Worker, new_job
from corvo_sdk.errors import AnswerLost
from corvo_sdk.retrying import RetryPolicy
from tests.sdk.facts import until
from tests.sdk.hiccups import Hiccups

PATIENT = RetryPolicy(attempts=40, base_s=0.005, most_s=0.02)


@pytest.fixture
def hiccups(server):
    with Hiccups(int(server.url.rpartition(":")[2]), chance=0.12, seed=11) as proxy:
        yield proxy


def test_one_connection_serves_many_calls(server, queue):
    with (
        Hiccups(int(server.url.rpartition(":")[2]), chance=0.0, seed=1) as proxy,
        Client(proxy.url) as client,
    ):
        for _ in range(20):
            client.enqueue(queue)
        assert proxy.connections == 1


def test_a_server_that_says_nothing_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(url, timeout=0.1, retry=RetryPolicy(attempts=2, base_s=0.01)) as client:
            began = time.monotonic()
            with pytest.raises(AnswerLost, match="no answer"):
                client.enqueue("q")
            assert 0.2 <= time.monotonic() - began < 5


def test_every_enqueue_happens_once(hiccups, client, queue):
    with Client(hiccups.url, retry=PATIENT) as shaky:
        made = [shaky.enqueue(queue, {"n": n}).job_id for n in range(30)]

    assert hiccups.lost > 2
    assert len(set(made)) == 30
    assert client.queues.get(queue).enqueued == 30
    assert [job.payload["n"] for job in client.jobs.get_many(made)] == list(range(30))


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stream", "long-poll"])
def test_every_verdict_is_heard_and_counts_once(hiccups, client, queue, transport):
    worker = Worker(hiccups.url, concurrency=4, lease=3, transport=transport)

    @worker.task(queue)
    def handle(job, ctx):
        if job.payload["n"] % 5 == 0 and ctx.attempt == 1:
            raise Retry("not at once", after="0")
        return ctx.lease_token

    made = [client.enqueue(queue, {"n": n}, max_retries=50).job_id for n in range(30)]
    with worker.running():
        # Jobs in an answer that was lost come back when their lease has run out.
        until(lambda: client.queues.get(queue).completed == 30, seconds=60)
        until(lambda: worker.figures()["in_hand"] == 0)

    info = client.queues.get(queue)
    assert hiccups.lost > 2
    assert (info.completed_total, info.pending, info.active, info.retrying) == (30, 0, 0, 0)
    for job in client.jobs.get_many(made):
        assert [event.type for event in client.jobs.history(job.id).events].count("completed") == 1


@pytest.mark.slow
def test_events_are_neither_missed_nor_repeated_when_the_connection_breaks(hiccups, client, queue):
    made = []
    with Client(hiccups.url) as shaky:
        events = shaky.events(after=0, queues=[queue])
        for _ in range(15):
            made += client.enqueue_many([new_job(queue)] * 3).job_ids
            assert [next(events).job_id for _ in range(3)] == made[-3:]
        events.close()

    assert hiccups.connections > 1


def test_a_connection_that_breaks_before_the_first_event_costs_none(server, client, queue):
    with (
        Breaking(int(server.url.rpartition(":")[2]), chance=0.0, seed=1) as proxy,
        Client(proxy.url) as shaky,
    ):
        client.enqueue(queue)
        heard = []
        listening = threading.Thread(target=lambda: heard.append(next(shaky.events(queues=[queue]))))
        listening.start()
        assert proxy.listening.wait(20)
        proxy.open = False
        made = client.enqueue(queue).job_id
        proxy.open = True
        listening.join(20)

    assert [event.job_id for event in heard] == [made]


class Breaking(Hiccups):
    """Breaks a stream of events as soon as it has begun, until it is told to let them through."""

    def __init__(self, port, **options):
        super().__init__(port, **options)
        self.open = True
        self.listening = threading.Event()

    def changed(self, data):
        if b"text/event-stream" in data and not self.listening.is_set():
            self.listening.set()
            raise OSError("broken on purpose")
        if not self.open:
            raise OSError("broken on purpose")
        return data
