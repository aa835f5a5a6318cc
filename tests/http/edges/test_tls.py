"""TLS on every edge: what works over plain HTTP works over it, and certificates are replaced meanwhile."""

import asyncio
import json
import os
import shutil
import signal
import ssl
from contextlib import suppress
from functools import partial

import pytest

from chaos.process import Server, free_port
from tests.http.api.test_stream import Http1, Http2, Talker
from tests.http.edges.choices import BODY_BYTES_MAX, CHOICES, SETTINGS
from tests.http.edges.conftest import EdgeServer
from tests.http.edges.test_dying import is_waiting
from tests.http.edges.test_hanging_up import REQUESTS, reset
from tests.http.edges.wire import H2, connected, exchange, head
from tests.support.certificates import Authority, serial_of
from tests.support.client import Client
from tests.support.node import until

pytestmark = pytest.mark.slow


class TlsProcess(Server):
    def __init__(self, trusting, *args):
        super().__init__(*args)
        self._trusting = trusting

    def is_healthy(self):
        return asyncio.run(self._is_healthy())

    async def _is_healthy(self):
        try:
            return (await Client(f"127.0.0.1:{self.port}", self._trusting).get("/healthz")).status == 200
        except OSError:
            return False


class TlsServer(EdgeServer):
    """An edge with a certificate, and a client that trusts it."""

    def __init__(self, folder, choice, *flags):
        self.choice = choice
        self.authority = Authority(folder)
        self.files = self.authority.write("server")
        self.trusting = self.authority.trust
        self.process = TlsProcess(
            self.trusting,
            folder / "data",
            free_port(),
            *(*SETTINGS, "--idle-timeout", "20s", *choice.flags, *self.files.flags, *flags),
        )
        self.address = f"127.0.0.1:{self.process.port}"
        self.client = Client(self.address, self.trusting)
        self.plain = Client(self.address)
        self._log = folder / "data.log"
        self.process.start()

    async def serial(self):
        """Of the certificate that a new connection is shown."""
        async with connected(self.client) as (_, writer):
            return serial_of(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))


@pytest.fixture(scope="module", params=CHOICES)
def server(request, tmp_path_factory):
    # Health is asked for in a loop of its own, which a fixture of a module is not in.
    server = TlsServer(tmp_path_factory.mktemp("tls"), CHOICES[request.param])
    yield server
    server.process.close()


# What plain HTTP does


async def test_requests_of_every_kind_are_answered_over_http1(client, queue):
    job_id = await client.enqueue(queue, {"n": 1})
    assert (await client.job(job_id))["state"] == "pending"
    found = await client.post("/api/v1/jobs/search", {"queue": queue})
    assert found.status == 200
    job = await client.fetch(queue)
    assert job["job_id"] == job_id
    assert (await client.get("/nowhere")).status == 404
    assert b"<html" in (await client.get("/ui/")).body
    connection = await client.connect()
    for _ in range(3):
        # The first and the last take another way than the one between them.
        assert (await connection.request("POST", "/api/v1/enqueue", {"queue": queue})).status == 201
        assert (await connection.request("GET", "/api/v1/info")).status == 200
    await connection.close()


async def test_http2_is_agreed_on_in_the_handshake(client, queue):
    async with connected(client, "h2") as (reader, writer):
        talk = H2(reader, writer)
        enqueue = talk.open("POST", "/api/v1/enqueue", json.dumps({"queue": queue}).encode())
        assert (await talk.answer(enqueue))[0] == 201
        numbers = [talk.open("GET", "/api/v1/info"), talk.open("GET", "/nowhere")]
        assert [(await talk.answer(number))[0] for number in numbers[-1:]] == [404]
        status, body = await talk.answer(talk.open("GET", f"/api/v1/queues/{queue}"))
        assert (status, json.loads(body)["name"]) == (200, queue)


@pytest.mark.parametrize("carrier", [Http1, Http2])
async def test_a_worker_has_its_stream(client, queue, carrier):
    async with carrier(client) as stream:
        talker = Talker(stream)
        await talker.ask(queues=[queue], worker_id="w")
        talker.say(fetch_count=1, wait_ms=20_000)
        made = await client.enqueue(queue, "x" * 60_000)
        (job,) = (await talker.hear())["jobs"]
        assert (job["job_id"], len(job["payload"])) == (made, 60_000)
        acks = [{"job_id": job["job_id"], "lease_token": job["lease_token"]}]
        assert (await talker.ask(acks=acks))["acked"] == 1
        stream.end()


async def test_events_are_heard(client, queue):
    async with connected(client) as (reader, writer):
        writer.write(head("GET", f"/api/v1/events?queue={queue}&types=enqueued"))
        async with asyncio.timeout(10):
            assert b" 200 " in await reader.readline()
            await reader.readuntil(b"\r\n\r\n")
            made = await client.enqueue(queue)
            while made.encode() not in await reader.readline():
                pass


async def test_a_body_that_is_too_large_is_refused_with_an_answer(client):
    for size in (BODY_BYTES_MAX + 1, 40 * BODY_BYTES_MAX):
        reply = await client.post("/api/v1/enqueue", b"x" * size)
        assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")


async def test_many_connections_at_once_are_all_served(client, queue):
    await asyncio.gather(*(client.enqueue(queue) for _ in range(60)))
    assert (await client.get(f"/api/v1/queues/{queue}")).json()["pending"] == 60


# What only TLS does


async def test_plain_http_gets_a_sentence(server):
    for said in (
        head("GET", "/healthz"),
        head("POST", "/api/v1/enqueue", "content-length: 200000") + b"x" * 200_000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9),
    ):
        answer = await exchange(server.plain, said)
        assert answer.startswith(b"HTTP/1.1 400 Bad Request\r\n"), answer
        body = json.loads(answer.partition(b"\r\n\r\n")[2])
        assert body["code"] == "TLS_REQUIRED"
        assert "https://" in body["error"]


async def test_what_is_neither_is_hung_up_on(server):
    assert await exchange(server.plain, bytes(range(256))) == b""


async def test_tls_1_2_has_a_key_for_each_connection_and_older_is_refused(server):
    older = server.authority.trust()
    older.maximum_version = ssl.TLSVersion.TLSv1_2
    async with connected(Client(server.address, lambda: older)) as (_, writer):
        name, version, _ = writer.get_extra_info("cipher")
        assert version == "TLSv1.2"
        assert name.startswith("ECDHE-")
        assert "GCM" in name or "CHACHA20" in name
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION"):
        await Client(server.address, lambda: old).get("/healthz")


async def test_who_does_not_trust_the_certificate_is_told_by_its_own_side(server):
    with pytest.raises(ssl.SSLCertVerificationError):
        await Client(server.address, ssl.create_default_context).get("/healthz")


# Reloading


@pytest.fixture(params=CHOICES)
def own(request, tmp_path):
    """A server of this test alone."""
    server = TlsServer(tmp_path, CHOICES[request.param])
    yield server
    server.process.close()


async def shows(server, serial):
    """Edge processes look at the files each by itself."""
    seen = [await server.serial() for _ in range(6)]
    return set(seen) == {serial}


async def test_a_new_certificate_is_shown_and_nothing_is_dropped(own):
    stop = asyncio.Event()
    answered = []

    async def ask_again_and_again(connection):
        while not stop.is_set():
            if connection is None:
                answered.append(await own.client.get("/healthz"))
            else:
                answered.append(await connection.request("POST", "/api/v1/enqueue", {"queue": "q"}))

    kept = await own.client.connect()
    asking = [asyncio.create_task(ask_again_and_again(connection)) for connection in (kept, None, None)]
    async with Http1(own.client) as stream:
        talker = Talker(stream)
        await talker.ask(queues=["others"], worker_id="w")
        for _ in range(2):
            new = own.authority.write("server").serial()
            await until(partial(shows, own, new), seconds=20)
        await talker.ask(queues=["others"], worker_id="w")
    stop.set()
    await asyncio.gather(*asking)
    assert len(answered) > 10
    assert {reply.status for reply in answered} == {200, 201}
    assert own.logged("tls.reloaded")
    await kept.close()


async def test_broken_files_change_nothing_until_they_are_mended(own):
    await until(lambda: len(own.logged("edge.ready")) == own.choice.edge_workers)
    before = own.files.serial()
    key = own.files.key.read_text()
    own.files.key.write_text("no key at all")
    await until(lambda: own.logged("tls.not_reloaded"))
    assert "holds no private key" in own.logged("tls.not_reloaded")[-1]["reason"]
    assert await shows(own, before)

    # As a program that renews does it: a new certificate first, and its key a moment later.
    renewed = own.authority.write("renewed")
    own.files.key.write_text(key)
    shutil.copy(renewed.certificate, own.files.certificate)
    await until(lambda: "not that of" in own.logged("tls.not_reloaded")[-1]["reason"])
    assert await shows(own, before)

    shutil.copy(renewed.key, own.files.key)
    await until(lambda: shows(own, renewed.serial()), seconds=20)
    text = (own.process.data_dir.parent / "data.log").read_text()
    assert "Traceback" not in text
    assert "PRIVATE KEY" not in text


async def test_an_edge_process_that_finds_broken_files_waits_for_better_ones(tmp_path):
    own = await asyncio.to_thread(TlsServer, tmp_path, CHOICES["edge-workers"])
    try:
        await until(lambda: len(own.logged("edge.ready")) == 2)
        key = own.files.key.read_text()
        own.files.key.write_text("no key at all")
        os.kill(own.logged("edge.ready")[0]["pid"], signal.SIGKILL)
        await until(lambda: own.logged("edge.no_certificate"))
        assert (await own.client.get("/healthz")).status == 200
        own.files.key.write_text(key)
        await until(lambda: len(own.logged("edge.ready")) == 3)
        assert "Traceback" not in (tmp_path / "data.log").read_text()
    finally:
        own.process.close()


async def test_a_hang_up_signal_reads_the_files_and_ends_nothing(own):
    await until(lambda: len(own.logged("edge.ready")) == own.choice.edge_workers)
    processes = own.choice.edge_workers or 1
    for count in (1, 2):
        os.kill(own.process.pid, signal.SIGHUP)
        await until(lambda count=count: len(own.logged("tls.reloaded")) == count * processes)
    assert (await own.client.get("/healthz")).status == 200


async def test_no_hang_up_over_tls_leaves_a_trace_in_the_log(own):
    for how in (abort, reset, end):
        for make in REQUESTS.values():
            reader, writer = await own.client.open()
            writer.write(make("hung-up"))
            await asyncio.sleep(0.02)
            how(writer)
            with suppress(OSError):
                await reader.read()
                await writer.wait_closed()
    async with connected(own.client, "h2") as (reader, writer):
        talk = H2(reader, writer)
        talk.open("GET", "/api/v1/events")
        await asyncio.sleep(0.02)
        abort(writer)
    await until(lambda: own.client.get("/healthz"))
    own.process.terminate()
    said = (own.process.data_dir.parent / "data.log").read_text()
    for trace in ("Traceback", "never retrieved", "http.failed", "Exception in", "eof_received", "Fatal"):
        assert trace not in said, said[max(0, said.index(trace) - 500) : said.index(trace) + 3_000]


def abort(writer):
    """The connection ends without a word of goodbye."""
    writer.transport.abort()


def end(writer):
    writer.close()


async def test_a_node_that_stops_answers_who_waits_over_tls(own):
    waiting = asyncio.create_task(own.client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 60}))
    async with connected(own.client, "h2") as (reader, writer):
        talk = H2(reader, writer)
        number = talk.open("POST", "/api/v1/fetch", json.dumps({"queues": ["q"], "timeout": 60}).encode())
        await until(lambda: is_waiting(own.client, 2))
        # And one who never begins to shake hands.
        async with connected(own.plain):
            assert await asyncio.to_thread(own.process.terminate) == 0
        assert (await waiting).status == 204
        assert (await talk.answer(number))[0] == 204
    text = (own.process.data_dir.parent / "data.log").read_text()
    assert "Traceback" not in text, text
