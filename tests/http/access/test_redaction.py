"""Who lacks payload:read sees no data of jobs, wherever it could show up.

Every place that holds data of a job gets a marker; then every route that can be asked is asked.
"""

import json

import pytest

from corvo.http.api.table import routes
from tests.support.access import Talk, first_key, new_client
from tests.support.node import running

#: One of each kind of data that a client or a worker may send.
MARKERS = {
    kind: f"marker-{kind}"
    for kind in (
        "payload",
        "result",
        "checkpoint",
        "progress",
        "error",
        "backtrace",
        "chain",
        "callback",
        "cron",
    )
}
#: Questions that are not asked by GET.
QUESTIONS = {
    "POST /api/v1/jobs/search": {},
    "POST /api/v1/jobs/bulk-get": None,
    "POST /api/v1/jobs/bulk": {"action": "retry", "filter": {"state": "dead"}, "dry_run": True},
}


@pytest.fixture
async def reader(admin):
    return await new_client(admin, name="r", role="readonly")


@pytest.fixture
async def ids(admin):
    """A completed, a dead and a batched job, and a schedule, all full of markers."""
    marked = {"secret": MARKERS["payload"]}
    steps = [{"queue": "q", "payload": marked}, {"queue": "r", "payload": {"x": MARKERS["chain"]}}]
    done = await admin.enqueue("q", marked, chain={"steps": steps})
    job = await admin.fetch("q")
    beat = {"progress": {"at": MARKERS["progress"]}, "checkpoint": {"c": MARKERS["checkpoint"]}}
    await admin.post("/api/v1/heartbeat", {"jobs": {done: beat | {"lease_token": job["lease_token"]}}})
    finished = {"result": {"r": MARKERS["result"]}, "lease_token": job["lease_token"]}
    assert (await admin.post(f"/api/v1/ack/{done}", finished)).status == 200
    dead = await admin.enqueue("q", marked, max_retries=0)
    job = await admin.fetch("q")
    failed = {"error": MARKERS["error"], "backtrace": MARKERS["backtrace"], "lease_token": job["lease_token"]}
    assert (await admin.post(f"/api/v1/fail/{dead}", failed)).status == 200
    batch = (
        await admin.post(
            "/api/v1/batch", {"callback_queue": "q", "callback_payload": {"b": MARKERS["callback"]}}
        )
    ).json()["batch_id"]
    plan = {"name": "s", "queue": "q", "cron": "@daily", "payload": {"s": MARKERS["cron"]}}
    schedule = (await admin.post("/api/v1/schedules", plan)).json()
    return {
        "job_id": (done, dead),
        "batch_id": (batch,),
        "schedule_id": (schedule["id"],),
        "name": ("q",),
    }


def targets(ids):
    """Every question there is, about each thing there is."""
    for route in routes():
        target = f"{route.method} {route.path}"
        if route.path == "/api/v1/events" or (route.method != "GET" and target not in QUESTIONS):
            continue
        (name,) = [part[1:-1] for part in route.path.split("/") if part.startswith("{")][:1] or [None]
        for value in ids.get(name, ("none",)):
            yield route.method, route.path.replace(f"{{{name}}}", value), QUESTIONS.get(target)


async def seen(client, ids):
    """All that this client is told."""
    heard = []
    for method, path, body in targets(ids):
        asked = {"job_ids": list(ids["job_id"])} if path.endswith("/bulk-get") else body
        reply = await client.request(method, path, asked)
        assert reply.status < 500, (path, reply)
        if reply.status < 400:
            heard.append(f"{path} {reply.body.decode()}")
    talk = await Talk.begin(client, "GET /api/v1/events?last_event_id=0")
    heard.append((await talk.hear(b"event: dead")).decode())
    heard.append((await talk.hear(b"\n\n")).decode())
    talk.close()
    return "\n".join(heard)


async def test_an_admin_sees_every_kind_of_data(admin, ids):
    """Or the next test would prove nothing."""
    told = await seen(admin, ids)
    assert {kind for kind, marker in MARKERS.items() if marker not in told} == set()


async def test_a_reader_sees_none_of_it(reader, ids):
    told = await seen(reader, ids)
    for marker in MARKERS.values():
        assert [line for line in told.splitlines() if marker in line] == []
    assert "[redacted]" in told


async def test_everything_else_of_a_job_is_shown(admin, reader, ids):
    done = ids["job_id"][0]
    whole, told = await admin.job(done), await reader.job(done)
    hidden = {"payload", "result", "checkpoint", "progress"}
    assert {name: value for name, value in told.items() if name not in hidden | {"chain_config"}} == {
        name: value for name, value in whole.items() if name not in hidden | {"chain_config"}
    }
    assert {told[name] for name in hidden} == {"[redacted]"}
    assert told["chain_config"]["steps"][0]["queue"] == whole["chain_config"]["steps"][0]["queue"]


@pytest.mark.parametrize(
    "asked",
    [
        {"payload_contains": "m"},
        {"payload_jq": '.secret == "m"'},
        {"error_contains": "m"},
        {"failure": "marker-error"},
    ],
)
async def test_a_reader_cannot_find_out_by_searching(admin, reader, ids, asked):
    reply = await reader.post("/api/v1/jobs/search", asked)
    assert (reply.status, reply.code) == (403, "FORBIDDEN")
    assert (await admin.post("/api/v1/jobs/search", asked)).status == 200


async def test_a_reader_cannot_search_by_words_or_by_the_query_bar(reader, ids):
    for path in (
        "/api/v1/search/fulltext?q=marker",
        "/api/v1/failures?q=marker",
        "/api/v1/failures?q=error:x",
    ):
        assert (await reader.get(path)).status == 403, path


async def test_who_may_act_but_not_read_cannot_find_out_by_bulk_or_webhook(admin, ids):
    role = {
        "name": "blind",
        "permissions": [
            {"resource": "jobs", "actions": ["*"]},
            {"resource": "webhooks", "actions": ["*"]},
        ],
    }
    assert (await admin.post("/api/v1/auth/roles", role)).status == 200
    blind = await new_client(admin, name="b", role="blind")
    bulk = {"action": "retry", "filter": {"payload_contains": "m"}, "dry_run": True}
    assert (await blind.post("/api/v1/jobs/bulk", bulk)).status == 403
    assert (await blind.post("/api/v1/webhooks", {"url": "https://example.com/"})).status == 403
    assert (await blind.post(f"/api/v1/jobs/{ids['job_id'][1]}/retry")).status == 200


async def test_a_worker_gets_its_payload(admin):
    worker = await new_client(admin, name="w", role="worker")
    role = {"name": "puller", "permissions": [{"resource": "fetch", "actions": ["write"]}]}
    await admin.post("/api/v1/auth/roles", role)
    puller = await new_client(admin, name="p", role="puller")
    for client in (worker, puller):
        await admin.enqueue("w", {"to": "ann"})
        assert (await client.fetch("w"))["payload"] == {"to": "ann"}


async def test_only_members_whose_names_fit_are_hidden_if_the_operator_says_so(tmp_path):
    async with running(tmp_path / "data", redact_fields="*token*, ssn") as node:
        admin = await first_key(node.client)
        reader = await new_client(admin, name="r", role="readonly")
        payload = {
            "to": "ann",
            "Token": 1,
            "deep": [{"ssn": {"a": 1}, "n": 1e2}],
            "my_tokens": None,
            "z": "ü",
        }
        job_id = await admin.enqueue("q", payload)
        told = await reader.get(f"/api/v1/jobs/{job_id}")
        assert told.json()["payload"] == {
            "to": "ann",
            "Token": "[redacted]",
            "deep": [{"ssn": "[redacted]", "n": 100}],
            "my_tokens": None,
            "z": "ü",
        }
        whole = await admin.job(job_id)
        assert whole["payload"] == payload
        listed = json.loads((await reader.post("/api/v1/jobs/search", {})).body)
        assert listed["jobs"][0]["payload"]["Token"] == "[redacted]"
