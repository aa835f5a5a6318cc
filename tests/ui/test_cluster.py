"""The cluster page: of three nodes while their leader dies, and of one with a slow disk."""

import re

import pytest
from playwright.sync_api import expect

from chaos.group import Group
from tests.ui.api import Api
from tests.ui.conftest import SHOTS
from tests.ui.served import Served


@pytest.fixture
def group(tmp_path):
    group = Group(tmp_path)
    try:
        group.form()
        yield group
    finally:
        group.close()


def test_when_the_leader_of_three_is_killed_a_banner_says_so_and_work_goes_on(group, page):
    leader = group.until_leading()
    witness = next(server for node_id, server in group.servers.items() if node_id != leader)
    api = Api(f"127.0.0.1:{witness.port}")
    job_id = api.enqueue("afterwards")
    page.goto(f"http://127.0.0.1:{witness.port}/ui/cluster")
    nodes = page.get_by_role("region", name="Nodes")
    expect(nodes.get_by_role("listitem")).to_have_count(3)
    expect(nodes.get_by_role("listitem").filter(has_text=leader)).to_contain_text("leader")

    group.servers[leader].kill()

    expect(page.get_by_role("alert")).to_contain_text(f"cannot be reached: {leader}", timeout=30_000)
    expect(page.get_by_role("region", name="Consensus")).to_contain_text("leads", timeout=30_000)
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 node away")
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / "cluster-of-three.png")
    assert api.enqueue("afterwards") != job_id
    group.servers[leader].start()
    expect(page.get_by_role("alert")).to_have_count(0, timeout=30_000)
    page.allow("status of 5")  # Until the others have agreed on a leader.
    api.close()


@pytest.fixture
def slow(tmp_path):
    """A node with a slow disk. Named before `page`, so that it outlives it."""
    served = Served(tmp_path / "slow", sync_s=0.12)
    yield served
    served.stop()


def test_how_long_the_disk_takes_is_told_and_what_a_slow_one_costs(slow, page):
    slow.api.enqueue("written")
    page.goto(slow.ui + "cluster")
    path = page.get_by_role("region", name="Write path")
    expect(path).to_contain_text(re.compile(r"Disk sync, p50\d+ms"))
    expect(path).to_contain_text(re.compile(r"Disk sync, p99\d+ms"))
    expect(path.get_by_role("status")).to_contain_text("The disk is slow")


def test_a_node_that_waits_for_no_disk_says_so(go):
    expect(go("cluster").get_by_role("region", name="Write path")).to_contain_text("Disk syncnot waited for")
