"""The audit log over HTTP: who sees what, what is never in it, and what a job's history says of people."""

import asyncio
import json

import pytest

from tests.http.audit.test_audit_routes import records
from tests.support.node import running, until

ADMIN = {"name": "root", "role": "admin", "namespace": "*"}


@pytest.fixture
async def admin(client):
    made = await client.post("/api/v1/auth/keys", ADMIN)
    return client.with_key(made.json()["api_key"])


async def make(admin, name, **fields):
    reply = await admin.post("/api/v1/auth/keys", {"name": name} | fields)
    assert reply.status == 200, reply
    return admin.with_key(reply.json()["api_key"])


# Who is on record


async def test_a_node_without_keys_records_nobody_in_particular(client):
    await client.post("/api/v1/queues/q/pause")
    (record,) = await records(client)
    assert (record["principal"], record["namespace"]) == ("anonymous", "default")


async def test_clients_without_a_credential_are_never_recorded(client, admin):
    before = await records(admin)
    index = (await admin.post("/api/v1/enqueue", {"queue": "q"})).headers["x-corvo-index"]
    wrong = client.with_key("corvo_wrong")
    for _ in range(20):
        assert (await client.post("/api/v1/queues/q/pause")).status == 401
        assert (await wrong.request("DELETE", "/api/v1/jobs/j")).status == 401
        assert (await client.post("/api/v1/no/such/route")).status == 404
        assert (await client.request("DELETE", "/api/v1/enqueue")).status == 405
    assert await records(admin) == before
    # Nothing was written to the log for them, either.
    after = (await admin.post("/api/v1/enqueue", {"queue": "q"})).headers["x-corvo-index"]
    assert int(after) == int(index) + 1


async def test_who_may_not_do_something_is_recorded_once_a_minute(admin):
    reader = await make(admin, "reader", role="readonly", namespace="default")
    for _ in range(20):
        assert (await reader.post("/api/v1/queues/q/pause")).status == 403
    assert (await reader.post("/api/v1/enqueue", {"queue": "q"})).status == 403

    found = await until(lambda: _of(admin, "key:reader", 2))
    assert [(record["path"], record["code"], record["outcome"]) for record in found] == [
        ("/api/v1/enqueue", "FORBIDDEN", "refused"),
        ("/api/v1/queues/q/pause", "FORBIDDEN", "refused"),
    ]


async def _of(admin, principal, count):
    found = await records(admin, principal=principal)
    return found if len(found) >= count else None


async def test_what_cannot_be_understood_is_recorded_once_a_minute_too(admin):
    for _ in range(20):
        assert (await admin.post("/api/v1/jobs/bulk", {"action": "nonsense"})).status == 400
    found = await until(lambda: records(admin, path_prefix="/api/v1/jobs"))
    assert [(record["status_code"], record["outcome"]) for record in found] == [(400, "refused")]


async def test_the_address_behind_trusted_proxies_is_recorded(tmp_path):
    async with running(tmp_path / "data", trusted_proxies="127.0.0.0/8,10.0.0.0/8") as node:
        await node.client.post("/api/v1/queues/q/pause", X_Forwarded_For="6.6.6.6, 203.0.113.9, 10.1.2.3")
        await node.client.post("/api/v1/queues/q/resume")
        assert [record["client"] for record in await records(node.client)] == ["127.0.0.1", "203.0.113.9"]


async def test_nobody_is_believed_without_trusted_proxies(client):
    await client.post("/api/v1/queues/q/pause", X_Forwarded_For="203.0.113.9")
    assert [record["client"] for record in await records(client)] == ["127.0.0.1"]


async def test_a_request_id_that_is_no_id_is_replaced(client):
    reply = await client.post("/api/v1/queues/q/pause", X_Request_Id="x" * 500)
    (record,) = await records(client)
    assert record["request_id"] == reply.headers["x-request-id"]
    assert record["request_id"].startswith("req_")


# What is on record


async def test_no_secret_is_on_record(admin):
    made = await admin.post("/api/v1/auth/keys", {"name": "k", "role": "worker"})
    hook = {
        "id": "h",
        "url": "https://example.com/token-123?key=456",
        "secret": "hush",
        "events": ["*"],
    }
    assert (await admin.post("/api/v1/webhooks", hook)).status == 200
    export = (await admin.get("/api/v1/audit-logs/export")).body.decode()
    for secret in (made.json()["api_key"], admin.headers["X-API-Key"], "token-123", "456", "hush"):
        assert secret not in export
    assert '"host":"example.com"' in export


async def test_a_repetition_is_not_recorded_again(client):
    for _ in range(3):
        assert (await client.post("/api/v1/queues/q/pause", Idempotency_Key="once")).status == 200
    await client.enqueue("q")
    for _ in range(3):
        assert (await client.post("/api/v1/queues/q/clear", Idempotency_Key="clear")).status == 200
    found = await records(client)
    assert [record["path"] for record in found] == ["/api/v1/queues/q/clear", "/api/v1/queues/q/pause"]
    assert [record["affected"] for record in found] == [1, 0]


async def test_a_queue_that_is_cleared_in_several_steps_is_one_record(client):
    jobs = [{"queue": "q", "payload": {}} for _ in range(2_500)]
    assert (await client.post("/api/v1/enqueue/batch", {"jobs": jobs})).status in (200, 201)
    assert (await client.post("/api/v1/queues/q/clear")).json()["deleted"] == 2_500
    (record,) = await records(client)
    assert record["affected"] == 2_500


async def test_a_bulk_task_adds_how_many_jobs_it_has_changed(client):
    jobs = [{"queue": "q", "payload": {}} for _ in range(1_200)]
    await client.post("/api/v1/enqueue/batch", {"jobs": jobs})
    body = {"action": "cancel", "filter": {"queue": "q"}, "async": True}
    assert (await client.post("/api/v1/jobs/bulk", body)).status == 202

    async def ended():
        (record,) = await records(client)
        return record if record["affected"] else None

    record = await until(ended)
    assert (record["affected"], record["status_code"]) == (1_200, 202)
    assert record["facts"]["action"] == "cancel"


async def test_a_dry_run_is_not_recorded(client):
    body = {"action": "cancel", "filter": {"queue": "q"}, "dry_run": True}
    assert (await client.post("/api/v1/jobs/bulk", body)).status == 200
    assert await records(client) == []


async def test_a_history_names_who_did_it(admin):
    operator = await make(admin, "ann", role="operator", namespace="default")
    job_id = await admin.enqueue()
    deeds = [("hold", {"reason": "look"}), ("approve", None), ("move", {"queue": "r"}), ("cancel", None)]
    for deed, body in deeds:
        assert (await operator.post(f"/api/v1/jobs/{job_id}/{deed}", body)).status == 200
    bulk = {"action": "retry", "job_ids": [job_id]}
    assert (await operator.post("/api/v1/jobs/bulk", bulk)).json()["affected"] == 1
    assert (
        await operator.post("/api/v1/jobs/bulk", bulk | {"action": "cancel", "async": True})
    ).status == 202
    await until(lambda: _is_cancelled(admin, job_id))

    events = (await admin.get(f"/api/v1/jobs/{job_id}/events")).json()["events"]
    told = [(event["type"], event.get("data", {}).get("by")) for event in events]
    assert told == [
        ("enqueued", None),
        ("held", "key:ann"),
        ("approved", "key:ann"),
        ("moved", "key:ann"),
        ("cancelled", "key:ann"),
        ("retried", "key:ann"),
        ("cancelled", "key:ann"),
    ]


async def _is_cancelled(client, job_id):
    return (await client.job(job_id))["state"] == "cancelled"


# Who sees what


async def test_tenants_see_their_own_records_only(admin):
    acme = await make(admin, "a", role="admin", namespace="acme")
    umbrella = await make(admin, "u", role="admin", namespace="umbrella")
    await acme.post("/api/v1/queues/secret-plan/pause")
    await umbrella.post("/api/v1/queues/other/pause")
    await admin.post("/api/v1/queues/third/pause")
    await admin.post("/api/v1/auth/roles", {"name": "r", "permissions": []})

    assert {record["namespace"] for record in await records(acme)} == {"acme"}
    assert [record["path"] for record in await records(umbrella, principal="key:u")] == [
        "/api/v1/queues/other/pause"
    ]
    # Making their keys is on their record, too, and nothing else that admins of all do.
    assert [record["path"] for record in await records(umbrella)][1:] == ["/api/v1/auth/keys"]
    body = (await umbrella.get("/api/v1/audit-logs")).json()
    assert body["total"] == 2
    assert b"secret-plan" not in (await umbrella.get("/api/v1/audit-logs/export")).body
    assert (await umbrella.get("/api/v1/audit-logs?namespace=acme")).status == 403

    everything = {record["namespace"] for record in await records(admin)}
    assert everything == {"acme", "umbrella", "default", "*"}
    assert {record["namespace"] for record in await records(admin, namespace="acme")} == {"acme"}
    assert {
        record["namespace"]
        for record in await records(
            admin.with_key(admin.headers["X-API-Key"], **{"X-Corvo-Namespace": "acme"})
        )
    } == {"acme"}


async def test_what_a_tenant_may_not_do_is_on_its_own_record(admin):
    acme = await make(admin, "a", role="admin", namespace="acme")
    assert (await acme.post("/api/v1/cluster/leave")).status == 403
    reply = await acme.post("/api/v1/queues/q/pause", **{"X-Corvo-Namespace": "umbrella"})
    assert reply.status == 403
    found = await until(lambda: _of(admin, "key:a", 2))
    assert {(record["namespace"], record["code"]) for record in found} == {("acme", "FORBIDDEN")}
    assert await records(admin, namespace="default") == []


@pytest.mark.parametrize("fields", [{"role": "operator"}, {"role": "admin", "queue_scope": "mail-*"}])
async def test_not_everybody_may_read_it(admin, fields):
    other = await make(admin, "o", namespace="default", **fields)
    assert (await other.get("/api/v1/audit-logs")).status == 403
    assert (await other.get("/api/v1/audit-logs/export")).status == 403


# Finding


async def test_pages_follow_each_other(client):
    for number in range(25):
        await client.post(f"/api/v1/queues/q{number}/pause")
    seen, cursor = [], ""
    while True:
        body = (await client.get(f"/api/v1/audit-logs?limit=10{cursor}")).json()
        assert (body["total"], body["limit"]) == (25, 10)
        seen += [record["path"] for record in body["audit_logs"]]
        if not body["has_more"]:
            break
        cursor = f"&cursor={body['cursor']}"
    assert seen == [f"/api/v1/queues/q{number}/pause" for number in reversed(range(25))]
    by_offset = (await client.get("/api/v1/audit-logs?limit=10&offset=20")).json()
    assert [record["path"] for record in by_offset["audit_logs"]] == seen[20:]


async def test_records_are_found_by_what_they_say(client):
    await client.post("/api/v1/queues/a/pause")
    middle = (await records(client))[0]["created_at"]
    await client.request("DELETE", "/api/v1/queues/a?confirm=true")
    await client.post("/api/v1/queues/b/pause")

    async def paths(**query):
        return [record["path"] for record in await records(client, **query)]

    assert await paths(method="delete") == ["/api/v1/queues/a"]
    assert await paths(path_prefix="/api/v1/queues/a") == ["/api/v1/queues/a", "/api/v1/queues/a/pause"]
    assert await paths(until=middle) == []
    assert len(await paths(since=middle)) == 3
    assert await paths(principal="key:nobody") == []
    assert (await records(client, method="delete"))[0]["metadata"] == {"query": "confirm=true"}
    found = (await client.get("/api/v1/audit-logs?method=DELETE")).json()
    assert (found["total"], "total_is_estimate" in found) == (1, False)


@pytest.mark.parametrize(
    "query",
    ["limit=x", "limit=0", "offset=-1", "cursor=nonsense", "since=yesterday", "namespace=Not!One"],
)
async def test_what_makes_no_sense_is_refused(client, query):
    reply = await client.get(f"/api/v1/audit-logs?{query}")
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


async def test_an_export_has_them_all(client):
    connection = await client.connect()
    for number in range(1_300):
        await connection.send("POST", f"/api/v1/queues/q{number % 7}/pause", {"n": number})
        await connection.reply()
    await connection.close()
    lines = (await client.get("/api/v1/audit-logs/export")).body.splitlines()
    found = [json.loads(line) for line in lines]
    assert len({record["id"] for record in found}) == len(found) == 1_300
    assert found == sorted(found, key=lambda record: record["id"], reverse=True)
    some = (await client.get("/api/v1/audit-logs/export?path_prefix=/api/v1/queues/q3")).body.splitlines()
    assert len(some) == 186


async def test_records_are_there_after_a_restart(tmp_path):
    async with running(tmp_path / "data") as node:
        await node.client.post("/api/v1/queues/q/pause")
        before = await records(node.client)
    async with running(tmp_path / "data") as node:
        assert await records(node.client) == before
        await node.client.post("/api/v1/queues/q/resume")
        assert (await records(node.client))[1:] == before


# The stream


async def lines(path, count):
    def read():
        found = path.read_text().splitlines() if path.exists() else []
        return found if len(found) >= count else None

    return [json.loads(line) for line in await until(read)]


async def test_every_record_is_a_line_in_a_file(tmp_path):
    path = tmp_path / "audit.jsonl"
    async with running(tmp_path / "data", audit_to=str(path)) as node:
        await node.client.post("/api/v1/queues/a/pause")
        await node.client.post("/api/v1/queues/b/pause")
        found = await lines(path, 2)
        assert found[::-1] == await records(node.client)
        assert path.stat().st_mode & 0o777 == 0o600
        # Somebody rotates it.
        path.rename(tmp_path / "audit.jsonl.1")
        await node.client.post("/api/v1/queues/c/pause")
        assert [record["path"] for record in await lines(path, 1)] == ["/api/v1/queues/c/pause"]
    # What happened while nobody streamed is made up for, also after a line that was torn.
    async with running(tmp_path / "data") as node:
        await node.client.post("/api/v1/queues/d/pause")
    with path.open("a") as file:
        file.write('{"id":"audit_')
    async with running(tmp_path / "data", audit_to=str(path)) as node:
        await node.client.post("/api/v1/queues/e/pause")

        def both():
            return "/queues/d/" in path.read_text() and "/queues/e/" in path.read_text()

        await until(both)
        whole = [line for line in path.read_text().splitlines() if line != '{"id":"audit_']
        assert [json.loads(line)["path"][-7:-6] for line in whole] == ["c", "d", "e"]


async def test_a_file_that_cannot_be_written_stops_nobody(tmp_path):
    path = tmp_path / "folder" / "audit.jsonl"
    async with running(tmp_path / "data", audit_to=str(path)) as node:
        assert (await node.client.post("/api/v1/queues/a/pause")).status == 200
        assert len(await records(node.client)) == 1
        await asyncio.to_thread(path.parent.mkdir)
        found = await lines(path, 1)
        assert found == await records(node.client)


async def test_a_full_disk_stops_nobody_and_is_told_once(tmp_path, capfd):
    async with running(tmp_path / "data", audit_to="/dev/full") as node:
        for _ in range(5):
            assert (await node.client.post("/api/v1/queues/a/pause")).status == 200
        assert len(await records(node.client)) == 5
        told = ""

        def is_told():
            nonlocal told
            told += capfd.readouterr().out
            return "audit.stream_failed" in told

        await until(is_told)
    told += capfd.readouterr().out
    assert told.count("audit.stream_failed") == 1
    assert "No space left" in told
