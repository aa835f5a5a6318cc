"""Sealed queues on three nodes: any node may take what is said of a job, and none keeps it in the clear."""

import pytest
import pytest_asyncio

from tests.support.cluster import cluster_of
from tests.support.node import until
from tests.support.sealing import files_with, write_keys

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

MARK = "plain-text-of-a-client"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cluster")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cluster(folder, tmp_path_factory):
    keys = write_keys(tmp_path_factory.mktemp("keys") / "keys.json", "k1")
    async with cluster_of(folder, "n1", "n2", "n3", seal="default/pay", **keys) as cluster:
        yield cluster


async def test_each_node_seals_what_it_takes_and_opens_what_another_sealed(cluster, folder):
    one, two, three = (cluster.client(node_id) for node_id in ("n1", "n2", "n3"))
    for _ in range(10):
        job_id = await one.enqueue("pay", {"text": MARK})
        job = await two.fetch("pay", timeout=20)
        assert (job["job_id"], job["payload"]) == (job_id, {"text": MARK})
        # The third node has not handed it out, and may not even have heard of it.
        beat = {job_id: {"progress": {"text": MARK}, "lease_token": job["lease_token"]}}
        assert (await three.post("/api/v1/heartbeat", {"jobs": beat})).status == 200
        done = {"result": {"text": MARK}, "lease_token": job["lease_token"]}
        assert (await three.post(f"/api/v1/ack/{job_id}", done)).status == 200

    async def is_done(client):
        found = await client.job(job_id)
        return found["state"] == "completed" and found

    for client in (one, two, three):
        found = await until(lambda client=client: is_done(client))
        assert (found["payload"], found["result"], found["progress"]) == ({"text": MARK},) * 3
    assert files_with(folder, MARK.encode()) == {}
