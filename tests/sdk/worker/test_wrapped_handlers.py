"""Handlers that do not look like coroutine functions and return coroutines all the same: they are awaited."""

import asyncio
import functools
import threading

import pytest

from corvo_sdk import Dead, Worker
from tests.sdk.facts import forever, until


async def handle(job, ctx):
    await asyncio.sleep(0)
    await ctx.checkpoint({"seen": job.payload})
    return {"saw": job.payload}


def plainly(function):
    """As decorators do that know nothing of coroutines."""

    @functools.wraps(function)
    def call(*arguments):
        return function(*arguments)

    return call


class Callable:
    async def __call__(self, job, ctx):
        return await handle(job, ctx)


async def forgetful(job, ctx):
    return handle(job, ctx)


def run_by_itself(job, ctx):
    """What scripts do with coroutines: this one is no business of the worker's loop."""

    async def main():
        await asyncio.sleep(0)
        ctx.checkpoint({"seen": job.payload})
        return {"saw": job.payload}

    return asyncio.run(main())


WRAPPED = {
    "a plain wrapper": plainly(handle),
    "a lambda": lambda *arguments: handle(*arguments),  # noqa: PLW0108 - that is what is tried
    "a partial of a plain wrapper": functools.partial(plainly(handle)),
    "a partial of a coroutine": functools.partial(handle),
    "an object": Callable(),
    "a partial of an object": functools.partial(Callable()),
    "a coroutine of a coroutine": forgetful,
    "a loop of its own": run_by_itself,
}


@pytest.fixture
def worker(server):
    return Worker(server.url, concurrency=2, lease=60, grace=5)


@pytest.mark.parametrize("kind", WRAPPED)
def test_the_result_of_a_coroutine_is_the_result_of_the_job(worker, client, queue, kind):
    worker.task(queue)(WRAPPED[kind])
    made = [client.enqueue(queue, n, max_retries=1).job_id for n in range(4)]
    with worker.running():
        assert [client.result(job_id, "20s") for job_id in made] == [{"saw": n} for n in range(4)]
    assert [client.get(job_id).checkpoint for job_id in made] == [{"seen": n} for n in range(4)]


def test_what_a_wrapped_coroutine_raises_is_its_verdict_and_no_more(worker, client, queue):
    async def fail(job):
        await asyncio.sleep(0)
        if job.payload == "exit":
            raise SystemExit(3)
        if job.payload == "dead":
            raise Dead("no use")

    worker.task(queue)(plainly(fail))
    ids = {word: client.enqueue(queue, word, max_retries=1).job_id for word in ("exit", "dead", "fine")}
    with worker.running():
        jobs = {word: client.wait(job_id, "20s") for word, job_id in ids.items()}
    assert {word: (job.state, job.last_error) for word, job in jobs.items()} == {
        "exit": ("dead", "SystemExit: 3"),
        "dead": ("dead", "no use"),
        "fine": ("completed", None),
    }


def test_a_wrapped_coroutine_is_cancelled_with_its_job(worker, client, queue):
    begun, ended = threading.Event(), threading.Event()

    async def wait(job):
        begun.set()
        try:
            await forever()
        finally:
            ended.set()

    worker.task(queue)(plainly(wait))
    job_id = client.enqueue(queue).job_id
    with worker.running():
        assert begun.wait(20)
        client.jobs.cancel(job_id)
        assert ended.wait(20)
        until(lambda: worker.figures()["in_hand"] == 0)
    assert client.get(job_id).state == "cancelled"


def test_a_wrapped_coroutine_is_given_back_when_the_worker_stops(server, client, queue):
    worker = Worker(server.url, concurrency=1, grace=0)
    begun = threading.Event()

    async def wait(job):
        begun.set()
        await forever()

    worker.task(queue)(plainly(wait))
    job_id = client.enqueue(queue).job_id
    with worker.running():
        assert begun.wait(20)
    job = client.get(job_id)
    assert (job.state, job.attempt) == ("pending", 0)


def test_waiting_for_the_loop_on_the_loop_is_refused(worker, client, queue):
    async def sleep(job, ctx):
        ctx.sleep(1)

    worker.task(queue)(plainly(sleep))
    job_id = client.enqueue(queue, max_retries=1).job_id
    with worker.running():
        assert "await asyncio.sleep" in client.wait(job_id, "20s").last_error


def generator(job):
    yield job


async def async_generator(job):
    yield job


@pytest.mark.parametrize("function", [generator, async_generator])
def test_a_generator_is_refused_when_it_is_registered(worker, function):
    with pytest.raises(TypeError, match="is a generator"):
        worker.task("q")(function)
