"""Webhooks made, tried, looked at and removed by the command line."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from chaos.process import Server, free_port
from tests.cli.conftest import Node

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    flags = ("--durable", "off", "--webhook-allow-private", "true")
    server = Server(tmp_path_factory.mktemp("node") / "data", free_port(), *flags)
    server.start()
    node = Node(server)
    yield node
    node.client.close()
    server.close()


@pytest.fixture
def receiver():
    """Answers 200 and keeps what it was told."""
    told: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            told.append((self.headers["x-corvo-webhook-event"], self.headers["x-corvo-signature"], body))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.told = told
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_webhook_lives_from_its_making_to_its_end(cli, receiver, tmp_path):
    url = f"http://127.0.0.1:{receiver.server_port}/hook"
    secret = tmp_path / "secret"
    secret.write_text("hush\n")
    made = cli(
        "webhooks", "add", url, "--id", "pager", "--event", "dead", "--secret-file", secret, "--disabled"
    )
    assert made.out.startswith("pager ")

    heading, row = cli("webhooks").lines
    assert heading.split()[:3] == ["ID", "URL", "EVENTS"]
    assert row.split()[:3] == ["pager", url, "dead"]
    shown = cli("webhooks", "show", "pager", "-o", "json").json
    assert (shown["has_secret"], shown["enabled"], shown["events"]) == (True, False, ["dead"])
    assert cli("webhooks", "enable", "pager", "--from-now", "-o", "id").lines == ["pager"]
    assert cli("webhooks", "list", "-o", "json").json[0]["enabled"] is True

    assert cli("webhooks", "test", "pager").out.startswith("pager delivered in ")
    assert receiver.told[0][1].startswith("sha256=")
    assert cli("webhooks", "disable", "pager", "-o", "none").out == ""
    assert cli("webhooks", "deliveries", "pager", "-o", "json").json == []
    assert "--yes" in cli("webhooks", "delete", "pager", code=2).err
    cli("webhooks", "delete", "pager", "--yes")
    assert cli("webhook", "show", "pager", code=5).out == ""


def test_what_does_not_arrive_is_an_exit_code(cli, node):
    cli("webhooks", "add", f"http://127.0.0.1:{free_port()}/", "--id", "nobody", "--event", "dead")
    assert "failed" in cli("webhooks", "test", "nobody", code=1).out


def test_an_event_is_delivered_again(cli, node, receiver, queue):
    url = f"http://127.0.0.1:{receiver.server_port}/hook"
    cli("webhooks", "add", url, "--id", "again", "--event", "enqueued", "--disabled")
    job_id = node.enqueue(queue)
    (event,) = [e for e in cli("history", job_id, "-o", "json").json if e["type"] == "enqueued"]
    assert cli("webhooks", "redeliver", "again", event["seq"]).out.startswith("again delivered")
    assert receiver.told[-1][0] == "enqueued"
    assert job_id.encode() in receiver.told[-1][2]
