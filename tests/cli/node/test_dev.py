"""`corvo dev`: one command to see everything move, and nothing left of it afterwards."""

import signal
import threading
import time

import pytest

from chaos.process import Client

pytestmark = pytest.mark.slow


def test_everything_moves_and_is_gone_afterwards(nowhere, tmp_path):
    process = nowhere.start(
        "dev", "--bind", f"127.0.0.1:{nowhere.port}", "--rate", "20", TMPDIR=str(tmp_path)
    )
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout))
    reader.start()
    try:
        with Client(nowhere.port) as client:
            finished = until(lambda: finished_by_demo_worker(client))
        assert finished
        assert any(tmp_path.iterdir())
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0, process.stderr.read()
        reader.join()
        process.stderr.close()
        process.stdout.close()
    assert f"http://127.0.0.1:{nowhere.port}" in lines[0]
    assert "/ui/" in lines[0]
    assert list(tmp_path.glob("corvo-dev-*")) == []


def test_a_server_that_has_the_address_already_is_left_alone(cli, node):
    before = node.call("GET", "/queues")
    ran = cli("dev", "--bind", f"127.0.0.1:{node.server.port}", code=1)
    assert ran.err.startswith("Error: ")
    assert node.call("GET", "/queues") == before


def until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            found = condition()
        except OSError:
            found = None
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen in time")


def finished_by_demo_worker(client):
    status, workers = client.call("GET", "/api/v1/workers")
    if status != 200 or not any(worker["id"].startswith("dev-") for worker in workers):
        return None
    # More than were seeded: the traffic gets its jobs done.
    queues = client.call("GET", "/api/v1/queues")[1]
    return sum(queue["completed_total"] for queue in queues) > 40
