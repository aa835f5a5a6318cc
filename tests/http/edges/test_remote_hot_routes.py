"""Hot routes in an edge process: a front of its own, the link, and an application at the other end."""

import asyncio
import json
import socket
from contextlib import asynccontextmanager

import h11
import pytest

from corvo.config import Config
from corvo.http.edges.remote_hot_routes import RemoteHotRoutes
from corvo.http.wire.server import HttpServer, bind
from tests.http.edges.test_link import linked
from tests.support.client import Client
from tests.support.node import until

NAMES = [("POST", "/hot"), ("POST", "/hot/{name}")]


async def tell(scope, receive, send):
    """What came over the link."""
    message = await receive()
    said = {
        "path": scope["path"],
        "query": scope["query_string"].decode(),
        "body": message["body"].decode(),
        "peer": scope["client"][0],
    }
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/x")]})
    await send({"type": "http.response.body", "body": json.dumps(said).encode()})


@asynccontextmanager
async def served(app, **settings):
    config = Config(**settings)
    async with linked(app) as both:
        both.relay.hot_routes = RemoteHotRoutes(both.relay, config, NAMES)
        server = HttpServer(config, both.relay, bind("127.0.0.1:0"))
        server.start()
        try:
            yield both, Client(server.address)
        finally:
            await server.stop()


@pytest.mark.parametrize("path", ["/hot", "/hot/one", "/cold"])
async def test_the_node_sees_the_same_whoever_has_read_the_request(path):
    async with served(tell) as (_, client):
        reply = await client.post(f"{path}?a=%C3%A9+b&empty=", b"text")
        assert (reply.status, reply.headers["content-type"]) == (200, "text/x")
        assert reply.json()["path"] == path
        assert reply.json()["body"] == "text"
        assert reply.json()["peer"] == "127.0.0.1"
        assert reply.json()["query"] == "a=%C3%A9+b&empty="


async def test_only_hot_routes_are_taken_by_fronts():
    routes = RemoteHotRoutes(None, Config(), NAMES)
    assert routes.find("POST", "/hot") is not None
    assert routes.find("POST", "/hot/x") is not None
    for method, path in (("GET", "/hot"), ("POST", "/hot/"), ("POST", "/hot/x/y"), ("POST", "/cold")):
        assert routes.find(method, path) is None


async def test_an_application_that_fails_breaks_the_connection_of_a_front():
    async def fail(scope, receive, send):
        raise RuntimeError("as planned")

    async with served(fail) as (both, client):
        with pytest.raises((ConnectionError, h11.RemoteProtocolError)):
            await client.post("/hot")
        assert both.relay._exchanges == {}


async def test_who_hangs_up_at_a_front_is_gone_at_the_node():
    gone = asyncio.Event()

    async def wait(scope, receive, send):
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async with served(wait) as (both, client):
        waiting = asyncio.create_task(client.post("/hot"))
        await until(lambda: both.heard_by_node)
        waiting.cancel()
        async with asyncio.timeout(5):
            await gone.wait()
        await until(lambda: both.relay._exchanges == {})


async def test_a_body_that_does_not_come_is_refused_here():
    async with served(tell, body_timeout=100) as (both, client):
        connection = socket.create_connection((client.host, client.port))
        connection.sendall(b"POST /hot HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n{")
        reader, writer = await asyncio.open_connection(sock=connection)
        async with asyncio.timeout(5):
            answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"x-content-type-options: nosniff" in answer
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["code"] == "REQUEST_TIMEOUT"
        assert both.heard_by_node == []
