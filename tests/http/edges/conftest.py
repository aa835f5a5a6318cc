import json
from uuid import uuid4

import pytest

from chaos.process import Server, free_port
from tests.http.edges.choices import CHOICES, SETTINGS
from tests.support.client import Client


class EdgeServer:
    """`corvo serve` with one of the choices, and what it logged."""

    def __init__(self, folder, choice, *flags):
        self.choice = choice
        self.process = Server(folder / "data", free_port(), *SETTINGS, *choice.flags, *flags)
        self.address = f"127.0.0.1:{self.process.port}"
        self.client = Client(self.address)
        self._log = folder / "data.log"
        self.process.start()

    def logged(self, event):
        """Every line of this kind, so far."""
        lines = (json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{"))
        return [line for line in lines if line["event"] == event]


@pytest.fixture(scope="session", params=CHOICES)
def server(request, tmp_path_factory):
    """One for all tests of a choice, so they use queues of their own."""
    server = EdgeServer(tmp_path_factory.mktemp("edge"), CHOICES[request.param])
    yield server
    server.process.close()


@pytest.fixture
def start(tmp_path):
    """One for this test only."""
    servers = []

    def start(name, *flags):
        servers.append(EdgeServer(tmp_path, CHOICES[name], *flags))
        return servers[-1]

    yield start
    for server in servers:
        server.process.close()


@pytest.fixture
def client(server):
    return server.client


@pytest.fixture
def queue():
    return f"q-{uuid4().hex}"


@pytest.fixture
def metric(client):
    async def metric(name):
        text = (await client.get("/api/v1/metrics")).body.decode()
        (line,) = (line for line in text.splitlines() if line.startswith(f"{name} "))
        return float(line.split()[1])

    return metric
