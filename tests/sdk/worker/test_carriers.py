"""A worker does the same over HTTP/2, over HTTP/1.1 and over long-poll."""

import asyncio
import ssl
import threading

import pytest
import trustme

from corvo_sdk import Client, Dead, Release, Retry, Worker, new_job
from corvo_sdk.errors import AnswerLost
from corvo_sdk.settings import settings
from corvo_sdk.worker.stream import dialing
from corvo_sdk.worker.stream.dialing import Dialing
from corvo_sdk.worker.stream.stream import Stream, StreamRefused
from tests.sdk.facts import until
from tests.sdk.hiccups import Hiccups
from tests.sdk.wire.test_tls import TlsProxy

pytestmark = pytest.mark.slow

WAYS = {
    "http2": {"transport": "stream", "http2": True},
    "http1": {"transport": "stream", "http2": False},
    "long-poll": {"transport": "long-poll"},
}


class Overheard(Hiccups):
    """Passes everything on, and keeps how it began."""

    def __init__(self, server):
        super().__init__(int(server.url.rpartition(":")[2]), chance=0.0, seed=1)
        self.openings: list[bytes] = []

    def changed(self, data):
        self.openings.append(data[:14])
        return data


class NoHttp2(Overheard):
    """What a server of 1999 does with the first words of HTTP/2."""

    def changed(self, data):
        return super().changed(data).replace(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"PRI * HTTP/9.9\r\n\r\n")


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def trusting(authority):
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


def results(client, queue, payloads):
    made = client.enqueue_many([new_job(queue, payload) for payload in payloads])
    return [client.result(job_id, timeout="30s") for job_id in made.job_ids]


def test_jobs_are_done_and_their_results_are_kept(server, client, queue, way):
    worker = Worker(server.url, **way)
    worker.task(queue)(lambda job: job.payload)
    with worker.running():
        assert results(client, queue, range(200)) == list(range(200))


def test_payloads_and_results_larger_than_any_window(server, client, queue, way):
    """Six megabytes, more than either side may send before it is heard."""
    worker = Worker(server.url, **way)
    worker.task(queue)(lambda job: job.payload[::-1])
    texts = [chr(ord("a") + n) * 250_000 + "!" for n in range(24)]
    with worker.running():
        assert results(client, queue, texts) == [text[::-1] for text in texts]


def test_verdicts_are_heard(server, client, queue, way):
    worker = Worker(server.url, **way)
    seen = []

    @worker.task(queue)
    async def judge(job, ctx):
        seen.append(job.payload)
        if job.payload == "dead":
            raise Dead("no use")
        if job.payload == "retry" and ctx.attempt == 1:
            raise Retry(after=0.01)
        if job.payload == "release" and seen.count("release") == 1:
            raise Release()
        return "done"

    words = ("dead", "retry", "release")
    made = client.enqueue_many([new_job(queue, word, max_retries=3) for word in words])
    with worker.running():
        until(lambda: all(job.ended for job in client.jobs.get_many(made.job_ids)))
    by_word = {job.payload: job for job in client.jobs.get_many(made.job_ids)}
    assert {word: job.state for word, job in by_word.items()} == {
        "dead": "dead",
        "retry": "completed",
        "release": "completed",
    }
    assert by_word["dead"].last_error == "no use"


@pytest.mark.parametrize("name", ["http2", "http1"])
def test_a_cancelled_job_is_told_at_once(server, client, queue, name):
    worker = Worker(server.url, lease=600, **WAYS[name])  # A heartbeat would take minutes to tell.
    began, stopped = threading.Event(), threading.Event()

    @worker.task(queue)
    async def wait(job):
        began.set()
        try:
            await asyncio.Event().wait()  # For ever.
        finally:
            stopped.set()

    with worker.running():
        job_id = client.enqueue(queue).job_id
        assert began.wait(20)
        client.jobs.cancel(job_id)
        assert stopped.wait(20)


# Which one is spoken


def work_one(worker, client, queue):
    worker.task(queue)(lambda job: job.payload)
    with worker.running():
        assert results(client, queue, [7]) == [7]


@pytest.mark.parametrize(
    ("options", "opening"),
    [({}, b"POST /api/v1/s"), ({"http2": True}, b"PRI * HTTP/2.0"), ({"http2": False}, b"POST /api/v1/s")],
)
def test_in_the_clear_it_is_what_was_asked_for(server, client, queue, options, opening):
    with Overheard(server) as proxy:
        work_one(Worker(proxy.url, **options), client, queue)
        assert proxy.openings[0] == opening


def test_where_http2_is_not_understood_it_is_http1(server, client, queue):
    with NoHttp2(server) as proxy:
        work_one(Worker(proxy.url, http2=True, transport="stream"), client, queue)
        assert [start for start in proxy.openings if start.startswith((b"PRI", b"POST"))] == [
            b"PRI * HTTP/2.0",
            b"POST /api/v1/s",
        ]


@pytest.mark.parametrize(
    ("offered", "options", "opening"),
    [
        (["h2", "http/1.1"], {"verify": False}, b"PRI * HTTP/2.0"),
        (["h2", "http/1.1"], {"verify": False, "http2": False}, b"POST /api/v1/s"),
        (["http/1.1"], {"verify": False}, b"POST /api/v1/s"),
        (None, {"verify": False, "http2": True}, b"POST /api/v1/s"),
        (["h2", "http/1.1"], {"http2": True}, b"PRI * HTTP/2.0"),
    ],
)
def test_over_tls_it_is_what_both_sides_speak(
    server,
    client,
    queue,
    authority,
    trusting,
    offered,
    options,
    opening,
):
    with Overheard(server) as inner:
        port = int(inner.url.rpartition(":")[2])
        with TlsProxy(port, authority.issue_cert("127.0.0.1")) as proxy:
            if offered:
                proxy._context.set_alpn_protocols(offered)
            # A context of their own is what careful people give.
            worker = Worker(proxy.url, **{"verify": trusting, "transport": "stream"} | options)
            work_one(worker, client, queue)
        assert inner.openings[0] == opening


# Trouble


async def test_a_stream_over_http2_says_why_it_cannot_be(server):
    where = settings(f"{server.url}/nowhere", {})
    with pytest.raises(StreamRefused, match="404"):
        await Stream(where, lambda job_ids: None, Dialing(where, http2=True)).open({})


async def test_who_waits_on_an_http2_stream_that_breaks_is_told(server, queue):
    where = settings(server.url, {})
    stream = Stream(where, lambda job_ids: None, Dialing(where, http2=True))
    await stream.open({"queues": [queue]})
    waiting = asyncio.ensure_future(stream.ask({"fetch_count": 1, "wait_ms": 20_000}, 20))
    await stream.ask({})  # The server has heard of it by now.
    stream.close()
    with pytest.raises(AnswerLost):
        await waiting


def test_without_the_package_http2_is_refused_and_alpn_does_not_offer_it(monkeypatch):
    monkeypatch.setattr(dialing, "speaks_http2", lambda: False)
    with pytest.raises(ImportError, match=r"corvo-sdk\[http2\]"):
        Dialing(settings("https://h", {}), http2=True)
    context = Dialing(settings("https://h", {}))._tls()
    assert isinstance(context, ssl.SSLContext)


def test_a_client_and_a_worker_share_a_context(server, queue, authority, trusting):
    """The client's library knows nothing of HTTP/2, and must not be made to speak it."""
    with TlsProxy(int(server.url.rpartition(":")[2]), authority.issue_cert("127.0.0.1")) as proxy:
        proxy._context.set_alpn_protocols(["h2", "http/1.1"])
        worker = Worker(proxy.url, verify=trusting, http2=True)
        with Client(proxy.url, verify=trusting) as client:
            work_one(worker, client, queue)
