"""Three real processes: killed, paused, restarted one after the other, and what their clients notice."""

import random
import time

import pytest

from chaos.group import Group
from chaos.process import Client
from chaos.run import run
from chaos.scenario import Scenario
from tests.support.rolling import Requests

pytestmark = pytest.mark.slow

#: Of a client that asks all the time. The promise is 2 s; the machine that runs the tests may be busy.
FAILOVER_S_MAX = 6.0


@pytest.fixture(scope="module")
def group(tmp_path_factory):
    """Every test leaves it whole."""
    group = Group(tmp_path_factory.mktemp("group"))
    try:
        group.form()
        yield group
    finally:
        group.close()


def enqueue(client, queue="q", **headers):
    status, body = client.call("POST", "/api/v1/enqueue", {"queue": queue, "payload": {}}, **headers)
    return body["job_id"] if status == 201 else None


def test_after_kill_minus_9_of_the_leader_another_takes_over_and_nothing_is_lost(group):
    ids = [enqueue(Client(*group.ports)) for _ in range(50)]
    leader = group.until_leading()
    survivors = [server.port for node_id, server in group.servers.items() if node_id != leader]
    group.servers[leader].kill()

    killed_s = time.monotonic()
    client = Client(*survivors)
    # The first request waits for the election rather than fail. If it was on its way to the leader when that
    # died, only its key lets it be sent to the next one.
    ids.append(enqueue(client, Idempotency_Key="first"))
    took_s = time.monotonic() - killed_s
    assert ids[-1] is not None
    assert took_s < FAILOVER_S_MAX

    status, body = client.call("POST", "/api/v1/jobs/bulk-get", {"job_ids": ids})
    assert (status, len(body["jobs"])) == (200, 51)

    group.servers[leader].start()
    group.until_level()


def test_a_leader_that_slept_does_not_believe_in_itself(group):
    leader = group.until_leading()
    asleep = group.servers[leader]
    asleep.pause()
    try:
        new = group.until_leading(other_than=leader)
        job_id = enqueue(Client(group.servers[new].port))
    finally:
        asleep.resume()
    # What it acknowledges now is in the new leader's log, and what it shows is what the others have.
    awake = Client(asleep.port)
    own_id = enqueue(awake)
    assert own_id is not None
    status, _ = awake.call("GET", f"/api/v1/jobs/{job_id}?consistency=leader")
    assert status == 200
    status, _ = Client(group.servers[new].port).call("GET", f"/api/v1/jobs/{own_id}?consistency=leader")
    assert status == 200


def test_a_leader_that_is_cut_off_takes_no_writes_while_the_others_go_on(group):
    leader = group.until_leading()
    others = [node_id for node_id in group.servers if node_id != leader]
    group.links.cut({(leader, o) for o in others} | {(o, leader) for o in others})
    new = group.until_leading(other_than=leader)
    job_id = enqueue(Client(group.servers[new].port))
    assert job_id is not None

    status, body = Client(group.servers[leader].port).call(
        "POST", "/api/v1/enqueue", {"queue": "q", "payload": {}}
    )
    # Until it notices that it is alone it cannot know what becomes of a write; then it takes none.
    assert (status, body["code"]) in ((503, "OUTCOME_UNKNOWN"), (503, "LEADER_UNAVAILABLE"))

    group.links.heal()
    group.until_level()
    status, _ = Client(group.servers[leader].port).call("GET", f"/api/v1/jobs/{job_id}")
    assert status == 200
    assert enqueue(Client(group.servers[leader].port)) is not None


def test_all_nodes_are_restarted_one_after_the_other_and_no_request_fails(group):
    with Requests(group.ports) as requests:
        group.until(lambda: requests.accepted, "requests are answered")
        for node_id, server in group.servers.items():
            before = len(requests.accepted)
            assert server.terminate(wait_s=20) == 0
            server.start()
            group.until(lambda: group.voters() == 3, f"{node_id} is back")
            group.until(lambda b=before: len(requests.accepted) > b, "requests go on")
    assert requests.failures == []
    status, body = Client(*group.ports).call(
        "POST", "/api/v1/jobs/bulk-get", {"job_ids": requests.accepted[:900]}
    )
    assert (status, body.get("not_found", [])) == (200, [])


def test_a_short_run_of_everything_at_once(tmp_path):
    scenario = Scenario("short", "A short run", {"kill": 1, "isolate": 1, "pause": 1}, rounds=2, pace_s=0.02)
    outcome = run(scenario, tmp_path, seed=random.randrange(1 << 30))
    assert outcome.problems == [], outcome.seed
