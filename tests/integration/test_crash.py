"""A node that is killed loses nothing it promised. `make crash ROUNDS=20` does more of the same."""

import threading
import time

import pytest

from chaos.process import Client
from chaos.run import run
from chaos.scenario import load


@pytest.mark.slow
def test_kill_nine_under_load_loses_nothing(tmp_path):
    assert run(load("crash"), tmp_path, rounds=3).problems == []


def test_a_node_stops_in_time_and_answers_those_who_wait(serve):
    started = serve()
    job_id = started.enqueue()
    answers = []

    def wait():
        body = {"queues": ["empty"], "worker_id": "w", "timeout": 30}
        with Client(started.server.port) as client:
            answers.append(client.call("POST", "/api/v1/fetch", body))

    waiting = threading.Thread(target=wait)
    waiting.start()
    while not any(worker["id"] == "w" for worker in started.call("GET", "/workers")[1]):
        time.sleep(0.01)

    began = time.monotonic()
    assert started.server.terminate() == 0
    assert time.monotonic() - began < 5
    waiting.join(5)
    assert answers == [(204, None)]
    started.restart()
    assert started.state(job_id) == "pending"
