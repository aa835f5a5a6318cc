"""Clients that hang up at a bad moment: an ordinary thing, which leaves no traceback behind on any edge."""

import asyncio
import json
import socket
import struct
from pathlib import Path

import pytest

import corvo.http
from tests.http.edges.choices import CHOICES
from tests.http.edges.wire import chunk, connected, head
from tests.support.node import until

pytestmark = pytest.mark.slow


SCRIPT = next((Path(corvo.http.__file__).parent / "static" / "ui" / "assets").glob("index-*.js")).name


def stream_lines(queue):
    line = {"request_id": 1, "queues": [queue], "worker_id": "w", "fetch_count": 5, "wait_ms": 20_000}
    return chunk(json.dumps(line).encode() + b"\n")


REQUESTS = {
    "a stream with a fetch that waits": lambda queue: (
        head("POST", "/api/v1/stream", "transfer-encoding: chunked") + stream_lines(queue)
    ),
    "a stream that was ended": lambda queue: (
        head("POST", "/api/v1/stream", "transfer-encoding: chunked") + stream_lines(queue) + chunk(b"")
    ),
    "events": lambda queue: head("GET", "/api/v1/events?last_event_id=0"),
    "a long poll": lambda queue: _with_body("/api/v1/fetch", {"queues": [queue], "timeout": 20}),
    "an enqueue that waits": lambda queue: _with_body("/api/v1/enqueue?wait=20s", {"queue": queue}),
    "half a body": lambda queue: head("POST", "/api/v1/enqueue", "content-length: 500") + b'{"queue":',
    "half a head": lambda queue: b"POST /api/v1/enq",
    "a search": lambda queue: _with_body("/api/v1/jobs/search", {"queue": queue}),
    # More than the buffers on the way take in, so that most of it is still to be written.
    "files of the UI": lambda queue: head("GET", f"/ui/assets/{SCRIPT}") * 60,
}


def _with_body(path, body):
    text = json.dumps(body).encode()
    return head("POST", path, f"content-length: {len(text)}") + text


def reset(writer):
    """The connection breaks off instead of ending."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()


@pytest.mark.parametrize("name", CHOICES)
async def test_no_hang_up_leaves_a_trace_in_the_log(start, name):
    server = start(name)
    queue = "hung-up"
    for broken in (True, False):
        for make in REQUESTS.values():
            async with connected(server.client) as (_, writer):
                writer.write(make(queue))
                await asyncio.sleep(0.05)
                reset(writer) if broken else writer.close()
    # What they were given nobody has, so it is handed out again, and the server is as well as before.
    for _ in range(2):
        await server.client.enqueue(queue)
    await until(lambda: server.client.get("/healthz"))
    server.process.terminate()
    said = (server.process.data_dir.parent / "data.log").read_text()
    for trace in ("Traceback", "never retrieved", "http.failed", "Exception in callback", "socket.send()"):
        assert trace not in said, said[max(0, said.index(trace) - 500) : said.index(trace) + 3_000]
