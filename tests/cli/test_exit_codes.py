"""Exit codes are an interface: each is documented, and each comes when it should."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from corvo.cli.exit_codes import MEANINGS, ExitCode, of_state, of_status
from tests.cli.conftest import Cli


def test_the_numbers_never_change():
    assert {code.name: int(code) for code in ExitCode} == {
        "OK": 0,
        "REFUSED": 1,
        "USAGE": 2,
        "CANCELLED": 3,
        "AUTH": 4,
        "NOT_FOUND": 5,
        "CONFLICT": 6,
        "UNAVAILABLE": 7,
        "PARTIAL": 8,
        "INTERRUPTED": 130,
        "PIPE_CLOSED": 141,
    }
    assert all(MEANINGS[code] for code in ExitCode)


@pytest.mark.parametrize(
    ("status", "code"),
    [(400, 1), (401, 4), (403, 4), (404, 5), (409, 6), (413, 1), (429, 7), (500, 1), (503, 7)],
)
def test_an_answer_of_the_server_becomes_an_exit_code(status, code):
    assert of_status(status) == code


def test_how_a_job_ended_becomes_an_exit_code():
    states = ("completed", "dead", "cancelled", "deleted", "pending", "active", "held")
    assert [int(of_state(state)) for state in states] == [0, 1, 3, 5, 7, 7, 7]


# Answers that a single healthy node does not give, from something that is no node.


class _Answer(BaseHTTPRequestHandler):
    status = 200
    body = b"{}"
    seen: list[str]

    def do_GET(self):
        self.seen.append(self.headers.get("X-API-Key", ""))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.body)))
        self.send_header("Retry-After", "0.01")
        self.end_headers()
        self.wfile.write(self.body)

    def do_POST(self):
        self.do_GET()

    def log_message(self, *args):
        """Quiet."""


@pytest.fixture
def answering(tmp_path):
    """A server that always says the same."""
    servers = []

    def start(status, body):
        kind = type("Answer", (_Answer,), {"status": status, "body": body, "seen": []})
        server = HTTPServer(("127.0.0.1", 0), kind)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cli = Cli(server.server_port, tmp_path)
        cli.seen = kind.seen
        return cli

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def error(code, text):
    return json.dumps({"error": text, "code": code, "hint": "Do this."}).encode()


def test_a_missing_credential_is_4_and_the_key_is_sent(answering):
    cli = answering(401, error("UNAUTHORIZED", "who are you?"))
    ran = cli("queues", code=4, CORVO_API_KEY="sk_1")
    first, hint = ran.err.splitlines()
    assert first == "Error: who are you?"
    assert all(word in hint for word in ("--api-key-file", "CORVO_API_KEY_FILE", "corvo errors UNAUTHORIZED"))
    assert cli.seen == ["sk_1"]


@pytest.mark.slow
def test_completion_asks_with_the_key_that_was_typed(answering):
    cli = answering(401, error("UNAUTHORIZED", "who are you?"))
    words = "corvo pause --api-key sk_2 q"
    ran = cli(_CORVO_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD="4")
    assert (ran.out.strip(), ran.err, cli.seen) == ("", "", ["sk_2"])


@pytest.mark.slow
def test_an_overloaded_server_is_asked_again_before_it_is_7(answering):
    cli = answering(429, error("OVERLOADED", "too much"))
    assert cli("queues", code=7).err.startswith("Error: too much")
    assert len(cli.seen) == 4


@pytest.mark.slow
def test_something_that_is_not_corvo_is_7(answering):
    assert "does not look like Corvo" in answering(200, b"<html>")("queues", code=7).err
    assert "answered 500" in answering(500, b"oops")("queues", code=1).err
    assert "does not look like Corvo" in answering(404, b"no such page")("wait", "job_1", code=7).err
    # What redirects says nothing of jobs, not even with an empty body.
    assert "elsewhere" in answering(301, b"")("queues", code=7).err
    assert "elsewhere" in answering(301, b"")("events", "-f", "--since", "0", code=7).err


TALKING = [
    ("queues",),
    ("status", "-o", "json"),
    ("search", "--count"),
    ("enqueue", "q"),
    ("inspect", "job_1"),
    ("wait", "job_1"),
    ("pause", "q"),
    ("bulk", "list"),
    ("events", "-f"),
    ("events", "-f", "--since", "0"),
    ("schedules", "-o", "none"),
    ("top", "--once"),
    ("cluster", "status"),
    ("seed",),
]


@pytest.mark.parametrize("words", TALKING, ids=" ".join)
@pytest.mark.slow
def test_another_json_api_is_told_from_corvo_by_every_command(answering, words):
    cli = answering(200, b'{"items": [], "next": null}')
    ran = cli(*words, code=7)
    assert ran.out == ""
    assert ran.err.startswith(f"Error: the server at http://127.0.0.1:{cli.port} does not look like Corvo")
    assert "--server or CORVO_URL" in ran.err


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"", b"17", b"[]"])
def test_no_more_than_the_right_kind_of_json_is_not_enough(answering, body):
    assert "does not look like Corvo" in answering(200, body)("queues", code=7).err


@pytest.mark.slow
def test_corvo_is_known_by_its_words_where_a_proxy_takes_its_headers(answering):
    cli = answering(200, b'{"server_version": "1", "api_version": "1", "jobs": [], "total": 3}')
    assert cli("search", "--count").out == "3\n"


def test_nobody_there_is_7_and_says_what_to_do(nowhere):
    ran = nowhere("queues", code=7)
    assert ran.out == ""
    assert "connection refused" in ran.err
    assert "corvo serve" in ran.err


@pytest.mark.slow
def test_a_server_without_tls_is_told_from_none(answering):
    cli = answering(200, b"{}")
    ran = cli("queues", "--server", f"https://127.0.0.1:{cli.port}", code=7)
    assert "no answer from https://" in ran.err
    assert "http:// instead of https://" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("serch",),
        ("queues", "--nope"),
        ("queues", "--server", "ftp://x"),
        ("queues", "--server", "http://h:port"),
        ("queues", "--server", "http://h:99999"),
        ("queues", "--server", "http://[::1"),
        ("queues", "--server", "http://h/a b"),
        ("queues", "--server", "http://ho st"),
        ("queues", "--server", "http://h/caf\N{LATIN SMALL LETTER E WITH ACUTE}"),
        ("queues", "--server", "http://h/?tenant=1"),
        ("queues", "--timeout", "0s"),
        ("profile", "add", "x", "--server", "ftp://x"),
        ("search", "--tag", "no-value"),
        ("queues", "--api-key", "a\nkey"),
        ("queues", "--namespace", "\N{SNOWMAN}"),
        ("retry", "--nope"),
        ("search", "--limit", "0"),
        ("queues", "--server", "127.0.0.1:1", "pause", "q"),
        ("schedules", "-o", "json", "delete", "x"),
        ("enqueue",),
        ("wait", "--wait-timeout", "soon"),
    ],
)
@pytest.mark.slow
def test_a_line_that_makes_no_sense_is_2(nowhere, words):
    assert nowhere(*words, code=2).out == ""


@pytest.mark.slow
def test_a_password_in_the_address_is_refused_and_not_repeated(nowhere):
    ran = nowhere("queues", "--server", "http://ann:hunter2@127.0.0.1:1", code=2)
    assert "CORVO_API_KEY" in ran.err
    assert "hunter2" not in ran.err


@pytest.mark.slow
def test_a_name_that_no_host_can_have_is_7(nowhere):
    assert "no answer" in nowhere("queues", "--server", f"http://{'a' * 70}.example", code=7).err


@pytest.mark.slow
def test_a_mistyped_command_is_guessed(nowhere):
    assert "Did you mean search?" in nowhere("serch", code=2).err
