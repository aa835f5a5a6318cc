"""Every route that changes things leaves exactly one audit record, every other one none. As data: a route
without a row fails."""

import re

import pytest

from corvo.http.api.table import routes
from corvo.http.serve.route import DAILY_WORK
from tests.support.node import until

AUDITED = {f"{route.method} {route.path}": route for route in routes() if route.audited}
OTHERS = {
    f"{route.method} {route.path}": route for route in routes() if not route.audited and not route.duplex
}
LASTING = {"GET /api/v1/events", "GET /api/v1/cluster/events"}
PLAN = {"name": "{plan}", "cron": "@daily", "queue": "{queue}"}
ROLE = {"name": "{role}", "permissions": [{"resource": "queues", "actions": ["pause"]}]}
HOOK = {"id": "{hook}", "url": "https://example.com/token-in-path", "events": ["*"], "secret": "s3cr3t"}

#: Route -> what is sent to it, and the status and the number of jobs that are on record then. What a word in
#: braces stands for is made by `make_world` below.
ROWS = {
    "POST /api/v1/jobs/{job_id}/retry": ("/jobs/{cancelled}/retry", None, 200, 1),
    "POST /api/v1/jobs/{job_id}/cancel": ("/jobs/{pending}/cancel", None, 200, 1),
    "POST /api/v1/jobs/{job_id}/hold": ("/jobs/{pending}/hold", {"reason": "wait"}, 200, 1),
    "POST /api/v1/jobs/{job_id}/approve": ("/jobs/{held}/approve", None, 200, 1),
    "POST /api/v1/jobs/{job_id}/reject": ("/jobs/{held}/reject", None, 200, 1),
    "POST /api/v1/jobs/{job_id}/move": ("/jobs/{pending}/move", {"queue": "r"}, 200, 1),
    "POST /api/v1/jobs/{job_id}/priority": ("/jobs/{pending}/priority", {"priority": "high"}, 200, 1),
    "DELETE /api/v1/jobs/{job_id}": ("/jobs/{pending}", None, 200, 1),
    "POST /api/v1/jobs/bulk": ("/jobs/bulk", {"action": "cancel", "filter": {"queue": "{queue}"}}, 200, 2),
    "POST /api/v1/bulk/{task_id}/cancel": ("/bulk/gone/cancel", None, 404, 0),
    "POST /api/v1/queues/{name}/pause": ("/queues/{queue}/pause", None, 200, 0),
    "POST /api/v1/queues/{name}/resume": ("/queues/{queue}/resume", None, 200, 0),
    "POST /api/v1/queues/{name}/drain": ("/queues/{queue}/drain", None, 200, 0),
    "POST /api/v1/queues/{name}/concurrency": ("/queues/{queue}/concurrency", {"max": 3}, 200, 0),
    "POST /api/v1/queues/{name}/throttle": ("/queues/{queue}/throttle", {"rate": 3, "window_ms": 99}, 200, 0),
    "DELETE /api/v1/queues/{name}/throttle": ("/queues/{queue}/throttle", None, 200, 0),
    "POST /api/v1/queues/{name}/clear": ("/queues/{queue}/clear", None, 200, 1),
    "DELETE /api/v1/queues/{name}": ("/queues/{queue}?confirm=true", None, 200, 3),
    "POST /api/v1/schedules": ("/schedules", PLAN | {"name": "another-{plan}"}, 201, 0),
    "PUT /api/v1/schedules/{schedule_id}": ("/schedules/{plan}", {"cron": "@hourly"}, 200, 0),
    "POST /api/v1/schedules/{schedule_id}/enable": ("/schedules/{plan}/enable", None, 200, 0),
    "POST /api/v1/schedules/{schedule_id}/disable": ("/schedules/{plan}/disable", None, 200, 0),
    "DELETE /api/v1/schedules/{schedule_id}": ("/schedules/{plan}", None, 200, 0),
    "POST /api/v1/schedules/{schedule_id}/run": ("/schedules/{plan}/run", None, 201, 1),
    "POST /api/v1/webhooks": ("/webhooks", HOOK | {"id": "another-{hook}"}, 200, 0),
    "DELETE /api/v1/webhooks/{name}": ("/webhooks/{hook}", None, 200, 0),
    "POST /api/v1/webhooks/{name}/enable": ("/webhooks/{hook}/enable", None, 200, 0),
    "POST /api/v1/webhooks/{name}/disable": ("/webhooks/{hook}/disable", None, 200, 0),
    "POST /api/v1/webhooks/{name}/redeliver": ("/webhooks/{hook}/redeliver", {"from_seq": 1}, 200, 0),
    "POST /api/v1/webhooks/{name}/test": ("/webhooks/gone/test", None, 404, 0),
    "POST /api/v1/auth/keys": ("/auth/keys", {"name": "new", "role": "worker"}, 200, 0),
    "POST /api/v1/auth/keys/{key}/rotate": ("/auth/keys/{key}/rotate", None, 200, 0),
    "DELETE /api/v1/auth/keys": ("/auth/keys", {"id": "{key}"}, 200, 0),
    "DELETE /api/v1/auth/keys/{key}": ("/auth/keys/{key}", None, 200, 0),
    "POST /api/v1/auth/keys/{key}/roles": ("/auth/keys/{key}/roles", {"role": "{role}"}, 200, 0),
    "DELETE /api/v1/auth/keys/{key}/roles/{role}": ("/auth/keys/{key}/roles/none", None, 404, 0),
    "POST /api/v1/namespaces": ("/namespaces", {"name": "another"}, 201, 0),
    "PUT /api/v1/namespaces/{namespace}/quotas": ("/namespaces/default/quotas", {}, 200, 0),
    "PUT /api/v1/namespaces/{namespace}/rate-limit": ("/namespaces/default/rate-limit", {}, 200, 0),
    "DELETE /api/v1/namespaces/{namespace}": ("/namespaces/gone", None, 404, 0),
    "POST /api/v1/settings/sso": ("/settings/sso", {"provider": ""}, 200, 0),
    "POST /api/v1/auth/roles": ("/auth/roles", ROLE | {"name": "another-{role}"}, 200, 0),
    "DELETE /api/v1/auth/roles/{role}": ("/auth/roles/{role}", None, 200, 0),
    "POST /api/v1/cluster/join": ("/cluster/join", {"node_id": "", "addr": "x"}, 400, 0),
    "POST /api/v1/cluster/remove": ("/cluster/remove", {"node_id": "gone"}, 200, 0),
    "POST /api/v1/cluster/leave": ("/cluster/leave", None, 400, 0),
    "POST /api/v1/cluster/forget-key": ("/cluster/forget-key", {"node_id": "gone"}, 400, 0),
    "POST /api/v1/cluster/transfer": ("/cluster/transfer", {"node_id": "gone"}, 400, 0),
    "POST /api/v1/admin/rebuild-sqlite": ("/admin/rebuild-sqlite", None, 200, 0),
}


@pytest.fixture
async def admin(client):
    made = await client.post("/api/v1/auth/keys", {"name": "root", "role": "admin", "namespace": "*"})
    return client.with_key(made.json()["api_key"])


async def make_world(admin, number):
    """One of everything, by name."""
    names = {name: f"{name}-{number}" for name in ("queue", "plan", "hook", "role")}
    for name in ("pending", "held", "cancelled"):
        names[name] = await admin.enqueue(names["queue"])
    await admin.post(f"/api/v1/jobs/{names['held']}/hold", {})
    await admin.post(f"/api/v1/jobs/{names['cancelled']}/cancel")
    for path, body in (("schedules", PLAN), ("webhooks", HOOK), ("auth/roles", ROLE)):
        reply = await admin.post(f"/api/v1/{path}", filled(body, names))
        assert reply.status in (200, 201), reply
    made = await admin.post("/api/v1/auth/keys", {"name": f"k{number}", "role": "worker"})
    return names | {"key": made.json()["id"]}


async def records(client, **query):
    text = "&".join(f"{name}={value}" for name, value in ({"limit": 1_000} | query).items())
    reply = await client.get(f"/api/v1/audit-logs?{text}")
    assert reply.status == 200, reply
    return reply.json()["audit_logs"]


def filled(what, world):
    if isinstance(what, dict):
        return {name: filled(value, world) for name, value in what.items()}
    if not isinstance(what, str):
        return what
    for name, value in world.items():
        what = what.replace(f"{{{name}}}", value)
    return what


def test_every_audited_route_has_a_row():
    assert ROWS.keys() == AUDITED.keys()


async def test_a_change_leaves_exactly_one_record(admin):
    wrong = []
    for number, target in enumerate(ROWS):
        world = await make_world(admin, number)
        before = await records(admin)
        reply = await send(admin, target, world)
        # A refusal goes on record, and what came of a change that is not in the log, while no client waits.
        await until(lambda reply=reply: is_on_record(admin, reply))
        after = await records(admin)
        added = [record for record in after if record not in before]
        if len(added) == 1:
            wrong += differences(target, world, reply, added[0])
        else:
            wrong.append(f"{target} left {len(added)} records: {added}")
    assert wrong == []


async def send(admin, target, world):
    path, body, _, _ = ROWS[target]
    name = f"test-{target.replace(' ', '-')}"
    method = AUDITED[target].method
    return await admin.request(
        method, "/api/v1" + filled(path, world), filled(body, world), X_Request_Id=name
    )


def differences(target, world, reply, record):
    path, _, status, affected = ROWS[target]
    expected = {
        "method": AUDITED[target].method,
        "path": "/api/v1" + filled(path, world).partition("?")[0],
        "request_id": f"test-{target.replace(' ', '-')}",
        "principal": "key:root",
        "role": "admin",
        "client": "127.0.0.1",
        "status_code": status,
        "affected": affected,
        "outcome": "done" if status < 400 else "refused",
    }
    for name, value in expected.items():
        if record[name] != value:
            yield f"{target}: {name} is {record[name]!r}, should be {value!r}; {reply}"
    if reply.status != status:
        yield f"{target} is answered {reply}"


async def is_on_record(admin, reply):
    newest = (await records(admin, limit=1))[0]
    return newest["request_id"] == reply.headers["x-request-id"] and newest["outcome"] != "begun"


async def test_every_other_route_leaves_none(admin):
    """Whatever it is sent: what is asked for need not exist."""
    before = await records(admin)
    for target, route in OTHERS.items():
        body = None if route.method == "GET" else {"queue": "q", "queues": ["q"], "timeout": 1}
        connection = await admin.connect()
        try:
            await connection.send(route.method, re.sub(r"{\w+}", "some", route.path), body, **admin.headers)
            if target not in LASTING:
                await connection.reply()
        finally:
            await connection.close()
        assert await records(admin) == before, target


def test_what_producers_and_workers_do_all_day_is_not_audited():
    for route in routes():
        if route.needs in DAILY_WORK:
            assert not route.audited
