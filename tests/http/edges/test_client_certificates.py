"""Certificates of clients: who shows one that we trust is known by its name, on every way in."""

import asyncio
import json
import ssl

import pytest

from corvo.http.serve.asgi_hot import AsgiHot
from corvo.http.serve.respond import Responder
from tests.http.api.test_stream import Http1, Http2, Talker
from tests.http.edges.wire import H2, connected
from tests.support.certificates import Authority
from tests.support.client import Client
from tests.support.node import running, until

pytestmark = pytest.mark.slow

EDGES = {
    "hypercorn": {"edge": "hypercorn"},
    "granian": {"edge": "granian"},
    "edge-workers": {"edge": "hypercorn", "edge_workers": 1},
    "granian-edge-workers": {"edge": "granian", "edge_workers": 1},
}
#: What proxies write and some servers believe.
CLAIMS = {
    "X-Client-Cert": "root",
    "X-Forwarded-Client-Cert": 'Subject="CN=root"',
    "X-SSL-Client-S-DN": "CN=root",
    "corvo.certificate": "root",
    "certificate": "root",
}


@pytest.fixture
def servers(tmp_path):
    """Who signs the certificates of servers."""
    return Authority(tmp_path, "servers")


@pytest.fixture
def people(tmp_path):
    """Who signs those of clients."""
    return Authority(tmp_path, "people")


@pytest.fixture
def heard(monkeypatch):
    """Path and certificate of every request that the node was asked."""
    heard = []
    respond, begin = Responder.respond, Responder.begin

    async def noted_respond(self, route, request):
        heard.append((request.path, request.certificate))
        return await respond(self, route, request)

    def noted_begin(self, route, request, tell):
        done = begin(self, route, request, tell)
        if done:
            heard.append((request.path, request.certificate))
        return done

    monkeypatch.setattr(Responder, "respond", noted_respond)
    monkeypatch.setattr(Responder, "begin", noted_begin)
    return heard


@pytest.fixture(params=EDGES)
def start(request, tmp_path, servers, people):
    def start(auth):
        tls = {"tls_client_ca": str(people.file), "tls_client_auth": auth}
        return running(tmp_path / "data", **EDGES[request.param], **servers.write("server").settings, **tls)

    return start


async def ask_every_way(client):
    """A hot route by a whole and by half a body, one of Quart's, one that is not there, streams, HTTP/2."""
    connection = await client.connect()
    await connection.request("POST", "/api/v1/enqueue", {"queue": "q"}, **CLAIMS)
    await connection.request("GET", "/api/v1/queues", **CLAIMS)
    await connection.request("POST", "/api/v1/enqueue", {"queue": "q"}, **CLAIMS)
    await connection.close()
    async with connected(client, "h2") as (reader, writer):
        talk = H2(reader, writer)
        body = json.dumps({"queue": "q"}).encode()
        assert (await talk.answer(talk.open("POST", "/api/v1/enqueue", body)))[0] == 201
        assert (await talk.answer(talk.open("GET", "/api/v1/queues")))[0] == 200
    for carrier in (Http1, Http2):
        async with carrier(client) as stream:
            await Talker(stream).ask(queues=["q"], worker_id="w")
            stream.end()


async def test_a_verified_name_arrives_on_every_way_in(start, servers, people, heard):
    shown = people.write("client", "ci.example.com", common_name="build-farm")
    async with start("optional") as node:
        client = Client(node.address, lambda: servers.trust(shown))
        await until(lambda: is_up(client))
        heard.clear()
        await ask_every_way(client)
        assert {path for path, _ in heard} == {"/api/v1/enqueue", "/api/v1/queues", "/api/v1/stream"}
        assert len(heard) == 7
        assert {name for _, name in heard} == {"build-farm"}


async def test_the_application_knows_that_tls_is_spoken(start, servers, monkeypatch):
    schemes = []
    ask = AsgiHot.__call__

    async def noted(self, scope, receive, send):
        schemes.append(scope["scheme"])
        await ask(self, scope, receive, send)

    monkeypatch.setattr(AsgiHot, "__call__", noted)
    async with start("optional") as node:
        client = Client(node.address, servers.trust)
        await until(lambda: is_up(client))
        await client.get("/api/v1/queues")
        async with connected(client, "h2") as (reader, writer):
            talk = H2(reader, writer)
            # What a client calls it does not count.
            await talk.answer(talk.open("GET", "/api/v1/queues"))
    assert set(schemes) == {"https"}


async def test_without_a_certificate_there_is_no_name_whatever_a_header_says(start, servers, heard):
    async with start("optional") as node:
        client = Client(node.address, servers.trust)
        await until(lambda: is_up(client))
        heard.clear()
        await ask_every_way(client)
        assert len(heard) == 7
        assert {name for _, name in heard} == {""}


async def test_a_name_is_its_connections_and_nobody_elses(start, servers, people, heard):
    shown = [people.write(name, f"{name}.example.com", common_name=name) for name in ("ada", "bob")]
    async with start("optional") as node:
        clients = [Client(node.address, lambda files=files: servers.trust(files)) for files in [*shown, None]]
        await until(lambda: is_up(clients[0]))
        heard.clear()
        kept = [await client.connect() for client in clients]
        for _ in range(4):
            # Quart's way and the hot one, all at once.
            await asyncio.gather(
                *(
                    connection.request("GET", f"/api/v1/queues/of-{number}")
                    for number, connection in enumerate(kept)
                )
            )
        names = {path[-1]: {n for p, n in heard if p == path} for path, _ in heard}
        assert names == {"0": {"ada"}, "1": {"bob"}, "2": {""}}
        for connection in kept:
            await connection.close()


@pytest.mark.parametrize("auth", ["optional", "required"])
async def test_a_certificate_of_another_authority_is_refused_in_the_handshake(
    start, servers, people, heard, tmp_path, auth
):
    stranger = Authority(tmp_path, "strangers").write("stranger", "x.example.com", common_name="root")
    async with start(auth) as node:
        known = Client(
            node.address, lambda: servers.trust(people.write("c", "c.example.com", common_name="c"))
        )
        await until(lambda: is_up(known))
        heard.clear()
        with pytest.raises(ssl.SSLError, match="ALERT_UNKNOWN_CA"):
            await Client(node.address, lambda: servers.trust(stranger)).get("/healthz")
        assert heard == []


async def test_when_it_is_required_nobody_comes_in_without(start, servers, people, heard):
    shown = people.write("client", "ci.example.com", common_name="build-farm")
    async with start("required") as node:
        client = Client(node.address, lambda: servers.trust(shown))
        await until(lambda: is_up(client))
        heard.clear()
        with pytest.raises(ssl.SSLError, match="CERTIFICATE_REQUIRED"):
            await Client(node.address, servers.trust).get("/healthz")
        assert heard == []
        assert (await client.get("/api/v1/queues")).status == 200
        assert heard == [("/api/v1/queues", "build-farm")]


async def test_the_authority_of_clients_is_reloaded_and_tickets_of_the_old_one_are_worth_nothing(
    start, servers, people, tmp_path
):
    shown = people.write("client", "ci.example.com", common_name="build-farm")
    context = servers.trust(shown)
    async with start("required") as node:
        client = Client(node.address, lambda: context)
        await until(lambda: is_up(client))
        people.file.write_bytes(Authority(tmp_path, "others").file.read_bytes())
        await until(lambda: is_shut(client), seconds=20)


@pytest.mark.parametrize("tls", [False, True])
async def test_granians_own_port_is_not_for_clients(tmp_path, servers, heard, tls):
    settings = servers.write("server").settings if tls else {}
    async with running(tmp_path / "data", edge="granian", **settings) as node:
        host, port = node.node._server._proxy._address
        reply = await Client(f"{host}:{port}").get("/api/v1/queues")
        assert reply.status == 421
        assert heard == []


async def is_up(client):
    try:
        return (await client.get("/healthz")).status == 200
    except OSError:
        return False


async def is_shut(client):
    try:
        await client.get("/healthz")
    except ssl.SSLError as error:
        return error.reason == "TLSV1_ALERT_UNKNOWN_CA"
    return False
