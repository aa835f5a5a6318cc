"""Requests that are answered: every edge, hot and cold routes, over HTTP/1.1 and HTTP/2."""

import asyncio
import json

import pytest

from tests.http.edges.wire import H2, chunk, connected, exchange, head

pytestmark = pytest.mark.slow


async def test_it_is_the_edge_that_was_asked_for(server):
    (started,) = server.logged("node.started")
    choice = server.choice
    assert (started["edge"], started["loop"]) == (choice.edge, choice.loop)
    assert started["edge_workers"] == choice.edge_workers
    ready = server.logged("edge.ready")
    assert {line["loop"] for line in ready} <= {choice.loop}
    assert len(ready) <= choice.edge_workers
    reply = await server.client.get("/healthz")
    assert ("server" in reply.headers) == choice.differs("server_header")


async def test_the_life_of_a_job(client, queue):
    job_id = await client.enqueue(queue, {"name": "Zoë"})
    job = await client.fetch(queue, worker_id="w")
    assert (job["job_id"], job["payload"]) == (job_id, {"name": "Zoë"})
    beat = await client.post("/api/v1/heartbeat", {"jobs": {job_id: {}}})
    assert beat.json()["jobs"][job_id]["status"] == "ok"
    failed = await client.post(f"/api/v1/fail/{job_id}", {"error": "x"})
    assert failed.json()["status"] == "retrying"
    batch = await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": queue}] * 3})
    assert batch.status == 201
    for _ in range(3):
        job = await client.fetch(queue)
        acked = await client.post(f"/api/v1/ack/{job['job_id']}", {"result": 1})
        assert (acked.status, int(acked.headers["x-corvo-index"]) > 0) == (200, True)


async def test_cold_routes(client, queue):
    job_id = await client.enqueue(queue)
    assert (await client.job(job_id))["state"] == "pending"
    assert (await client.get("/healthz")).json()["status"] == "ok"
    assert queue in [row["name"] for row in (await client.get("/api/v1/queues")).json()]
    found = await client.post("/api/v1/jobs/search", {"queue": queue})
    assert [job["id"] for job in found.json()["jobs"]] == [job_id]
    page = await client.get("/ui/")
    assert page.headers["content-type"].startswith("text/html")
    assert (await client.get(f"/api/v1/jobs/{job_id}?wait=10ms")).status == 200
    assert (await client.request("DELETE", f"/api/v1/jobs/{job_id}")).status == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        # Hot: a wait that can be read finds no job, another is refused.
        ("/api/v1/jobs/job_none?wait=1ms", 404),
        ("/api/v1/jobs/job_none?wait=1ms&wait=bad", 404),
        ("/api/v1/jobs/job_none?wait=bad&wait=1ms", 400),
        ("/api/v1/jobs/job_none?wait=%31ms", 404),
        # Cold.
        ("/api/v1/dead?limit=1&limit=bad", 200),
        ("/api/v1/dead?limit=bad&limit=1", 400),
        ("/api/v1/dead?order=%61sc", 200),
    ],
)
async def test_a_query_means_the_same_wherever_it_was_read(client, path, status):
    assert (await client.get(path)).status == status


async def test_a_request_line_may_hold_the_whole_address(client, queue):
    body = json.dumps({"queue": queue}).encode()
    assert (await client.request("POST", "http://localhost/api/v1/enqueue", body)).status == 201
    assert (await client.get("http://localhost/api/v1/queues")).status == 200


@pytest.mark.parametrize("name", ["hypercorn", "granian", "granian-edge-workers"])
async def test_clients_are_told_apart_by_their_address(start, name):
    """Also by an edge that does not accept their connections itself."""
    limits = ("--rate-limit-enabled", "true", "--rate-limit-read-rps", "1", "--rate-limit-read-burst", "2")
    server = start(name, *limits)

    async def statuses(address):
        async with connected(server.client, local_addr=(address, 0)) as (reader, writer):
            found = []
            for _ in range(3):
                writer.write(head("GET", "/api/v1/queues"))
                found.append(int((await reader.readuntil(b"\r\n\r\n")).split()[1]))
                await reader.readuntil(b"]" if found[-1] == 200 else b"}")
            return found

    assert await statuses("127.0.0.2") == [200, 200, 429]
    assert await statuses("127.0.0.3") == [200, 200, 429]


async def test_escaped_paths_and_queries(client, queue):
    job_id = await client.enqueue(queue)
    escaped = "".join(f"%{ord(letter):02X}" for letter in job_id)
    assert (await client.get(f"/api/v1/jobs/{escaped}")).json()["id"] == job_id
    assert (await client.get("/api/v1/jobs/%C3%A9%2Fx")).status == 404
    refused = await client.get("/api/v1/cluster/events?limit=%C3%A9")
    assert (refused.status, "é" in refused.json()["error"]) == (400, True)


async def test_options_are_answered_at_every_path(client):
    for path in ("/api/v1/enqueue", "/api/v1/queues", "/nothing"):
        assert (await client.request("OPTIONS", path)).status == 200


async def test_a_slash_written_as_an_escape_separates_nothing(client, queue):
    job_id = await client.enqueue(queue)
    for path in (f"/api/v1/jobs%2F{job_id}", f"/api/v1%2fjobs/{job_id}", f"/api/v1/jobs/{job_id}%2Fretry"):
        for method in ("GET", "POST"):
            reply = await client.request(method, path)
            assert reply.status in (404, 405), path
    assert (await client.job(job_id))["state"] == "pending"


async def test_a_method_in_small_letters_is_another_method(client, queue):
    body = json.dumps({"queue": queue}).encode()
    for method, path in (("post", "/api/v1/enqueue"), ("get", "/healthz"), ("Get", "/api/v1/queues")):
        lines = (f"content-length: {len(body)}", "connection: close")
        answer = await exchange(client, head(method, path, *lines) + body)
        assert answer.startswith(b"HTTP/1.1 405"), answer
        async with connected(client) as wire:
            http = H2(*wire)
            assert (await http.answer(http.open(method, path)))[0] == 405
    assert await client.fetch(queue, timeout=0) is None


async def test_no_connection_is_turned_into_another_protocol(client):
    lines = ("connection: upgrade, http2-settings", "upgrade: h2c", "http2-settings: AAMAAABkAAQAAP__")
    async with connected(client) as (reader, writer), asyncio.timeout(10):
        writer.write(head("GET", "/healthz", *lines))
        assert b" 200 " in await reader.readline()


async def test_one_connection_serves_many_requests(client, queue):
    connection = await client.connect()
    for _ in range(10):
        assert (await connection.request("POST", "/api/v1/enqueue", {"queue": queue})).status == 201
        assert (await connection.request("GET", "/healthz")).status == 200
        assert (await connection.request("GET", "/nothing")).status == 404
        assert (await connection.request("POST", "/api/v1/enqueue", b"{")).status == 400
    await connection.close()


async def test_pipelined_requests_are_answered_in_order(client, queue):
    body = json.dumps({"queue": queue}).encode()
    hot = head("POST", "/api/v1/enqueue", f"content-length: {len(body)}") + body
    cold = head("GET", "/healthz")
    last = head("GET", "/nothing", "connection: close")
    answer = await exchange(client, hot + cold + hot + cold + last)
    statuses = [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [201, 200, 201, 200, 404]


@pytest.mark.parametrize("path", ["/api/v1/enqueue", "/api/v1/jobs/search"])
async def test_a_body_in_many_chunks(client, queue, path):
    body = json.dumps({"queue": queue}).encode()
    pieces = [chunk(body[at : at + 1]) for at in range(len(body))]
    request = head("POST", path, "transfer-encoding: chunked", "connection: close")
    answer = await exchange(client, request, *pieces, chunk(b""))
    assert answer.startswith((b"HTTP/1.1 201", b"HTTP/1.1 200"))


async def test_a_client_that_waits_to_be_asked_for_its_body(client, queue):
    body = json.dumps({"queue": queue}).encode()
    lines = (f"content-length: {len(body)}", "expect: 100-continue", "connection: close")
    async with connected(client) as (reader, writer), asyncio.timeout(10):
        writer.write(head("POST", "/api/v1/enqueue", *lines))
        assert b" 100 " in await reader.readline()
        writer.write(body)
        assert b"HTTP/1.1 201" in await reader.read()


async def test_an_old_client(client):
    answer = await exchange(client, b"GET /healthz HTTP/1.0\r\nhost: localhost\r\n\r\n")
    assert b" 200" in answer.splitlines()[0]
    assert answer.endswith(b"}")


async def test_http2_on_the_same_port(client, queue):
    async with connected(client) as wire:
        http = H2(*wire)
        body = json.dumps({"queue": queue}).encode()
        numbers = [http.open("POST", "/api/v1/enqueue", body) for _ in range(3)]
        assert (await http.answer(numbers[-1]))[0] == 201
        assert (await http.answer(http.open("GET", "/healthz")))[0] == 200
        assert (await http.answer(http.open("GET", "/nothing")))[0] == 404
    (row,) = [row for row in (await client.get("/api/v1/queues")).json() if row["name"] == queue]
    assert row["pending"] == 3


async def test_a_large_answer_arrives_whole(client, queue):
    payload = "x" * 50_000
    for _ in range(25):
        await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": queue, "payload": payload}] * 2})
    body = {"queues": [queue], "count": 50}
    reply = await client.post("/api/v1/fetch/batch", body)
    assert [job["payload"] for job in reply.json()["jobs"]] == [payload] * 50


async def test_many_connections_at_once(client, queue):
    replies = await asyncio.gather(
        *(client.post("/api/v1/enqueue", {"queue": queue}) for _ in range(100)),
        *(client.get("/healthz") for _ in range(20)),
    )
    assert {reply.status for reply in replies} == {200, 201}


async def test_a_key_makes_a_repetition_harmless(client, queue):
    first = await client.post("/api/v1/enqueue", {"queue": queue}, Idempotency_Key=queue)
    again = await client.post("/api/v1/enqueue", {"queue": queue}, Idempotency_Key=queue)
    assert first.json()["job_id"] == again.json()["job_id"]
    assert again.headers["idempotency-replayed"] == "true"
