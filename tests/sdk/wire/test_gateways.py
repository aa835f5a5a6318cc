"""What stands before the server answers in its stead for a while: its words are not the server's."""

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from corvo_sdk import AsyncClient, Client, CorvoError, Retry, Worker
from tests.sdk.facts import until


class Gateway(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    port = 0
    #: Paths that are refused so often, with this status.
    refused: dict[str, int]
    status = 401

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = self.path.split("/")[3]
        if self.refused.get(kind, 0):
            self.refused[kind] -= 1
            self._answer(self.status, b"<h1>Please log in</h1>")
            return
        behind = http.client.HTTPConnection("127.0.0.1", self.port)
        behind.request("POST", self.path, body, dict(self.headers))
        answer = behind.getresponse()
        text = answer.read()
        behind.close()
        self._answer(answer.status, text)

    def _answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        """Quiet."""


@pytest.fixture(params=[401, 403, 404, 405, 407, 408])
def gateway(server, request):
    port = int(server.url.rpartition(":")[2])
    facts = {"port": port, "status": request.param, "refused": {"ack": 2, "fail": 2}}
    kind = type("OneGateway", (Gateway,), facts)
    gateway = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    gateway.daemon_threads = True
    threading.Thread(target=gateway.serve_forever, daemon=True).start()
    yield gateway
    gateway.shutdown()
    gateway.server_close()


@pytest.mark.slow
def test_a_verdict_outlasts_a_gateway_that_refuses_it(gateway, client, queue):
    worker = Worker(f"http://127.0.0.1:{gateway.server_port}", concurrency=1, lease=60, transport="long-poll")

    @worker.task(queue)
    def handle(job):
        if job.payload == "fail":
            raise Retry("not yet", after=3600)
        return "fine"

    done = client.enqueue(queue, "do").job_id
    failed = client.enqueue(queue, "fail").job_id
    with worker.running():
        job = client.wait(done, "20s")
        until(lambda: client.get(failed).state == "retrying")
        until(lambda: worker.figures()["in_hand"] == 0)
    assert (job.state, job.result, job.lease_version) == ("completed", "fine", 1)
    assert client.get(failed).last_error == "not yet"
    assert gateway.RequestHandlerClass.refused == {"ack": 0, "fail": 0}


class Stranger(BaseHTTPRequestHandler):
    body = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *args):
        """Quiet."""


@pytest.fixture
def stranger():
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Json", (Stranger,), {"body": b'{"events": []}'}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


async def test_events_of_something_else_are_refused_instead_of_awaited_for_ever(stranger):
    with Client(stranger) as client, pytest.raises(CorvoError, match="no stream of events"):
        next(client.events(after=0))
    async with AsyncClient(stranger) as client:
        with pytest.raises(CorvoError, match="no stream of events"):
            await anext(client.events(after=0))
