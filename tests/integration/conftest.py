import pytest

from chaos.process import Client, Server, free_port


def pytest_collection_modifyitems(items):
    """Starting processes takes time, which `make check` does not have."""
    for item in items:
        if "/integration/" in str(item.path):
            item.add_marker(pytest.mark.slow)


class Started:
    """A server process, with a client to talk to it."""

    def __init__(self, server):
        self.server = server
        self.client = Client(server.port)

    def restart(self):
        self.client.close()
        return self.server.start()

    def call(self, method, path, body=None, **headers):
        return self.client.call(method, f"/api/v1{path}", body, **headers)

    def enqueue(self, queue="q", **fields):
        status, body = self.call("POST", "/enqueue", {"queue": queue} | fields)
        assert status == 201, body
        return body["job_id"]

    def state(self, job_id):
        status, body = self.call("GET", f"/jobs/{job_id}")
        return body["state"] if status == 200 else None

    def log(self):
        path = self.server.data_dir.parent / f"{self.server.data_dir.name}.log"
        return path.read_text(errors="replace")


@pytest.fixture
def serve(tmp_path):
    """Starts real processes; whatever is left of them is killed at the end."""
    everybody = []

    def start(*flags, folder="data"):
        server = Server(tmp_path / folder, free_port(), *flags)
        started = Started(server)
        everybody.append(started)
        server.start()
        return started

    yield start
    for started in everybody:
        started.client.close()
        started.server.close()
