"""Requests that are refused: every edge says so in JSON, with the same status and code."""

import asyncio
import json

import pytest

from tests.http.edges.choices import BODY_BYTES_MAX, HEAD_BYTES_MAX
from tests.http.edges.wire import chunk, connected, exchange, head

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/nowhere", None, 404, "NOT_FOUND"),
        ("POST", "/api/v1/nowhere", {}, 404, "NOT_FOUND"),
        ("GET", "/api/v1/jobs/job_none", None, 404, "NOT_FOUND"),
        ("GET", "/api/v1/enqueue", None, 405, "METHOD_NOT_ALLOWED"),
        ("PUT", "/api/v1/queues", {}, 405, "METHOD_NOT_ALLOWED"),
        ("BREW", "/api/v1/fetch", {}, 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/v1/enqueue", b'{"queue":', 400, "PARSE_ERROR"),
        ("POST", "/api/v1/enqueue", b'{"queue":"\xff"}', 400, "PARSE_ERROR"),
        ("POST", "/api/v1/enqueue", {"queue": 1}, 400, "PARSE_ERROR"),
        ("POST", "/api/v1/enqueue", {"queue": ""}, 400, "VALIDATION_ERROR"),
        ("POST", "/api/v1/jobs/search", b"[", 400, "PARSE_ERROR"),
        ("POST", "/api/v1/jobs/search", b"\xff", 400, "PARSE_ERROR"),
        ("POST", "/api/v1/enqueue", b" " * (BODY_BYTES_MAX + 1), 413, "PAYLOAD_TOO_LARGE"),
        ("POST", "/api/v1/jobs/search", b" " * (BODY_BYTES_MAX + 1), 413, "PAYLOAD_TOO_LARGE"),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_a_refusal_is_json(client, method, path, body, status, code):
    reply = await client.request(method, path, body)
    assert (reply.status, reply.code) == (status, code)
    assert set(reply.json()) >= {"error", "hint", "request_id"}
    assert ("allow" in reply.headers) == (status == 405)


@pytest.mark.parametrize("path", ["/api/v1/enqueue", "/api/v1/jobs/search"])
async def test_a_body_of_unknown_length_has_a_limit(client, path):
    pieces = [chunk(b" " * 8_192)] * (BODY_BYTES_MAX // 8_192 + 2)
    answer = await exchange(client, head("POST", path, "transfer-encoding: chunked"), *pieces)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"PAYLOAD_TOO_LARGE" in answer


async def test_a_body_that_does_not_come_is_given_up(client):
    begun = [
        (head("POST", path, length), piece)
        for path in ("/api/v1/enqueue", "/api/v1/jobs/search")
        for length, piece in (("content-length: 100", b"{"), ("transfer-encoding: chunked", chunk(b"{")))
    ]
    for answer in await asyncio.gather(*(exchange(client, *writes) for writes in begun)):
        assert answer.startswith(b"HTTP/1.1 408")
        assert b"REQUEST_TIMEOUT" in answer


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x00\x01\x02 nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nhost x\r\n\r\n",
        b"POST /api/v1/enqueue HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx",
        b"POST /api/v1/enqueue HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
    ],
)
async def test_what_is_not_http(server, client, nonsense):
    answer = await exchange(client, nonsense)
    assert answer.startswith(b"HTTP/1.1 400")
    _, _, body = answer.partition(b"\r\n\r\n")
    if server.choice.differs("bare_refusals"):
        assert body == b""
    else:
        assert json.loads(body)["code"] == "PARSE_ERROR"
    assert (await client.get("/healthz")).status == 200


async def test_a_head_that_says_in_two_ways_how_long_the_body_is(client):
    """A proxy may have believed the other one; the second request would then be somebody else's."""
    ambiguous = head("POST", "/api/v1/enqueue", "content-length: 5", "transfer-encoding: chunked")
    hidden = head("GET", "/healthz", "connection: close")
    answer = await exchange(client, ambiguous + b"0\r\n\r\n" + hidden)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b" 200 " not in answer


async def test_a_head_that_is_too_large(server, client):
    answer = await exchange(client, head("GET", "/healthz", "x-filler: " + "x" * 10 * HEAD_BYTES_MAX))
    assert answer.startswith(b"HTTP/1.1 431")
    _, _, body = answer.partition(b"\r\n\r\n")
    if server.choice.differs("bare_refusals"):
        assert body == b""
    else:
        assert json.loads(body)["code"] == "HEADERS_TOO_LARGE"
    almost = await client.get("/healthz", X_Filler="x" * (HEAD_BYTES_MAX - 1_024))
    assert almost.status == 200


@pytest.mark.parametrize("name", ["hypercorn", "granian"])
async def test_a_small_limit_for_heads(start, name):
    server = start(name, "--max-header-size", "1024")
    begun = head("GET", "/healthz", "x-filler: " + "x" * 4_096)[:-2]
    async with connected(server.client) as (reader, writer), asyncio.timeout(10):
        writer.write(begun)
        if server.choice.differs("head_at_least_8k"):
            # Only when it is complete does anybody find it good.
            writer.write(b"\r\n")
            assert b" 200 " in await reader.readline()
        else:
            assert b" 431 " in await reader.readline()


async def test_a_websocket(client):
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    reply = await client.get("/api/v1/events", **upgrade)
    assert (reply.status, reply.code) == (404, "NOT_FOUND")
