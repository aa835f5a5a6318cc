"""The real command against a real node: one node per file of tests, queues of its own for each test."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chaos.process import Client, Server, free_port

CORVO = [sys.executable, "-m", "corvo"]


class Ran:
    def __init__(self, done: subprocess.CompletedProcess) -> None:
        self.code = done.returncode
        self.out = done.stdout.decode()
        self.err = done.stderr.decode()

    @property
    def lines(self):
        return self.out.splitlines()

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def jsonl(self):
        return [json.loads(line) for line in self.lines]

    def __repr__(self):
        return f"Ran(code={self.code}, out={self.out!r}, err={self.err!r})"


class Cli:
    """`cli("queues", "-o", "json")`: exit code 0 is expected unless another is named."""

    def __init__(self, port: int, home: Path) -> None:
        self.port = port
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if "CORVO" not in name and name not in ("COLUMNS", "LINES", "NO_COLOR")
        } | {
            "CORVO_URL": f"http://127.0.0.1:{port}",
            "XDG_CONFIG_HOME": str(home),
        }

    def __call__(self, *args, stdin="", code=0, **environment):
        done = subprocess.run(
            [*CORVO, *map(str, args)],
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            timeout=90,
            check=False,
            env=self.environment | environment,
        )
        ran = Ran(done)
        assert ran.code == code, ran
        assert "Traceback" not in ran.err, ran
        return ran

    def shell(self, line):
        """A line as one would type it, pipes and all."""
        words = " ".join(CORVO)
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line.replace("corvo ", f"{words} ")],
            capture_output=True,
            timeout=90,
            check=False,
            env=self.environment,
        )
        return Ran(done)

    def start(self, *args, **environment):
        return subprocess.Popen(
            [*CORVO, *map(str, args)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment | environment,
        )


class Node:
    """What workers do, without the command under test."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.client = Client(server.port)

    def call(self, method, path, body=None):
        status, answer = self.client.call(method, f"/api/v1{path}", body)
        assert status < 300, answer
        return answer

    def enqueue(self, queue, **fields):
        return self.call("POST", "/enqueue", {"queue": queue} | fields)["job_id"]

    def fetch(self, queue, timeout=20):
        return self.call("POST", "/fetch", {"queues": [queue], "worker_id": "w1", "timeout": timeout})

    def ack(self, job, **fields):
        return self.call("POST", f"/ack/{job['job_id']}", {"lease_token": job["lease_token"]} | fields)

    def fail(self, job, error="it broke", **fields):
        body = {"lease_token": job["lease_token"], "error": error} | fields
        return self.call("POST", f"/fail/{job['job_id']}", body)

    def dead(self, queue, count=1, error="it broke"):
        """Jobs that have failed for good."""
        ids = []
        for number in range(count):
            self.enqueue(queue, payload={"n": number})
            job = self.fetch(queue)
            self.fail(job, error, retry=False)
            ids.append(job["job_id"])
        return ids

    def state(self, job_id):
        return self.call("GET", f"/jobs/{job_id}")["state"]


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("node") / "data", free_port(), "--durable", "off")
    server.start()
    node = Node(server)
    yield node
    node.client.close()
    server.close()


@pytest.fixture(scope="module")
def cli(node, tmp_path_factory):
    return Cli(node.server.port, tmp_path_factory.mktemp("home"))


@pytest.fixture
def nowhere(tmp_path):
    """The command with no server to talk to."""
    return Cli(free_port(), tmp_path)


@pytest.fixture
def queue(request):
    """A queue of this test's own."""
    return f"q-{abs(hash(request.node.nodeid)) % 10**8}"
