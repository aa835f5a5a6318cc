"""The stream, and what happens where there is no way through for it."""

import asyncio
import gc
import threading
import time

import pytest

from corvo_sdk import Worker, new_job
from corvo_sdk.errors import AnswerLost, Unreachable
from corvo_sdk.settings import settings
from corvo_sdk.worker import automatic
from corvo_sdk.worker.stream.stream import Stream, StreamRefused
from tests.sdk.facts import forever, until
from tests.sdk.hiccups import Hiccups

pytestmark = pytest.mark.slow


def port_of(server):
    return int(server.url.rpartition(":")[2])


class NoStreams(Hiccups):
    """What some proxies do: the request for a stream ends up nowhere."""

    def changed(self, data):
        return data.replace(b"POST /api/v1/stream", b"POST /api/v1/streak")


def work_through(worker, client, queue):
    @worker.task(queue)
    def handle(job):
        return job.payload

    made = client.enqueue_many([new_job(queue, n) for n in range(50)])
    with worker.running():
        return [client.result(job_id, timeout="20s") for job_id in made.job_ids]


def test_a_worker_falls_back_to_long_poll(server, client, queue, caplog):
    with NoStreams(port_of(server), chance=0.0, seed=1) as proxy:
        assert work_through(Worker(proxy.url), client, queue) == list(range(50))
    gc.collect()  # asyncio complains of what nobody looked at when it is thrown away.
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


class Fickle(Hiccups):
    """Lets the first stream through and ends it, refuses the second, and lets all others through."""

    def __init__(self, port):
        super().__init__(port, chance=0.0, seed=1)
        self.streams = 0
        self.broken = threading.Event()

    def changed(self, data):
        if b"POST /api/v1/stream" in data:
            self.streams += 1
            if self.streams == 2:
                return data.replace(b"POST /api/v1/stream", b"POST /api/v1/streak")
        elif self.streams == 1 and self.broken.is_set():
            raise OSError("broken on purpose")
        return data


def test_a_stream_that_has_worked_is_tried_again_after_it_was_refused(server, client, queue, monkeypatch):
    monkeypatch.setattr(automatic, "_AGAIN_S", 0.0)
    with Fickle(port_of(server)) as proxy:
        # What was in the answer that is lost comes back when its lease has run out.
        worker = Worker(proxy.url, lease=3)

        @worker.task(queue)
        def handle(job):
            return job.payload

        with worker.running():
            assert client.result(client.enqueue(queue, 1).job_id, "20s") == 1
            proxy.broken.set()
            assert client.result(client.enqueue(queue, 2).job_id, "20s") == 2
            until(lambda: client.enqueue(queue) and proxy.streams == 3)


def test_a_worker_that_insists_on_the_stream_goes_on_trying(server, client, queue):
    with NoStreams(port_of(server), chance=0.0, seed=1) as proxy:
        worker = Worker(proxy.url, transport="stream")
        worker.task(queue)(lambda job: None)
        with worker.running():
            until(lambda: worker.figures().get("unreachable_total", 0) > 2)


def test_a_worker_over_the_stream_makes_no_other_requests(server, client, queue):
    with Hiccups(port_of(server), chance=0.0, seed=1) as proxy:
        assert work_through(Worker(proxy.url), client, queue) == list(range(50))
        assert proxy.connections == 1


def test_a_cancelled_job_is_told_at_once_over_the_stream(server, client, queue):
    worker = Worker(server.url, lease=60)  # The next heartbeat would come in 20 s.
    began, stopped = threading.Event(), threading.Event()

    @worker.task(queue)
    async def wait(job):
        began.set()
        try:
            await forever()
        finally:
            stopped.set()

    with worker.running():
        job_id = client.enqueue(queue).job_id
        assert began.wait(20)
        asked = time.monotonic()
        client.jobs.cancel(job_id)
        assert stopped.wait(20)
        assert time.monotonic() - asked < 5


def test_an_idle_worker_stops_at_once_over_the_stream(server, client, queue):
    worker = Worker(server.url)
    worker.task(queue)(lambda job: None)
    with worker.running():
        until(lambda: queue in {name for info in client.server.workers() for name in info.queue_names})
        asked = time.monotonic()
    assert time.monotonic() - asked < 3


async def test_a_stream_says_why_it_cannot_be(server):
    nobody = Stream(settings("http://127.0.0.1:9", {}), lambda job_ids: None)
    with pytest.raises(Unreachable):
        await nobody.open({})
    elsewhere = Stream(settings(f"{server.url}/nowhere", {}), lambda job_ids: None)
    with pytest.raises(StreamRefused, match="404"):
        await elsewhere.open({})


async def test_who_waits_on_a_stream_that_breaks_is_told(server, queue):
    stream = Stream(settings(server.url, {}), lambda job_ids: None)
    await stream.open({"queues": [queue]})
    waiting = asyncio.ensure_future(stream.ask({"fetch_count": 1, "wait_ms": 20_000}, 20))
    await asyncio.sleep(0.05)

    stream.close()

    with pytest.raises(AnswerLost):
        await waiting
    with pytest.raises(AnswerLost, match="broken"):
        await stream.ask({})
