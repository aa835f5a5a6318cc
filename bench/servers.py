"""Servers under test, each in a process of its own."""

import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chaos.process import Server, free_port

_BASELINE = """
import asyncio, sys
from hypercorn.asyncio import serve
from hypercorn.config import Config
from quart import Quart, request

app = Quart("baseline")

@app.post("/api/v1/enqueue")
async def enqueue():
    body = await request.get_json()
    return {"queue": body["queue"], "job_id": "x", "status": "pending"}, 201

@app.get("/healthz")
async def healthz():
    return {"status": "ok"}

async def plain(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    answer = b'{"job_id":"x","status":"pending"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
    await send({"type": "http.response.start", "status": 201, "headers": headers})
    await send({"type": "http.response.body", "body": answer})

config = Config()
config.bind = ["127.0.0.1:" + sys.argv[1]]
config.accesslog = None
config.errorlog = None
config.include_server_header = False
config.keep_alive_max_requests = 2**31
asyncio.run(serve(app if sys.argv[2] == "quart" else plain, config))
"""


@contextmanager
def corvo(*flags: str, folder: Path | None = None) -> Iterator[Server]:
    with tempfile.TemporaryDirectory(prefix="corvo-bench-") as temporary:
        server = Server((folder or Path(temporary)) / "data", free_port(), *flags)
        server.start()
        try:
            yield server
        finally:
            server.close()


@contextmanager
def baseline(kind: str) -> Iterator[int]:
    """A Quart route that only parses and answers JSON, or plain ASGI that does not even parse."""
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", _BASELINE, str(port), kind])
    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()
