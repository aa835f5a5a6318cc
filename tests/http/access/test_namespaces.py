"""Namespaces and their quotas over HTTP."""

import asyncio

import pytest

from tests.support.access import Talk, keys_by_name, new_client
from tests.support.node import until


@pytest.fixture
async def acme(admin):
    return await new_client(admin, name="acme", role="admin", namespace="acme")


async def quotas(admin, **values):
    reply = await admin.request("PUT", "/api/v1/namespaces/acme/quotas", values)
    assert reply.status == 200, reply


@pytest.fixture
async def set_up(admin):
    assert (await admin.post("/api/v1/namespaces", {"name": "acme"})).status == 201


async def test_a_namespace_is_set_up_once(admin, set_up):
    again = await admin.post("/api/v1/namespaces", {"name": "acme"})
    assert (again.status, again.code) == (409, "CONFLICT")
    for name in ("Acme", "-a", "a_b", "", "default"):
        reply = await admin.post("/api/v1/namespaces", {"name": name})
        assert reply.status in (400, 409), name
    names = [each["name"] for each in (await admin.get("/api/v1/namespaces")).json()]
    assert names == ["acme", "default"]


async def test_a_namespace_that_is_merely_used_is_listed(admin, acme):
    await acme.enqueue("q", {"x": "y"})
    listed = {each["name"]: each for each in (await admin.get("/api/v1/namespaces")).json()}
    assert listed["acme"]["used"] == {
        "queues": 1,
        "jobs": 1,
        "payload_bytes": 10,
        "streams": 0,
        "waiting_fetches": 0,
    }


async def test_a_client_of_one_namespace_sees_its_own_only(admin, set_up, acme):
    await admin.post("/api/v1/namespaces", {"name": "globex"})
    assert [each["name"] for each in (await acme.get("/api/v1/namespaces")).json()] == ["acme"]
    assert (await acme.get("/api/v1/namespaces/acme")).status == 200
    assert (await acme.get("/api/v1/namespaces/globex")).status == 404
    assert (await acme.get("/api/v1/namespaces/default")).status == 404
    for method, path in (("POST", "/api/v1/namespaces"), ("DELETE", "/api/v1/namespaces/acme")):
        assert (await acme.request(method, path, {"name": "x"})).status == 403


async def test_jobs_beyond_the_quota_are_refused_and_a_batch_as_a_whole(admin, set_up, acme):
    await quotas(admin, max_jobs=2)
    await acme.enqueue("q")
    batch = await acme.post("/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}, {"queue": "q"}]})
    assert (batch.status, batch.code) == (429, "QUOTA_EXCEEDED")
    await acme.enqueue("q")
    refused = await acme.post("/api/v1/enqueue", {"queue": "q"})
    assert (refused.status, refused.code) == (429, "QUOTA_EXCEEDED")
    await admin.enqueue("q")


async def test_queues_and_bytes_have_quotas_too(admin, set_up, acme):
    await quotas(admin, max_queues=1, max_payload_bytes=100)
    await acme.enqueue("q", {"x": "y" * 50})
    refused = await acme.post("/api/v1/enqueue", {"queue": "other"})
    assert (refused.status, refused.code) == (403, "QUEUE_QUOTA_EXCEEDED")
    large = await acme.post("/api/v1/enqueue", {"queue": "q", "payload": {"x": "y" * 60}})
    assert (large.status, large.code) == (429, "QUOTA_EXCEEDED")


async def test_requests_beyond_the_rate_are_refused_for_that_namespace_only(admin, set_up, acme):
    reply = await admin.request(
        "PUT", "/api/v1/namespaces/acme/rate-limit", {"write_rps": 0.1, "write_burst": 2}
    )
    assert reply.status == 200
    assert (await acme.get("/api/v1/namespaces/acme/rate-limit")).json()["write_rps"] == 0.1
    statuses = [(await acme.post("/api/v1/enqueue", {"queue": "q"})).status for _ in range(3)]
    assert statuses == [201, 201, 429]
    assert (await acme.get("/api/v1/queues")).status == 200
    await admin.enqueue("q")


async def test_a_batch_costs_as_many_requests_as_it_has_jobs(admin, set_up, acme):
    await quotas(admin, write_rps=0.1, write_burst=5)
    jobs = {"jobs": [{"queue": "q"}] * 5}
    assert (await acme.post("/api/v1/enqueue/batch", jobs)).status == 201
    assert (await acme.post("/api/v1/enqueue", {"queue": "q"})).code == "RATE_LIMITED"


async def test_streams_and_waiting_fetches_have_quotas(node, admin, set_up, acme):
    await quotas(admin, max_streams=1, max_waiting_fetches=1)
    talk = await Talk.begin(acme, "POST /api/v1/stream", b'{"request_id":1,"queues":["q"]}\n')
    await talk.hear(b'"request_id":1')
    second = await acme.post("/api/v1/stream", b'{"request_id":1}\n')
    assert (second.status, second.code) == (429, "QUOTA_EXCEEDED")
    waiting = asyncio.create_task(acme.post("/api/v1/fetch", {"queues": ["q"], "timeout": 10}))

    async def used():
        return (await acme.get("/api/v1/namespaces/acme")).json()["used"]

    async def both():
        now = await used()
        return (now["streams"], now["waiting_fetches"]) == (1, 1)

    await until(both)
    refused = await acme.post("/api/v1/fetch", {"queues": ["q"], "timeout": 10})
    assert (refused.status, refused.code) == (429, "QUOTA_EXCEEDED")
    await acme.enqueue("q")
    assert (await waiting).status == 200
    talk.close()

    async def none():
        now = await used()
        return (now["streams"], now["waiting_fetches"]) == (0, 0)

    await until(none)


async def test_a_namespace_that_is_not_empty_is_deleted_by_force_only(admin, set_up, acme):
    job = await acme.enqueue("q")
    theirs = await admin.enqueue("q")
    refused = await admin.request("DELETE", "/api/v1/namespaces/acme")
    assert (refused.status, refused.code) == (409, "CONFLICT")
    forced = await admin.request("DELETE", "/api/v1/namespaces/acme?force=true")
    assert forced.status == 202, forced
    task = forced.json()["bulk_operation_id"]

    async def is_done():
        return (await admin.get(f"/api/v1/bulk/{task}")).json()["status"] == "completed"

    await until(is_done)
    assert (await acme.get("/api/v1/queues")).status == 401, "its keys are gone, too"
    chosen = {"X-Corvo-Namespace": "acme"}
    assert (await admin.get(f"/api/v1/jobs/{job}", **chosen)).status == 404
    assert (await admin.get("/api/v1/queues", **chosen)).json() == []
    assert (await admin.job(theirs))["state"] == "pending"
    assert set(await keys_by_name(admin)) == {"root"}
    assert "acme" not in (await admin.get("/api/v1/namespaces")).body.decode()


async def test_an_empty_namespace_is_deleted_at_once(admin, set_up):
    assert (await admin.request("DELETE", "/api/v1/namespaces/acme")).json() == {"status": "deleted"}
    assert (await admin.request("DELETE", "/api/v1/namespaces/acme")).status == 404
    assert (await admin.request("DELETE", "/api/v1/namespaces/default")).status == 400
