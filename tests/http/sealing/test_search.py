"""Searches and sealed queues: what cannot be searched says so."""

import pytest

from tests.support.node import running
from tests.support.sealing import write_keys

SEARCH = "/api/v1/jobs/search"


@pytest.fixture
async def node(tmp_path):
    keys = write_keys(tmp_path / "keys.json", "k1")
    async with running(tmp_path / "data", seal="default/pay*", **keys) as node:
        await node.client.enqueue("open", {"text": "needle"})
        await node.client.enqueue("pay", {"text": "needle"}, tags={"kind": "tagged"})
        yield node


@pytest.mark.parametrize(
    "filters", [{"payload_contains": "needle"}, {"payload_jq": '.text == "needle"'}, {"error_contains": "x"}]
)
async def test_a_search_that_looks_into_texts_names_the_queues_it_could_not_look_into(client, filters):
    reply = await client.post(SEARCH, filters)
    found = reply.json()
    assert found["unsearchable"] == ["pay"]
    assert "sealed" in reply.headers["x-corvo-warning"]
    assert [job["queue"] for job in found["jobs"]] in (["open"], [])
    refused = await client.post(SEARCH, filters | {"queue": "pay"})
    assert (refused.status, refused.code) == (400, "VALIDATION_ERROR")
    assert "sealed" in refused.json()["error"]
    assert "unsearchable" not in (await client.post(SEARCH, filters | {"queue": "open"})).json()


async def test_a_search_by_other_things_finds_sealed_jobs_and_warns_of_nothing(client):
    reply = await client.post(SEARCH, {"tags": {"kind": "tagged"}})
    assert [job["payload"] for job in reply.json()["jobs"]] == [{"text": "needle"}]
    assert "unsearchable" not in reply.json()
    assert "x-corvo-warning" not in reply.headers


async def test_letters_of_a_ciphertext_are_no_match(client):
    """Among this many letters of base64 each single one occurs."""
    await client.enqueue("pay", {"text": "." * 4_000})
    found = (await client.post(SEARCH, {"payload_contains": "a"})).json()
    assert [job["queue"] for job in found["jobs"]] == []


async def test_full_text_search_finds_tags_of_sealed_jobs_but_not_their_payloads(client):
    found = (await client.get("/api/v1/search/fulltext?q=needle")).json()
    assert ([hit["queue"] for hit in found["results"]], found["unsearchable"]) == (["open"], ["pay"])
    found = (await client.get("/api/v1/search/fulltext?q=tagged")).json()
    assert [hit["payload"] for hit in found["results"]] == ['{"text": "needle"}']


async def test_a_bulk_request_does_not_pass_over_jobs_it_cannot_look_into(client):
    body = {"action": "cancel", "filter": {"payload_contains": "needle"}}
    reply = await client.post("/api/v1/jobs/bulk", body)
    assert reply.status == 400, reply
    body["filter"]["queue"] = "open"
    assert (await client.post("/api/v1/jobs/bulk", body)).json()["affected"] == 1


async def test_failures_are_grouped_across_jobs_and_found_by_their_group(client):
    for number in range(3):
        job_id = await client.enqueue("pay-out", max_retries=1)
        await client.fetch("pay-out")
        await client.post(f"/api/v1/fail/{job_id}", {"error": f"card {number} declined"})
    (group,) = (await client.get("/api/v1/failures?queue=pay-out")).json()["failures"]
    assert group["count"] == 3
    assert {each["error"] for each in group["sample"]} == {f"card {number} declined" for number in range(3)}
    found = (await client.post(SEARCH, {"failure": group["failure"]})).json()
    assert found["total"] == 3
    refused = await client.get("/api/v1/failures?q=payload~x&queue=pay-out")
    assert refused.status == 400
