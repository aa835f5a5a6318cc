"""Schedules on a real process that is killed with -9 again and again."""

from contextlib import closing
from itertools import pairwise
from random import Random
from time import sleep

import pytest

from chaos.process import Client, Server, free_port
from tests.support.schedules import ns

SECOND = 1_000_000_000


@pytest.mark.slow
def test_every_second_fires_once_whenever_the_node_is_killed(tmp_path):
    server = Server(tmp_path / "data", free_port())
    random = Random(7)
    try:
        server.start()
        body = {"name": "tick", "queue": "q", "cron": "* * * * * *", "misfire": "all"}
        with closing(Client(server.port)) as client:
            status, schedule = client.call("POST", "/api/v1/schedules", body)
        assert status == 201
        for _ in range(6):
            # Often within milliseconds of a fire time, when the op is on its way.
            sleep(0.5 + random.random())
            server.kill()
            server.start()
        with closing(Client(server.port)) as client:
            status, schedule = client.call("POST", f"/api/v1/schedules/{schedule['id']}/disable")
            assert status == 200
            slots = _slots(client)

        assert len(slots) == schedule["fired"] >= 5
        assert {later - earlier for earlier, later in pairwise(slots)} == {SECOND}
        assert server.terminate() == 0
        code, words = server.doctor()
        assert code == 0, words
    finally:
        server.close()


def _slots(client):
    """The fire times of all jobs, in order."""
    slots = []
    while True:
        status, job = client.call("POST", "/api/v1/fetch", {"queues": ["q"], "timeout": 1})
        if status == 204:
            return sorted(slots)
        _, history = client.call("GET", f"/api/v1/jobs/{job['job_id']}/events")
        slots += [ns(e["data"]["slot_at"][:-1]) for e in history["events"] if e["type"] == "schedule.fired"]
