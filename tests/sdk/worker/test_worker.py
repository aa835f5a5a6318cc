"""The worker runtime against a real server: what becomes of jobs, and what handlers are told."""

import asyncio
import http.client
import json
import threading

import pytest

from corvo_sdk import Dead, ExitChain, Hold, Metrics, Release, Retry, Worker, new_job
from corvo_sdk.worker.verdicts import JobCancelled
from tests.sdk.facts import forever, until


@pytest.fixture(params=["stream", "long-poll"])
def worker(server, request):
    return Worker(server.url, concurrency=4, lease=3, grace=5, transport=request.param)


def ended(client, job_id):
    return client.wait(job_id, timeout="20s")


# Verdicts


def test_functions_and_coroutines_return_results(worker, client, queue):
    @worker.task(queue)
    def double(job):
        return {"twice": job.payload * 2}

    @worker.task(f"{queue}-async")
    async def triple(job, ctx):
        await asyncio.sleep(0)
        return {"thrice": job.payload * 3, "attempt": ctx.attempt}

    with worker.running():
        jobs = [client.enqueue(queue, 4), client.enqueue(f"{queue}-async", 4)]
        results = [client.result(job.job_id, timeout="20s") for job in jobs]

    assert results == [{"twice": 8}, {"thrice": 12, "attempt": 1}]


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_an_exception_decides_what_becomes_of_the_job(worker, client, queue, kind):
    def verdict(job, ctx):
        match job.payload:
            case "retry" if ctx.attempt == 1:
                raise Retry("busy", after="10ms")
            case "dead":
                raise Dead("no such user")
            case "hold":
                raise Hold("needs a look")
            case "release" if job.checkpoint is None:
                raise Release(after="10ms", checkpoint={"seen": True})
            case "error":
                raise ZeroDivisionError("divided by zero")
            case "not json":
                return object()
        return "fine"

    if kind == "sync":
        worker.task(queue)(verdict)
    else:

        @worker.task(queue)
        async def handler(job, ctx):
            return verdict(job, ctx)

    words = ["retry", "dead", "hold", "release", "error", "not json"]
    made = client.enqueue_many([new_job(queue, word, max_retries=9) for word in words])
    by_word = dict(zip(words, made.job_ids, strict=True))
    with worker.running():
        retried = ended(client, by_word["retry"])
        dead = ended(client, by_word["dead"])
        released = ended(client, by_word["release"])
        not_json = ended(client, by_word["not json"])
        until(lambda: client.get(by_word["hold"]).state == "held")
        until(lambda: client.get(by_word["error"]).state == "retrying")

    assert (retried.state, retried.attempt, retried.last_error) == ("completed", 2, "busy")
    assert (dead.state, dead.last_error) == ("dead", "no such user")
    assert client.get(by_word["hold"]).hold_reason == "needs a look"
    # A release does not count as an attempt, and keeps what it was given.
    assert (released.state, released.attempt, released.checkpoint) == ("completed", 1, {"seen": True})
    assert (not_json.state, not_json.attempt) == ("dead", 1)
    error = client.get(by_word["error"]).errors[0]
    assert error.error == "ZeroDivisionError: divided by zero"
    assert "verdict" in error.backtrace


def test_a_step_may_end_its_chain(worker, client, queue):
    @worker.task(queue)
    def first(job):
        raise ExitChain({"enough": True}, reason="nothing to do")

    @worker.task(f"{queue}-2", f"{queue}-out")
    def others(job):
        return job.queue

    with worker.running():
        job = client.enqueue_chain([(queue, None), (f"{queue}-2", None)], on_exit=f"{queue}-out")
        assert client.result(job.job_id, timeout="20s") == {"enough": True}
        until(lambda: client.queues.get(f"{queue}-out").completed == 1)

    assert client.jobs.search(queue=f"{queue}-2").total == 0


def test_a_result_that_is_too_large_fails_alone(worker, client, queue):
    @worker.task(queue)
    def answer(job):
        return "x" * job.payload

    sizes = [10, 300_000, 20]
    made = client.enqueue_many([new_job(queue, size, max_retries=1) for size in sizes])
    with worker.running():
        jobs = [ended(client, job_id) for job_id in made.job_ids]

    assert [job.state for job in jobs] == ["completed", "dead", "completed"]
    assert "refused the result" in jobs[1].last_error


# Checkpoint and progress


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_job_goes_on_from_its_checkpoint(worker, client, queue, kind):
    if kind == "sync":

        @worker.task(queue)
        def count(job, ctx):
            start = job.checkpoint or 0
            for n in range(start, 4):
                if n == 2 and ctx.attempt == 1:
                    raise Retry("tired", after="10ms")
                ctx.checkpoint(n + 1)
            ctx.progress({"percent": 100})
            until(lambda: client.get(job.id).progress)
            return {"started_at": start}
    else:

        @worker.task(queue)
        async def count(job, ctx):
            start = job.checkpoint or 0
            for n in range(start, 4):
                if n == 2 and ctx.attempt == 1:
                    raise Retry("tired", after="10ms")
                await ctx.checkpoint(n + 1)
            ctx.progress({"percent": 100})
            await asyncio.to_thread(until, lambda: client.get(job.id).progress)
            return {"started_at": start}

    with worker.running():
        job = ended(client, client.enqueue(queue).job_id)

    assert (job.result, job.checkpoint, job.progress) == ({"started_at": 2}, 4, {"percent": 100})


def test_a_checkpoint_that_is_too_large_is_the_handlers_error(worker, client, queue):
    @worker.task(queue)
    def save(job, ctx):
        ctx.checkpoint("x" * 300_000)

    with worker.running():
        job = ended(client, client.enqueue(queue, max_retries=1).job_id)

    assert job.state == "dead"
    assert job.last_error.startswith("PayloadTooLarge")


def test_the_fence_grows_with_every_claim(worker, client, queue):
    fences = []

    @worker.task(queue)
    def note(job, ctx):
        fences.append(ctx.fence)
        if len(fences) < 3:
            raise Retry("again", after="0")

    with worker.running():
        ended(client, client.enqueue(queue, max_retries=9).job_id)

    assert fences == sorted(set(fences))
    assert len(fences) == 3


# Losing the lease


def test_a_cancelled_job_stops_its_coroutine(worker, client, queue):
    began, stopped = threading.Event(), threading.Event()

    @worker.task(queue)
    async def wait(job, ctx):
        began.set()
        try:
            await forever()
        except asyncio.CancelledError:
            stopped.set()
            raise

    with worker.running():
        job_id = client.enqueue(queue).job_id
        assert began.wait(10)
        client.jobs.cancel(job_id)
        assert stopped.wait(10)
        until(lambda: worker.figures()["in_hand"] == 0)
        assert worker.figures()["lost_total"] == 1

    assert client.get(job_id).state == "cancelled"


def test_a_cancelled_job_tells_its_thread(worker, client, queue):
    began, told = threading.Event(), threading.Event()

    @worker.task(queue)
    def wait(job, ctx):
        began.set()
        try:
            ctx.sleep(60)
        except JobCancelled:
            assert ctx.cancelled
            told.set()
            raise

    with worker.running():
        job_id = client.enqueue(queue).job_id
        assert began.wait(10)
        client.jobs.cancel(job_id)
        assert told.wait(10)
        until(lambda: worker.figures()["in_hand"] == 0)

    assert client.get(job_id).state == "cancelled"


def test_a_checkpoint_under_a_lost_lease_leaves_the_handler(worker, client, queue):
    began, go_on, left = threading.Event(), threading.Event(), threading.Event()

    @worker.task(queue)
    def save(job, ctx):
        began.set()
        go_on.wait(10)
        try:
            ctx.checkpoint({"at": 1})
        except JobCancelled:
            left.set()
            raise

    with worker.running():
        job_id = client.enqueue(queue).job_id
        assert began.wait(10)
        client.jobs.hold(job_id)
        go_on.set()
        assert left.wait(10)

    assert client.get(job_id).checkpoint is None


@pytest.mark.slow
def test_leases_are_kept_while_handlers_work(worker, client, queue):
    @worker.task(queue)
    def slow(job, ctx):
        ctx.sleep(4.5)  # The lease lasts 3 s.
        return ctx.attempt

    with worker.running():
        job = ended(client, client.enqueue(queue).job_id)

    assert (job.result, job.lease_version) == (1, 1)


# Around handlers


def test_middleware_is_wrapped_around_every_handler(worker, client, queue):
    seen = []

    @worker.middleware
    def outer(job, ctx):
        seen.append("outer in")
        yield
        seen.append("outer out")

    @worker.middleware
    def inner(job, ctx):
        try:
            yield
        except KeyError as error:
            raise Dead(f"no {error}") from error

    @worker.task(queue)
    def fail(job):
        seen.append("handler")
        return {}[job.payload]

    @worker.task(f"{queue}-async")
    async def good(job):
        seen.append("coroutine")

    with worker.running():
        dead = ended(client, client.enqueue(queue, "x").job_id)
        assert seen == ["outer in", "handler"]
        ended(client, client.enqueue(f"{queue}-async").job_id)

    assert (dead.state, dead.attempt, dead.last_error) == ("dead", 1, "no 'x'")
    assert seen[2:] == ["outer in", "coroutine", "outer out"]


def test_the_health_endpoint_answers_and_metrics_are_reported(server, client, queue):
    class Seen(Metrics):
        def __init__(self):
            self.verdicts = []

        def finished(self, job, verdict, seconds):
            self.verdicts.append(verdict)

    def get(port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()

    metrics = Seen()
    worker = Worker(server.url, metrics=metrics, health=("127.0.0.1", 0))

    @worker.task(queue)
    def good(job):
        if job.payload:
            raise Dead("no")

    with worker.running():
        ended(client, client.enqueue(queue).job_id)
        ended(client, client.enqueue(queue, 1).job_id)
        port = until(lambda: worker.health_port)
        assert get(port, "/healthz")[0] == 200
        assert get(port, "/readyz")[0] == 200
        assert get(port, "/nothing")[0] == 404
        figures = json.loads(get(port, "/")[1])

    assert metrics.verdicts == ["ack", "fail"]
    assert figures["committed_total"] == {"ack": 1, "fail": 1}
    assert figures["queues"] == [queue]


def test_a_task_is_registered_once_and_takes_what_it_can_get(worker, queue):
    worker.task(queue)(lambda job: None)
    with pytest.raises(ValueError, match="already"):
        worker.task(queue)(lambda job: None)
    with pytest.raises(TypeError, match="must take"):
        worker.task("other")(lambda: None)
    with pytest.raises(ValueError, match="no tasks"):
        asyncio.run(Worker().run_async())
