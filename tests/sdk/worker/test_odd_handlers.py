"""Handlers that do what nobody expects. Each fails its own job, in words, and the worker goes on."""

import asyncio
import http.client
import re
from datetime import timedelta

import pytest

from corvo_sdk import ExitChain, Hold, Metrics, Release, Retry, Worker, new_job
from corvo_sdk.worker.crew import Crew
from corvo_sdk.worker.hand import Hand
from corvo_sdk.worker.handlers import Handler
from tests.sdk.facts import until
from tests.sdk.worker.test_fetching import claimed

pytestmark = pytest.mark.slow


@pytest.fixture(params=["stream", "long-poll"])
def worker(server, request):
    return Worker(server.url, concurrency=4, lease=60, grace=5, transport=request.param)


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("no words")


class NotEvenAnException(BaseException):
    pass


def raised(error):
    def handler():
        raise error

    return handler


#: What a handler does, and what is then said of its job.
ODD = {
    "system exit": (raised(SystemExit(3)), "SystemExit: 3"),
    "keyboard interrupt": (raised(KeyboardInterrupt()), "KeyboardInterrupt: "),
    "base exception": (raised(NotEvenAnException("odd")), "NotEvenAnException: odd"),
    "generator exit": (raised(GeneratorExit()), "GeneratorExit: "),
    "cancelled by itself": (raised(asyncio.CancelledError("mine")), "CancelledError: mine"),
    "no words": (raised(Wordless()), "Wordless, and it cannot be told: RuntimeError"),
    "half a character": (raised(ValueError("no file caf\udce9")), "ValueError: no file caf\\udce9"),
    "many words": (raised(ValueError("x" * 20_000_000)), "ValueError: x"),
    "a group": (raised(ExceptionGroup("two", [ValueError("a"), KeyError("b")])), "ExceptionGroup: two"),
    "a time ago": (lambda: Retry("later", after=-5), "ValueError: a duration cannot be negative"),
    "a timedelta ago": (
        lambda: Release(after=timedelta(days=-1)),
        "ValueError: a duration cannot be negative",
    ),
    "no time": (lambda: Retry("later", after=float("nan")), "ValueError: "),
    "some time": (raised(Retry("later", after="soon")), "later (and the server refused how it was said: "),
    "a release some time": (raised(Release(after="soon")), "the server refused the release: "),
    "a checkpoint of no JSON": (
        raised(Release(checkpoint=object())),
        "TypeError: the checkpoint of Release is",
    ),
    "a checkpoint too large": (raised(Release(checkpoint="x" * 300_000)), "the server refused the release: "),
}


@pytest.mark.parametrize("kind", ["sync", "async"])
def test_whatever_a_handler_raises_fails_its_own_job_in_words(worker, client, queue, kind):
    def do(job):
        if job.payload in ODD:
            ODD[job.payload][0]()
        return "fine"

    if kind == "sync":
        worker.task(queue)(do)
    else:

        @worker.task(queue)
        async def handler(job):
            return do(job)

    words = [*ODD, "an ordinary one"]
    made = client.enqueue_many([new_job(queue, word, max_retries=1) for word in words])
    with worker.running():
        jobs = {word: client.wait(job_id, "20s") for word, job_id in zip(words, made.job_ids, strict=True)}
        # All handlers are still there.
        again = client.enqueue_many([new_job(queue, "an ordinary one") for _ in range(8)])
        assert [client.result(job_id, "20s") for job_id in again.job_ids] == ["fine"] * 8

    assert jobs.pop("an ordinary one").result == "fine"
    for word, job in jobs.items():
        assert (job.state, job.lease_version) == ("dead", 1), word
        assert job.last_error.startswith(ODD[word][1]), word


def test_reasons_may_hold_what_is_no_character(worker, client, queue):
    @worker.task(queue)
    def handle(job):
        if job.payload == "hold":
            raise Hold("look at caf\udce9")
        raise ExitChain({"ok": True}, reason="caf\udce9")

    held = client.enqueue(queue, "hold").job_id
    left = client.enqueue_chain([(queue, "exit"), (f"{queue}-2", None)]).job_id
    with worker.running():
        assert client.result(left, "20s") == {"ok": True}
        until(lambda: client.get(held).state == "held")

    assert client.get(held).hold_reason == "look at caf\\udce9"


def post(server, body):
    connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
    connection.request("POST", "/api/v1/enqueue", body)
    answer = connection.getresponse().read()
    connection.close()
    found = re.search(rb'"job_id":"([^"]+)"', answer)
    return found and found[1].decode()


def test_a_payload_as_deep_as_the_server_takes_it_is_a_job_like_any_other(worker, server, client, queue):
    @worker.task(queue)
    def handle(job):
        return "fine"

    depth = deepest(server, queue)
    made = [client.enqueue(queue, 1).job_id, post(server, nested(queue, depth))]
    with worker.running():
        until(lambda: client.queues.get(queue).completed == 3)

    assert client.get(made[1]).result == "fine"


def nested(queue, depth):
    return f'{{"queue": "{queue}", "payload": {"[" * depth}{"]" * depth}}}'


def deepest(server, queue):
    """How deep a payload may be; one job is made of finding out that 100 is not too deep."""
    least, most = 100, 100_000
    post(server, nested(queue, least))
    while most - least > 1:
        depth = (least + most) // 2
        taken = post(server, nested(f"{queue}-probe", depth)) is not None
        least, most = (depth, most) if taken else (least, depth)
    return least


class Broken(Metrics):
    """Every call raises."""

    def fetched(self, jobs, seconds):
        raise RuntimeError("fetched")

    def finished(self, job, verdict, seconds):
        raise RuntimeError("finished")

    def committed(self, verdict, jobs, seconds):
        raise RuntimeError("committed")

    def lost(self, job, reason):
        raise RuntimeError("lost")


def test_metrics_that_raise_keep_no_job_from_its_verdict(server, client, queue):
    worker = Worker(server.url, concurrency=2, metrics=Broken())

    @worker.task(queue)
    def handle(job):
        return job.payload

    @worker.task(f"{queue}-async")
    async def handle_too(job):
        return job.payload

    with worker.running():
        made = [client.enqueue(name, n) for n in range(5) for name in (queue, f"{queue}-async")]
        assert [client.result(job.job_id, "20s") for job in made] == [n // 2 for n in range(10)]
        until(lambda: worker.figures()["in_hand"] == 0)


async def test_a_coroutine_that_loses_its_lease_before_its_first_step_gives_its_place_free():
    told = []

    async def handle(job):
        raise AssertionError("nobody may work without a lease")

    crew = Crew({"q": Handler.of("q", handle)}, (), 1, None, told.append)
    lost, hand = claimed(token="1"), Hand()
    held = hand.take(lost, 0.0)
    crew.begin(held)
    held.lose("cancelled")
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert [(decided.held, decided.said) for decided in told] == [(held, None)]
