"""The audit log of a cluster: whichever node takes a request, every node has the same record of it."""

import json

import pytest

from tests.support.cluster import cluster_of
from tests.support.node import until

pytestmark = pytest.mark.slow


async def records(client):
    reply = await client.get("/api/v1/audit-logs?limit=1000&consistency=leader")
    assert reply.status == 200, reply
    return reply.json()["audit_logs"]


async def test_every_node_has_every_record_and_streams_it(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3", audit_to=str(tmp_path / "audit.jsonl")) as cluster:
        for node_id in cluster.nodes:
            path = f"/api/v1/queues/{node_id}/pause"
            assert (await cluster.client(node_id).post(path, X_Request_Id=f"by-{node_id}")).status == 200
        found = [await records(cluster.client(node_id)) for node_id in cluster.nodes]
        assert found[0] == found[1] == found[2]
        assert [record["request_id"] for record in found[0]] == ["by-n3", "by-n2", "by-n1"]

        def lines():
            text = (tmp_path / "audit.jsonl").read_text().splitlines()
            return text if len(text) == 9 else None

        ids = [json.loads(line)["id"] for line in await until(lines)]
        assert sorted(ids) == sorted([record["id"] for record in found[0]] * 3)


async def test_handing_over_the_lead_and_removing_a_node_is_on_record(tmp_path):
    async with cluster_of(tmp_path, "n1", "n2", "n3") as cluster:
        first = cluster.client("n1")
        assert (await first.post("/api/v1/cluster/transfer", {"node_id": "n2"})).status == 200
        assert (await first.post("/api/v1/cluster/remove", {"node_id": "n3"})).status == 200

        async def both():
            done = [(record["path"], record["outcome"]) for record in await records(first)]
            return done == [("/api/v1/cluster/remove", "done"), ("/api/v1/cluster/transfer", "done")]

        await until(both)
