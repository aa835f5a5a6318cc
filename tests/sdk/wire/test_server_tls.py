"""Clients and workers with a node that speaks TLS itself: trust, certificates of clients, clear words."""

import asyncio
import math
import socket
import ssl
import threading
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest
import trustme

from corvo.testing import LocalServer
from corvo_sdk import AsyncClient, Client, Worker
from corvo_sdk.call import Again, Call
from corvo_sdk.errors import CorvoError, NotTrusted, TlsRequired, Unreachable
from corvo_sdk.settings import settings
from corvo_sdk.worker.stream.dialing import Dialing
from corvo_sdk.worker.stream.stream import Stream
from tests.sdk.facts import until
from tests.sdk.scripted import Blocking, OnALoop, OnUvloop, Scripted, answer
from tests.support.certificates import Authority

LARGE = "x" * 30_000_000


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("people"))


@pytest.fixture(scope="module")
def server(authority, people):
    client = {"tls_client_ca": str(people.file), "tls_client_auth": "optional"}
    with LocalServer(**authority.write("server").settings, **client) as server:
        yield server


@pytest.fixture(scope="module")
def strict(authority, people):
    """One that lets nobody in without a certificate."""
    client = {"tls_client_ca": str(people.file), "tls_client_auth": "required"}
    with LocalServer(**authority.write("strict").settings, **client) as server:
        yield server


@pytest.fixture
def shown(people):
    files = people.write("client", "x.example.com", common_name="farm")
    return {"client_cert": str(files.certificate), "client_key": str(files.key)}


@pytest.fixture
def trusting(authority):
    return {"ca_file": str(authority.file)}


@pytest.fixture(params=[Blocking, OnALoop, OnUvloop])
def talk(request):
    made = []

    def talk(url, **options):
        made.append(request.param(url, **options))
        return made[-1]

    yield talk
    for client in made:
        client.close()


INFO = Call("GET", "/api/v1/info", bytes)


def plain(server):
    return server.url.replace("https://", "http://")


# Trust


def test_calls_and_events_work_with_a_ca_file(server, trusting, queue):
    with Client(server.url, **trusting) as client:
        made = client.enqueue(queue, "x" * 200_000)
        with closing(client.events(after=0, queues=[queue])) as events:
            assert next(events).job_id == made.job_id
        assert len(client.get(made.job_id).payload) == 200_000


async def test_calls_work_for_asyncio(server, trusting, queue):
    async with AsyncClient(server.url, **trusting) as client:
        made = await asyncio.gather(*(client.enqueue(queue, n) for n in range(20)))
        assert len({row.job_id for row in made}) == 20


def test_the_environment_says_whom_to_trust(server, authority, queue, monkeypatch):
    monkeypatch.setenv("CORVO_CA_FILE", str(authority.file))
    monkeypatch.setenv("CORVO_URL", server.url)
    with Client() as client:
        assert client.enqueue(queue).job_id


@pytest.mark.parametrize("way", [{"http2": True}, {"http2": False}, {}, {"transport": "long-poll"}], ids=str)
def test_workers_work(strict, trusting, shown, queue, way):
    worker = Worker(strict.url, **trusting, **shown, **way)
    worker.task(queue)(lambda job: job.payload)
    with Client(strict.url, **trusting, **shown) as client, worker.running():
        made = [client.enqueue(queue, n).job_id for n in range(20)]
        assert [client.result(job_id, timeout="20s") for job_id in made] == list(range(20))


@pytest.mark.parametrize(("http2", "spoken"), [(None, "Http2"), (True, "Http2"), (False, "Http1")])
async def test_a_stream_speaks_what_both_agreed_on(server, trusting, http2, spoken):
    dialing = Dialing(settings(server.url, trusting), http2)
    carrier = await dialing.reach()
    assert type(carrier).__name__ == spoken
    carrier.close()
    await carrier.aclose()


def test_a_stranger_is_not_spoken_to_and_the_sentence_says_what_to_do(talk, server):
    began = time.monotonic()
    with pytest.raises(NotTrusted, match="signed by nobody we trust; give the authority's as ca_file"):
        talk(server.url, retry=settings("x", {}).retry).send(INFO)
    # Trying again would not have helped.
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("after", [0, None])
def test_events_of_a_stranger_are_not_waited_for(server, after):
    with Client(server.url) as client, pytest.raises(NotTrusted, match="nobody we trust"):
        next(client.events(after=after))


def test_who_trusts_everybody_says_so(talk, server):
    assert talk(server.url, verify=False).send(INFO)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"not_after": datetime(2020, 1, 2, tzinfo=UTC), "not_before": datetime(2020, 1, 1, tzinfo=UTC)},
            "has expired",
        ),
        ({"not_before": datetime(2990, 1, 1, tzinfo=UTC)}, "not valid yet"),
        ({"hosts": ("other.example.com",)}, "for another host"),
    ],
    ids=["expired", "not yet", "another host"],
)
def test_what_is_wrong_with_a_certificate_is_said(talk, authority, trusting, options, sentence):
    rest = {name: value for name, value in options.items() if name != "hosts"}
    files = authority.write("bad", *options.get("hosts", ()), **rest)
    with LocalServer(**files.settings) as server, pytest.raises(NotTrusted, match=sentence):
        talk(server.url, **trusting).send(INFO)


def test_plain_http_to_a_tls_port_is_told_so(talk, server):
    with pytest.raises(TlsRequired, match="https://"):
        talk(plain(server)).send(INFO)


def test_plain_http_with_a_large_body_is_told_so_too(talk, server):
    with pytest.raises(TlsRequired, match="https://"):
        talk(plain(server)).send(Call("POST", "/api/v1/enqueue", bytes, LARGE, again=Again.NEVER))


def test_tls_to_a_plain_port_is_told_so(talk):
    with LocalServer() as server, pytest.raises(NotTrusted, match="write http://"):
        talk(server.url.replace("http://", "https://")).send(INFO)


@pytest.mark.parametrize("http2", [False, True])
async def test_a_stream_is_told_the_same(server, strict, trusting, http2):
    for url, options, error in (
        (server.url, {}, NotTrusted),
        (plain(server), {}, TlsRequired),
        (strict.url, trusting, NotTrusted),
    ):
        told = settings(url, options)
        stream = Stream(told, lambda _: None, Dialing(told, http2))
        with pytest.raises(error):
            await stream.open({"worker_id": "w", "queues": ["q"]})
        await stream.aclose()


def test_a_worker_that_is_not_let_in_says_why(strict, trusting, queue, caplog):
    worker = Worker(strict.url, **trusting)
    worker.task(queue)(lambda job: None)
    with worker.running():
        until(lambda: "wants to see a certificate" in caplog.text)


# Certificates of clients


def test_a_client_shows_its_certificate(talk, strict, trusting, shown):
    assert talk(strict.url, **trusting, **shown).send(INFO)


def test_who_shows_none_is_told_what_to_give(talk, strict, trusting):
    with pytest.raises(NotTrusted, match="client_cert and client_key"):
        talk(strict.url, **trusting).send(INFO)


def test_who_shows_a_strangers_is_told(talk, strict, trusting, authority):
    files = authority.write("mine", "x.example.com", common_name="root")
    shown = {"client_cert": str(files.certificate), "client_key": str(files.key)}
    with pytest.raises(NotTrusted, match="does not accept our certificate"):
        talk(strict.url, **trusting, **shown).send(INFO)


def test_the_environment_has_the_certificate(strict, authority, shown, queue, monkeypatch):
    monkeypatch.setenv("CORVO_CA_FILE", str(authority.file))
    for name, value in shown.items():
        monkeypatch.setenv(f"CORVO_{name.upper()}", value)
    with Client(strict.url) as client:
        assert client.enqueue(queue).job_id


# Options


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"ca_file": "/nowhere.pem"}, "ca_file /nowhere.pem: No such file"),
        ({"ca_file": __file__}, "holds no certificate"),
        ({"client_cert": __file__}, "holds no certificate or key"),
        ({"client_cert": "/nowhere.pem"}, "client_cert /nowhere.pem: No such file"),
        ({"client_key": "k"}, "give that, too"),
        ({"verify": False, "ca_file": "x"}, "trusts everybody"),
        ({"verify": ssl.create_default_context(), "ca_file": "x"}, "a context already"),
        ({"timeout": 0}, "no time at all"),
        ({"timeout": math.nan}, "no time at all"),
    ],
)
def test_options_that_make_no_sense_are_refused_at_once(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        Client("https://127.0.0.1:1", **options)


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_a_timeout_may_be_for_ever(talk, server, trusting, scheme, queue):
    call = Call("POST", "/api/v1/enqueue", bytes, {"queue": queue})
    if scheme == "https":
        assert talk(server.url, timeout=math.inf, **trusting).send(call)
    else:
        with pytest.raises(TlsRequired):
            talk(plain(server), timeout=math.inf).send(call)


def test_nobody_there_is_still_unreachable(talk, trusting):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(Unreachable) as error:
            talk(f"https://127.0.0.1:{taken.getsockname()[1]}", **trusting).send(INFO)
    assert error.value.retryable


# A server that refuses before all is sent


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_refusal_is_heard_over_tls_before_all_is_sent(talk, hangs_up):
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    over = threading.Event()

    def serve(connection):
        with context.wrap_socket(connection, server_side=True) as shaken:
            shaken.recv(1_000)
            shaken.sendall(answer(b'{"error": "too much"}', status=413))
            if not hangs_up:
                over.wait(20)

    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    with Scripted(serve) as server:
        client = talk(server.url.replace("http://", "https://"), verify=trusting, timeout=15.0)
        began = time.monotonic()
        with pytest.raises(CorvoError, match="too much" if not hangs_up else None):
            client.send(Call("POST", "/", bytes, LARGE, again=Again.NEVER))
        assert time.monotonic() - began < 10
        over.set()
