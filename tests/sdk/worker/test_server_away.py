"""A server that goes away and comes back: workers and clients sit it out."""

import threading
import time

import pytest

from corvo.testing import LocalServer
from corvo_sdk import Client, Worker
from corvo_sdk.retrying import RetryPolicy
from tests.sdk.facts import forever, until
from tests.sdk.hiccups import Hiccups


def settings(folder, address="127.0.0.1:0"):
    return {"data_dir": str(folder), "bind": address}


def test_a_result_is_kept_until_the_server_is_back(tmp_path):
    began, go_on = threading.Event(), threading.Event()
    with LocalServer(**settings(tmp_path)) as server:
        url, address = server.url, server.url.removeprefix("http://")
        worker = Worker(url, lease=10)

        @worker.task("q")
        def handle(job, ctx):
            began.set()
            go_on.wait(20)
            return ctx.attempt

        with Client(url) as client:
            job_id = client.enqueue("q").job_id
        running = worker.running()
        running.__enter__()
        assert began.wait(20)
    go_on.set()
    until(lambda: worker.figures()["unconfirmed"] == 1)
    until(lambda: worker.figures()["unreachable_total"] > 1)

    with LocalServer(**settings(tmp_path, address)), Client(url) as client:
        job = client.wait(job_id, timeout="20s")
        running.__exit__(None, None, None)

    assert (job.state, job.result, job.lease_version) == ("completed", 1, 1)


def test_a_write_is_sent_again_until_the_server_is_back_and_happens_once(tmp_path):
    with LocalServer(**settings(tmp_path)) as server:
        url, address = server.url, server.url.removeprefix("http://")
    answers = []

    def enqueue():
        with Client(url, retry=RetryPolicy(attempts=200, base_s=0.02, most_s=0.1)) as client:
            answers.append(client.enqueue("q", {"n": 1}))

    thread = threading.Thread(target=enqueue)
    thread.start()
    with LocalServer(**settings(tmp_path, address)), Client(url) as client:
        thread.join(20)
        assert client.queues.get("q").enqueued == 1
        assert client.get(answers[0].job_id).state == "pending"


@pytest.mark.slow
def test_a_lease_that_nobody_confirms_is_given_up_by_the_workers_own_clock(tmp_path):
    began, told = threading.Event(), threading.Event()
    with LocalServer(**settings(tmp_path)) as server:
        worker = Worker(server.url, lease=3, grace="100ms")

        @worker.task("q")
        async def handle(job, ctx):
            began.set()
            try:
                await forever()
            finally:
                if ctx.cancelled:
                    told.set()

        with Client(server.url) as client:
            client.enqueue("q")
        running = worker.running()
        running.__enter__()
        assert began.wait(20)
    assert told.wait(20)
    running.__exit__(None, None, None)


class Silence(Hiccups):
    """From some moment on nothing gets through, and nobody hangs up either."""

    def __init__(self, port):
        super().__init__(port, chance=0.0, seed=1)
        self.fell = threading.Event()
        self.over = threading.Event()

    def changed(self, data):
        if self.fell.is_set():
            self.over.wait(60)
        return data


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stream", "long-poll"])
def test_a_handler_hears_that_its_lease_ran_out_while_a_heartbeat_waits(server, client, queue, transport):
    with Silence(int(server.url.rpartition(":")[2])) as proxy:
        worker = Worker(proxy.url, lease=3, grace="100ms", transport=transport)
        began, told = threading.Event(), threading.Event()

        @worker.task(queue)
        def handle(job, ctx):
            began.set()
            while not ctx.cancelled:
                time.sleep(0.01)
            told.set()

        client.enqueue(queue)
        with worker.running():
            assert began.wait(20)
            proxy.fell.set()
            assert told.wait(20)
            # The heartbeat that was not answered is still waited for.
            assert worker.figures()["unreachable_total"] == 0
            proxy.over.set()
