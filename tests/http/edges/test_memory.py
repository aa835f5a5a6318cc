"""Bodies that are half sent and answers that nobody reads take a bounded amount of memory, on every edge."""

import asyncio
import socket

import pytest

from tests.http.edges.wire import H2, chunk, connected, exchange, head
from tests.support.node import until

pytestmark = pytest.mark.slow

MB = 1024 * 1024
LIMITS = (
    *("--request-memory-bytes", str(8 * MB), "--answer-memory-bytes", str(8 * MB)),
    *("--max-body-size", str(4 * MB), "--body-timeout", "20s", "--send-timeout", "20s"),
)
EDGES = ["hypercorn", "granian", "edge-workers"]


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("path", ["/api/v1/enqueue", "/api/v1/jobs/search"])
@pytest.mark.parametrize("length", [f"content-length: {4 * MB}", "transfer-encoding: chunked"])
async def test_of_many_half_sent_bodies_the_slowest_are_refused(start, name, path, length):
    client = start(name, *LIMITS).client
    half = b" " * (3 * MB)
    if length.startswith("transfer"):
        half = b"".join(chunk(half[at : at + 65_536]) for at in range(0, len(half), 65_536))
    held = [await asyncio.open_connection(client.host, client.port) for _ in range(8)]
    try:
        for _, writer in held:
            writer.write(head("POST", path, length) + half)
        async with asyncio.timeout(15):
            # With two edge processes each has half of the memory; how many connections each has is chance.
            refused = 0
            for reader, _ in held[:3] if name == "edge-workers" else held[:5]:
                refused += b" 429 " in await reader.readline()
        assert refused >= 3
        assert (await client.post("/api/v1/enqueue", {"queue": "q"})).status == 201
    finally:
        for _, writer in held:
            writer.close()


@pytest.mark.parametrize("name", ["hypercorn", "edge-workers"])
async def test_of_many_half_sent_lines_the_slowest_streams_are_closed(start, name):
    client = start(name, *LIMITS).client
    held = [await asyncio.open_connection(client.host, client.port) for _ in range(5)]
    try:
        for _, writer in held:
            request = head("POST", "/api/v1/stream", "transfer-encoding: chunked")
            writer.write(request + chunk(b" " * 65_536) * 48)
        async with asyncio.timeout(15):
            for reader, _ in held[:2]:
                await reader.readuntil(b"OVERLOADED")
    finally:
        for _, writer in held:
            writer.close()


async def test_a_line_of_a_stream_has_a_deadline(client):
    request = head("POST", "/api/v1/stream", "transfer-encoding: chunked")
    assert b"REQUEST_TIMEOUT" in await exchange(client, request + chunk(b'{"request_id":'))


@pytest.fixture
def heavy():
    """Jobs whose page takes about three megabytes."""

    async def heavy(client):
        jobs = [{"queue": "heavy", "payload": "x" * 100_000}] * 30
        assert (await client.post("/api/v1/enqueue/batch", {"jobs": jobs})).status in (200, 201)
        body = b'{"filter":{"queue":"heavy"},"limit":30}'

        async def is_found():
            reply = await client.post("/api/v1/jobs/search", body)
            return len(reply.body) > 2_900_000

        await until(is_found)
        return body

    return heavy


@pytest.mark.parametrize("name", [name for name in EDGES if "granian" not in name])
async def test_of_many_unread_answers_the_slowest_are_broken_off(start, heavy, name):
    client = start(name, *LIMITS).client
    body = await heavy(client)
    held = []
    try:
        for _ in range(8):
            narrow = socket.socket()
            narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            narrow.setblocking(False)
            await asyncio.get_running_loop().sock_connect(narrow, (client.host, client.port))
            held.append(narrow)
            request = head("POST", "/api/v1/jobs/search", f"content-length: {len(body)}") + body
            await asyncio.get_running_loop().sock_sendall(narrow, request)
        sizes = [await _rest(narrow) for narrow in held]
        whole = sum(size > 2_900_000 for size in sizes)
        # What lies in buffers of the kernel is not in our memory.
        assert whole < len(held)
        assert (await client.post("/api/v1/jobs/search", body)).status == 200
    finally:
        for narrow in held:
            narrow.close()


async def _rest(connection):
    loop, size = asyncio.get_running_loop(), 0
    try:
        async with asyncio.timeout(3):
            while data := await loop.sock_recv(connection, 1 << 20):
                size += len(data)
    except (TimeoutError, ConnectionError):
        """It came to no end."""
    return size


async def test_an_answer_over_http2_that_nobody_reads_is_given_up(start, heavy):
    client = start("hypercorn", *LIMITS, "--send-timeout", "1s").client
    body = await heavy(client)
    async with connected(client) as wire:
        http = H2(*wire)
        number = http.open("POST", "/api/v1/jobs/search", body)
        # The window is 64 KB, and nobody opens it again.
        assert await http.is_reset(number)
        assert (await http.answer(http.open("GET", "/healthz")))[0] == 200
