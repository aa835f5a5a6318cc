"""Schedules on a real process that is killed with -9 again and again."""

from itertools import pairwise
from random import Random
from time import sleep

import pytest

from tests.support.schedules import ns

SECOND = 1_000_000_000


@pytest.mark.slow
def test_every_second_fires_once_whenever_the_node_is_killed(serve):
    started = serve()
    random = Random(7)
    body = {"name": "tick", "queue": "q", "cron": "* * * * * *", "misfire": "all"}
    status, _ = started.call("POST", "/schedules", body)
    assert status == 201
    for _ in range(6):
        sleep(0.5 + random.random())
        started.server.kill()
        started.restart()
    status, schedule = started.call("POST", "/schedules/tick/disable")
    assert status == 200

    slots = fired(started)
    assert len(slots) == schedule["fired"] >= 5
    # None twice and none left out.
    assert {later - earlier for earlier, later in pairwise(slots)} == {SECOND}
    assert started.server.terminate() == 0
    code, words = started.server.doctor()
    assert code == 0, words


def fired(started):
    """The fire times of all jobs, in order."""
    slots = []
    while True:
        status, job = started.call("POST", "/fetch", {"queues": ["q"], "timeout": 1})
        if status == 204:
            return sorted(slots)
        _, history = started.call("GET", f"/jobs/{job['job_id']}/events")
        slots += [ns(e["data"]["slot_at"][:-1]) for e in history["events"] if e["type"] == "schedule.fired"]
