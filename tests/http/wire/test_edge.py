"""The edge as a server: protocols, headers, limits, shutdown."""

import asyncio
import json

import h2.connection
import h2.events
import pytest

from corvo.http.api.table import routes
from tests.support.node import running, until


async def test_any_options_request_is_answered_before_anything_else(client):
    for path in ("/api/v1/enqueue", "/api/v1/queues", "/nothing"):
        reply = await client.request("OPTIONS", path)
        assert (reply.status, reply.body) == (200, b"")
        assert not [name for name in reply.headers if name.startswith("access-control")]


async def test_pages_of_the_origins_that_are_listed_may_call_the_node(tmp_path):
    listed = "https://app.example, http://other.example:81"
    async with running(tmp_path / "data", cors_origin=listed) as node:
        for origin in ("https://app.example", "http://other.example:81"):
            for method, path in (("OPTIONS", "/nothing"), ("GET", "/healthz"), ("POST", "/api/v1/enqueue")):
                reply = await node.client.request(method, path, {"queue": "q"}, Origin=origin)
                assert reply.status in (200, 201)
                assert reply.headers["access-control-allow-origin"] == origin
                assert reply.headers["access-control-allow-credentials"] == "true"
                assert reply.headers["vary"] == "origin"
                assert "POST" in reply.headers["access-control-allow-methods"]
                assert "X-API-Key" in reply.headers["access-control-allow-headers"]
        refused = await node.client.request("OPTIONS", "/healthz", Origin="https://app.example:444")
        assert (refused.status, refused.code) == (403, "ORIGIN_NOT_ALLOWED")
        assert "access-control-allow-origin" not in refused.headers
        # A cache must not give the answer for one page to another.
        assert (await node.client.get("/healthz")).headers["vary"] == "origin"


async def test_all_pages_may_call_a_node_that_says_so_but_without_credentials(tmp_path):
    async with running(tmp_path / "data", cors_origin="*") as node:
        reply = await node.client.get("/healthz", Origin="https://any.example")
        assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "*")
        assert "access-control-allow-credentials" not in reply.headers


async def test_health_info_and_docs_are_there(client):
    assert (await client.get("/healthz")).json() == {"status": "ok", "raft_state": "Leader", "leader": True}
    info = (await client.get("/api/v1/info")).json()
    assert info["server_version"] == info["api_version"]
    page = await client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert b"http://" not in page.body.replace(b"http://www.w3.org", b"")
    assert b"https://" not in page.body


async def test_docs_can_be_switched_off(tmp_path):
    async with running(tmp_path / "a", docs_enabled=False) as node:
        assert (await node.client.get("/docs")).status == 404
        assert (await node.client.get("/openapi.json")).status == 404
        assert (await node.client.get("/healthz")).status == 200


async def test_the_api_description_names_every_route(client):
    reply = await client.get("/openapi.json")
    assert reply.headers["cache-control"] == "public, max-age=300"
    api = reply.json()
    assert api["openapi"] == "3.1.0"
    for route in routes():
        if route.tag == "Docs":
            continue
        operation = api["paths"][route.path][route.method.lower()]
        assert operation["summary"], route.path
        assert str(route.status) in operation["responses"]
        assert "500" in operation["responses"]
    operations = [operation["operationId"] for path in api["paths"].values() for operation in path.values()]
    assert len(set(operations)) == len(operations)
    assert {"enqueue", "ack", "heartbeat"} <= set(operations)
    text = json.dumps(api)
    for name in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert name in api["components"]["schemas"]


async def test_events_can_be_read_after_a_number(client):
    job_id = await client.enqueue()
    await client.fetch(worker_id="w1")
    await client.post(f"/api/v1/fail/{job_id}", {"error": "x"})
    events = (await client.get("/api/v1/cluster/events")).json()["events"]
    assert [(e["seq"], e["type"]) for e in events] == [(1, "enqueued"), (2, "started"), (3, "failed")]
    assert events[1]["data"] == {"attempt": 1, "worker_id": "w1"}
    assert events[2]["data"]["error"] == "x"
    assert events[2]["data"]["next_attempt_at"].endswith("Z")
    later = (await client.get("/api/v1/cluster/events?after_seq=1&limit=1")).json()["events"]
    assert [e["seq"] for e in later] == [2]


async def test_one_connection_serves_many_requests(client):
    connection = await client.connect()
    for _ in range(50):
        assert (await connection.request("POST", "/api/v1/enqueue", {"queue": "q"})).status == 201
        assert (await connection.request("GET", "/api/v1/queues")).status == 200
    await connection.close()


async def test_http2_without_tls_on_the_same_port(node):
    reader, writer = await asyncio.open_connection("127.0.0.1", int(node.address.rpartition(":")[2]))
    connection = h2.connection.H2Connection()
    connection.initiate_connection()
    body = json.dumps({"queue": "q"}).encode()
    for stream in (1, 3, 5):
        head = [
            (":method", "POST"),
            (":path", "/api/v1/enqueue"),
            (":scheme", "http"),
            (":authority", "localhost"),
        ]
        connection.send_headers(stream, [*head, ("content-length", str(len(body)))])
        connection.send_data(stream, body, end_stream=True)
    writer.write(connection.data_to_send())
    statuses, ended = {}, set()
    while len(ended) < 3:
        for event in connection.receive_data(await reader.read(65_536)):
            if isinstance(event, h2.events.ResponseReceived):
                statuses[event.stream_id] = dict(event.headers)[b":status"]
            elif isinstance(event, h2.events.StreamEnded):
                ended.add(event.stream_id)
        writer.write(connection.data_to_send())
    writer.close()
    assert statuses == {1: b"201", 3: b"201", 5: b"201"}


async def test_a_head_that_is_too_large_is_refused_in_json(tmp_path):
    async with running(tmp_path / "a", max_header_size=4_096) as node:
        reply = await node.client.get("/healthz", X_Filler="x" * 300_000)
        assert (reply.status, reply.code) == (431, "HEADERS_TOO_LARGE")
        assert (await node.client.get("/healthz")).status == 200


async def test_what_is_not_http_is_refused_in_json_and_the_node_lives(client):
    reader, writer = await asyncio.open_connection(client.host, client.port)
    writer.write(b"\x00\x01\x02 nonsense\r\n\r\n")
    answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 400")
    assert b'"code":"PARSE_ERROR"' in answer
    assert (await client.get("/healthz")).status == 200


async def test_a_body_that_does_not_arrive_in_time_is_given_up(tmp_path):
    async with running(tmp_path / "a", body_timeout=200) as node:
        for path in ("/api/v1/enqueue", "/api/v1/jobs/bulk-get"):
            reader, writer = await asyncio.open_connection(node.client.host, node.client.port)
            writer.write(f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{{".encode())
            async with asyncio.timeout(5):
                answer = await reader.read()
            writer.close()
            assert answer.startswith(b"HTTP/1.1 408"), path
            assert b"REQUEST_TIMEOUT" in answer


async def test_an_idle_connection_is_closed(tmp_path):
    async with running(tmp_path / "a", idle_timeout=1_000) as node:
        reader, writer = await asyncio.open_connection(node.client.host, node.client.port)
        async with asyncio.timeout(5):
            assert await reader.read() == b""
        writer.close()


async def test_overload_is_answered_429_with_a_hint(tmp_path):
    async with running(tmp_path / "a", raft_max_pending=1, apply_batch_max=1) as node:
        replies = await asyncio.gather(
            *(node.client.post("/api/v1/enqueue", {"queue": "q"}) for _ in range(60))
        )
        refused = [reply for reply in replies if reply.status == 429]
        assert refused
        assert {reply.code for reply in refused} == {"OVERLOADED"}
        for reply in refused:
            assert 1 <= reply.json()["retry_after_ms"] <= 7
            assert float(reply.headers["retry-after"]) == reply.json()["retry_after_ms"] / 1_000
        accepted = [reply for reply in replies if reply.status == 201]
        (queue,) = (await node.client.get("/api/v1/queues")).json()
        assert queue["pending"] == len(accepted)


async def test_stopping_answers_waiting_polls_with_204(tmp_path):
    async with running(tmp_path / "a") as node:
        polls = [
            asyncio.create_task(node.client.post("/api/v1/fetch", {"queues": ["q"], "timeout": 60}))
            for _ in range(20)
        ]
        batch = asyncio.create_task(node.client.post("/api/v1/fetch/batch", {"queues": ["q"], "timeout": 60}))

        async def waiting():
            return b"corvo_fetch_waiting 21.0" in (await node.client.get("/api/v1/metrics")).body

        await until(waiting)
    async with asyncio.timeout(1):
        assert [(await poll).status for poll in polls] == [204] * 20
        assert (await batch).json() == {"jobs": []}


@pytest.mark.parametrize("route", routes(), ids=lambda route: f"{route.method} {route.path}")
def test_every_route_says_what_it_is(route):
    assert route.summary
    assert route.needs is not None or route.path in ("/healthz", "/api/v1/info", "/openapi.json", "/docs")
    reads_jobs = (route.method, route.path) in (
        ("GET", "/api/v1/jobs/{job_id}"),
        ("POST", "/api/v1/jobs/bulk-get"),
    )
    assert (route.hot and not reads_jobs) == route.path.startswith(
        (
            "/api/v1/enqueue",
            "/api/v1/fetch",
            "/api/v1/ack",
            "/api/v1/fail/",
            "/api/v1/release",
            "/api/v1/heartbeat",
            "/api/v1/stream",
        )
    )


@pytest.mark.parametrize(
    "hello", [b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
)
async def test_a_connection_that_was_closed_leaves_nothing_behind(client, hello):
    """Not even until the idle timeout: with a connection per request that is a lot."""
    await client.get("/healthz")
    before = len(asyncio.all_tasks())
    for _ in range(20):
        reader, writer = await asyncio.open_connection(client.host, client.port)
        writer.write(hello)
        if hello:
            await reader.read(10)
        writer.close()
    await until(lambda: len(asyncio.all_tasks()) <= before, seconds=5)


async def test_a_websocket_is_refused_in_json(client):
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    reply = await client.get("/api/v1/events", **upgrade)
    assert (reply.status, reply.code) == (404, "NOT_FOUND")
