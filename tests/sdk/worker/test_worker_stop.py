"""How a worker ends: nothing is lost, nothing waits for a lease to run out."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from corvo_sdk import Worker, new_job
from tests.sdk.facts import forever, until


def test_what_was_not_begun_goes_back_at_once(server, client, queue):
    worker = Worker(server.url, concurrency=1)
    began, go_on = threading.Event(), threading.Event()

    @worker.task(queue)
    def handle(job):
        if job.payload == "block":
            began.set()
            go_on.wait(20)

    # Many quick ones, so that the worker fetches ahead.
    client.enqueue_many([new_job(queue, "quick") for _ in range(200)] + [new_job(queue, "block")] * 30)
    with worker.running():
        assert began.wait(20)
        until(lambda: worker.figures()["in_hand"] > 5)
        worker.stop()
        until(lambda: client.queues.get(queue).active == 1)
        assert client.queues.get(queue).pending == 29
        go_on.set()

    info = client.queues.get(queue)
    assert (info.completed, info.pending, info.active, info.failed) == (201, 29, 0, 0)
    assert {job.attempt for job in client.jobs.find(queue=queue, state="pending")} == {0}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_handler_that_takes_too_long_loses_its_job_to_the_next_worker(server, client, queue, kind):
    worker = Worker(server.url, concurrency=2, grace="100ms")
    began, end = threading.Event(), threading.Event()

    if kind == "sync":

        @worker.task(queue)
        def stubborn(job, ctx):
            ctx.checkpoint({"at": 1})
            began.set()
            end.wait(20)
            return "too late"
    else:

        @worker.task(queue)
        async def stubborn(job, ctx):
            await ctx.checkpoint({"at": 1})
            began.set()
            await forever()

    job_id = client.enqueue(queue).job_id
    with worker.running():
        assert began.wait(20)
        asked = time.monotonic()
    took_s = time.monotonic() - asked
    end.set()

    job = client.get(job_id)
    assert took_s < 5
    assert (job.state, job.attempt, job.checkpoint) == ("pending", 0, {"at": 1})
    assert [event.type for event in client.jobs.history(job_id).events][-1] == "released"


def test_a_handler_may_save_and_leave_when_the_worker_stops(server, client, queue):
    worker = Worker(server.url)
    began = threading.Event()

    @worker.task(queue)
    def long(job, ctx):
        for n in range(10_000):
            ctx.checkpoint(n)
            began.set()
            ctx.check()
            ctx.sleep(0.01)

    job_id = client.enqueue(queue).job_id
    with worker.running():
        assert began.wait(20)

    job = client.get(job_id)
    assert (job.state, job.attempt) == ("pending", 0)
    assert job.checkpoint is not None


def test_a_stop_in_a_hurry_does_not_wait_for_handlers(server, client, queue):
    worker = Worker(server.url, grace=60)
    began, end = threading.Event(), threading.Event()

    @worker.task(queue)
    def stubborn(job):
        began.set()
        end.wait(20)

    job_id = client.enqueue(queue).job_id
    asked = time.monotonic()
    with worker.running():
        assert began.wait(20)
        worker.stop()
        until(lambda: not worker.figures()["ready"])
        worker.stop(hurry=True)
    end.set()

    assert time.monotonic() - asked < 15
    assert client.get(job_id).state == "pending"


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_worker_that_is_cancelled_gives_its_jobs_back(server, client, queue, kind):
    worker = Worker(server.url, grace=60)
    began, end = threading.Event(), threading.Event()

    if kind == "sync":

        @worker.task(queue)
        def handle(job):
            began.set()
            end.wait(20)
    else:

        @worker.task(queue)
        async def handle(job):
            began.set()
            await forever()

    job_id = client.enqueue(queue).job_id
    task = asyncio.create_task(worker.run_async())
    assert await asyncio.to_thread(began.wait, 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    end.set()

    assert client.get(job_id).state == "pending"


_PROGRAM = """
import sys, time
from corvo_sdk import Worker

worker = Worker(sys.argv[1], grace="5s", lease=30)

@worker.task(sys.argv[2])
def handle(job, ctx):
    print("began", flush=True)
    while True:
        ctx.check()
        time.sleep(0.02)

worker.run()
print("ended", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_ends_in_good_order_on_a_signal(server, client, queue, number):
    job_id = client.enqueue(queue).job_id
    command = [sys.executable, "-c", _PROGRAM, server.url, queue]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "began\n"
        os.kill(process.pid, number)
        assert process.stdout.readline() == "ended\n"
        assert process.wait(20) == 0

    job = client.get(job_id)
    assert (job.state, job.attempt) == ("pending", 0)


_TWO_WORKERS = """
import asyncio, signal, sys
from corvo_sdk import Worker

workers = [Worker(sys.argv[1]) for _ in range(2)]
for number, worker in enumerate(workers):
    @worker.task(f"{sys.argv[2]}-{number}")
    async def handle(job):
        print("began", flush=True)

async def main():
    await asyncio.gather(*(worker.run_async(signals=True) for worker in workers))
    print("ended", flush=True)
    await asyncio.Event().wait()

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
def test_a_signal_reaches_all_workers_of_a_loop_and_is_given_back(server, client, queue):
    command = [sys.executable, "-c", _TWO_WORKERS, server.url, queue]
    for number in range(2):
        client.enqueue(f"{queue}-{number}")
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert [process.stdout.readline() for _ in range(2)] == ["began\n"] * 2
        os.kill(process.pid, signal.SIGTERM)
        assert process.stdout.readline() == "ended\n"
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(20) == 0
