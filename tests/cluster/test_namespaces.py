"""Three nodes in network namespaces of their own, and real packets between them that go astray."""

import time

import pytest

from chaos.checkers import mirrors_equal, one_leader_per_term
from chaos.group import Group
from chaos.history import History
from chaos.namespaces import Namespaces
from chaos.network import around
from chaos.process import Client
from chaos.timeline import Timeline, Watcher

_REASON = Namespaces.missing()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(_REASON is not None, reason=_REASON or "")]


@pytest.fixture(scope="module")
def group(tmp_path_factory):
    """Every test leaves it whole."""
    group = Group(tmp_path_factory.mktemp("group"), network=Namespaces())
    try:
        group.form()
        yield group
    finally:
        group.close()


@pytest.fixture
def watched(group):
    """Whatever a test does, nobody leads beside another, and in the end all have and show the same."""
    timeline = Timeline()
    watcher = Watcher(group, History(), timeline)
    watcher.start()
    yield group
    group.links.heal()
    group.until_level()
    watcher.stop()
    assert list(one_leader_per_term.check(timeline.looks)) == []
    assert list(mirrors_equal.check(group)) == []


def enqueue(group, *node_ids):
    with Client(*(group.servers[node_id].address for node_id in node_ids)) as client:
        return client.call("POST", "/api/v1/enqueue", {"queue": "q", "payload": {}})


def has(group, node_id, job_id):
    return group.servers[node_id].get(f"/api/v1/jobs/{job_id}")[0] == 200


def cut_leader(group, ways):
    """Cut these of its ways out and in; who led, and who leads when the others have noticed."""
    old = group.until_leading()
    out, into = around(old, group.servers)
    group.links.cut({"out": out, "in": into, "both": out | into}[ways])
    return old, group.until_leading(other_than=old)


@pytest.mark.parametrize("ways", ["both", "out"])
def test_a_leader_that_is_not_heard_is_replaced_and_takes_no_writes(watched, ways):
    old, new = cut_leader(watched, ways)
    status, body = enqueue(watched, new)
    assert status == 201, body

    refused, why = enqueue(watched, old)
    assert (refused, why["code"]) in ((503, "LEADER_UNAVAILABLE"), (503, "OUTCOME_UNKNOWN"))
    assert not has(watched, old, body["job_id"]), "nothing came through"

    watched.links.heal()
    watched.until(lambda: has(watched, old, body["job_id"]), f"{old} has what the others wrote without it")
    # On a busy machine there may be one more election after the links have healed.
    watched.until(lambda: enqueue(watched, old)[0] == 201, f"{old} takes writes again")


def test_a_leader_that_hears_nobody_does_not_go_on_alone(watched):
    """Its heartbeats arrive, so the others have no reason to doubt it; but nothing it writes is confirmed."""
    leader = watched.until_leading()
    _, into = around(leader, watched.servers)
    watched.links.cut(into)
    status, body = enqueue(watched, leader)
    # By now it has stepped down, for want of answers. Either another leads, or nobody does yet.
    assert (status, body.get("code")) in ((503, "LEADER_UNAVAILABLE"), (503, "OUTCOME_UNKNOWN"))
    others = [node_id for node_id in watched.servers if node_id != leader]
    watched.until(lambda: enqueue(watched, *others)[0] == 201, "the others take writes", 20)
    watched.links.heal()
    watched.until(lambda: enqueue(watched, leader)[0] == 201, f"{leader} takes writes again", 20)


def test_links_that_take_50_ms_make_writes_slow_and_nothing_else(watched):
    leader = watched.until_leading()
    watched.links.slow(0.05)
    follower = next(node_id for node_id in watched.servers if node_id != leader)
    for _ in range(10):
        began_s = time.monotonic()
        status, body = enqueue(watched, leader)
        assert status == 201, body
        # There and back: without the answer of another node there is no majority.
        assert time.monotonic() - began_s > 0.1
        assert enqueue(watched, follower)[0] == 201


def test_one_packet_in_twenty_lost_costs_no_write(watched):
    watched.links.lose(0.05)
    ids = []
    for number in range(60):
        status, body = enqueue(watched, *[f"n{(number + n) % 3 + 1}" for n in range(3)])
        assert status == 201, body
        ids.append(body["job_id"])
    watched.links.heal()
    watched.until_level()
    for node_id in watched.servers:
        assert all(has(watched, node_id, job_id) for job_id in ids)
