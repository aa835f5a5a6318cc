"""Every actor a node has dies in its turn, under load: nothing acknowledged is lost, and all goes on."""

import time

import pytest

from chaos.checkers import ALL
from chaos.group import Group
from chaos.history import History
from chaos.judge import fetch_documents, judge
from chaos.load import Load
from chaos.nemeses.actor import VITAL, actors, kill_actor, kill_vital
from chaos.process import Client
from chaos.timeline import Timeline

#: By wiring.py. One that is new there has to be here, too, and to survive what is done to it below.
EVERY_ACTOR = {
    "replica_check",
    "batcher",
    "bulk_runner",
    "bulk_watch",
    "leader_forwarder",
    "event_hub",
    "fetch_desk",
    "fsm",
    "consistency_check",
    "lease_watch",
    "mirror_reader",
    "access_keeper",
    "mirror_writer",
    "proposer",
    "registrar",
    "shared_settings_keeper",
    "scheduler",
    "store_writer",
    "cluster_stats",
    "throughput",
    "schedule_firer",
    "job_wait",
    "webhooks",
}


def works(server) -> None:
    """Write, read, fetch, finish and search, on this very node."""
    with Client(server.address, timeout_s=10) as client:
        job = {"queue": "probe", "payload": {"text": "probe"}}
        status, body = client.call("POST", "/api/v1/enqueue", job)
        assert status == 201, body
        fetch = {"queues": ["probe"], "worker_id": "probe", "timeout": 5, "count": 10}
        status, body = client.call("POST", "/api/v1/fetch/batch", fetch)
        assert status == 200, body
        assert body["jobs"]
        for found in body["jobs"]:
            status, body = client.call("POST", f"/api/v1/ack/{found['job_id']}", {"result": {}})
            assert status == 200, body
        status, body = client.call("POST", "/api/v1/jobs/search", {"queue": "probe", "limit": 1})
        assert (status, len(body["jobs"])) == (200, 1)
        assert client.call("GET", "/api/v1/cluster/status")[0] == 200


@pytest.fixture
def group(tmp_path):
    group = Group(tmp_path, 3, "--chaos")
    try:
        group.form()
        yield group
    finally:
        group.close()


def test_any_actor_of_leader_and_follower_may_die_under_load(group):
    history = History()
    load = Load(*group.ports, history=history, producers=2, workers=2, seed=3, pace_s=0.02)
    load.start()
    leader = group.until_leading()
    follower = next(node_id for node_id in group.servers if node_id != leader)
    for server in (group.servers[leader], group.servers[follower]):
        assert set(actors(server)) == EVERY_ACTOR
        for actor in sorted(EVERY_ACTOR - set(VITAL)):
            kill_actor(server, actor)
            works(server)
    for actor, node_id in zip(VITAL, (follower, group.until_leading()), strict=True):
        # It stops with a reason and a code of its own, and begins again from what is on its disk.
        assert kill_vital(group.servers[node_id], actor) == []
        group.servers[node_id].start()
        group.until_leading()
        works(group.servers[node_id])
    assert load.stop() == []
    assert judge(group, history, Timeline(), {}) == []
    assert len(history.accepted) > 100


def test_a_bulk_task_goes_on_when_the_actor_that_works_it_off_dies(serve):
    node = serve("--chaos")
    jobs = [{"queue": "many", "payload": {}}] * 600
    node.call("POST", "/enqueue/batch", {"jobs": jobs})
    wanted = {"action": "cancel", "filter": {"queue": "many"}, "async": True, "rate": 300}
    status, task = node.call("POST", "/jobs/bulk", wanted)
    assert status == 202, task
    for actor in ("bulk_steps", "mirror_reader", "batcher", "bulk_runner"):
        kill_actor(node.server, actor)
    deadline = time.monotonic() + 20
    while (found := node.call("GET", f"/bulk/{task['bulk_operation_id']}")[1])["status"] != "completed":
        assert time.monotonic() < deadline, found
        time.sleep(0.05)
    assert found["affected"] == 600


def test_checkers_would_notice(serve):
    """A run that finds nothing is worth as much as what it would have found."""
    node = serve()
    history = History()
    history.accept(node.enqueue(), "job_that_never_was")
    documents = fetch_documents(node.server.address, list(history.accepted))
    assert list(ALL["no_lost_job"](history, documents)) == [
        "job_that_never_was was accepted and then vanished"
    ]
