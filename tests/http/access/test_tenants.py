"""Tenants over HTTP: nothing of one namespace is readable, countable or guessable from another."""

import pytest

from tests.support.access import Talk, new_client
from tests.support.node import until

#: Stands in everything that belongs to acme, and in nothing else.
MARK = "wombat"


@pytest.fixture
async def acme(admin):
    return await new_client(admin, name="acme", role="admin", namespace="acme")


@pytest.fixture
async def globex(admin):
    return await new_client(admin, name="globex", role="admin", namespace="globex")


async def fill(client):
    """Some of everything, all of it marked: ids by what they are of."""
    ids = {}
    ids["job"] = await client.enqueue(
        f"{MARK}-mail",
        {"to": MARK},
        tags={MARK: MARK},
        unique_key=MARK,
        group=MARK,
    )
    ids["failed"] = await client.enqueue(f"{MARK}-fail", {"to": MARK}, max_retries=1)
    claimed = await client.fetch(f"{MARK}-fail", worker_id=f"{MARK}-worker", hostname=MARK)
    fail = {"error": f"no {MARK}", "lease_token": claimed["lease_token"]}
    assert (await client.post(f"/api/v1/fail/{ids['failed']}", fail)).status == 200
    ids["active"] = await client.enqueue(f"{MARK}-run", {"to": MARK})
    claimed = await client.fetch(f"{MARK}-run", worker_id=f"{MARK}-worker", hostname=MARK)
    ids["token"] = claimed["lease_token"]
    batch = await client.post("/api/v1/batch", {"callback_queue": f"{MARK}-done"})
    ids["batch"] = batch.json()["batch_id"]
    schedule = {"name": MARK, "cron": "0 0 1 1 *", "queue": f"{MARK}-cron"}
    ids["schedule"] = (await client.post("/api/v1/schedules", schedule)).json()["id"]
    hook = {"id": MARK, "url": "https://example.com/hook"}
    assert (await client.post("/api/v1/webhooks", hook)).status == 200
    bulk = {"action": "hold", "job_ids": [ids["job"]], "async": True}
    ids["bulk"] = (await client.post("/api/v1/jobs/bulk", bulk)).json()["bulk_operation_id"]
    return ids


READS = [
    "/api/v1/queues",
    "/api/v1/queues/{mark}-mail",
    "/api/v1/jobs/{job}",
    "/api/v1/jobs/{failed}",
    "/api/v1/jobs/{failed}/errors",
    "/api/v1/jobs/{job}/events",
    "/api/v1/jobs/{job}/explain",
    "/api/v1/jobs/{job}/graph",
    "/api/v1/dead",
    "/api/v1/failures",
    "/api/v1/search/fulltext?q={mark}",
    "/api/v1/batches",
    "/api/v1/batch/{batch}",
    "/api/v1/bulk",
    "/api/v1/bulk/{bulk}",
    "/api/v1/schedules",
    "/api/v1/schedules/{schedule}",
    "/api/v1/schedules/{mark}",
    "/api/v1/webhooks",
    "/api/v1/webhooks/{mark}",
    "/api/v1/workers",
    "/api/v1/metrics",
    "/api/v1/metrics/throughput/queues",
]


#: Their answers need not name anything.
UNMARKED = {"/api/v1/jobs/{job}/explain", "/api/v1/jobs/{job}/events", "/api/v1/bulk", "/api/v1/bulk/{bulk}"}


async def test_what_belongs_to_one_namespace_is_shown_there_and_nowhere_else(client, admin, acme, globex):
    ids = await fill(acme)
    await globex.enqueue("theirs")
    in_default = admin
    for template in READS:
        path = template.format(mark=MARK, **ids)
        own = await acme.get(path)
        assert own.status == 200, (path, own)
        assert "\\u001f" not in own.body.decode(), path
        assert "\x1f" not in own.body.decode(), path
        assert MARK in own.body.decode() or template in UNMARKED, path
        for other in (globex, in_default):
            seen = await other.get(path)
            asked = path.count(MARK)
            if template == "/api/v1/metrics" and other is in_default:
                continue  # An admin of all namespaces is told of all of them, with a label.
            assert seen.status in (200, 404), (path, seen)
            if seen.status == 200:
                # A search says what it was asked for.
                assert seen.body.decode().count(MARK) <= asked, (path, seen)
            else:
                assert seen.code == "NOT_FOUND"
    searched = await globex.post("/api/v1/jobs/search", {"payload_contains": MARK})
    assert (searched.json()["total"], searched.json()["jobs"]) == (0, [])
    assert (await acme.post("/api/v1/jobs/search", {"payload_contains": MARK})).json()["total"] == 3
    got = await globex.post("/api/v1/jobs/bulk-get", {"job_ids": [ids["job"], ids["failed"]]})
    assert got.json()["jobs"] == []


async def test_what_belongs_to_one_namespace_is_not_changed_from_another(acme, globex):
    ids = await fill(acme)
    job, failed, active = ids["job"], ids["failed"], ids["active"]
    before = (await acme.job(active))["lease_expires_at"]
    refused = [
        ("POST", f"/api/v1/jobs/{job}/cancel", None),
        ("POST", f"/api/v1/jobs/{failed}/retry", None),
        ("DELETE", f"/api/v1/jobs/{job}", None),
        ("POST", f"/api/v1/jobs/{job}/move", {"queue": "mine"}),
        ("POST", f"/api/v1/ack/{active}", {"lease_token": ids["token"]}),
        ("POST", f"/api/v1/ack/{active}", {}),
        ("POST", f"/api/v1/fail/{active}", {"error": "x", "lease_token": ids["token"]}),
        ("POST", f"/api/v1/release/{active}", {"lease_token": ids["token"]}),
        ("POST", f"/api/v1/batch/{ids['batch']}/seal", None),
        ("DELETE", f"/api/v1/schedules/{ids['schedule']}", None),
        ("POST", f"/api/v1/schedules/{ids['schedule']}/run", None),
        ("DELETE", f"/api/v1/webhooks/{MARK}", None),
        ("POST", f"/api/v1/bulk/{ids['bulk']}/cancel", None),
        ("POST", f"/api/v1/queues/{MARK}-mail/pause?existing=true", None),
    ]
    for method, path, body in refused:
        reply = await globex.request(method, path, body)
        assert (reply.status, reply.code) == (404, "NOT_FOUND"), (method, path, reply)
    beat = await globex.post("/api/v1/heartbeat", {"jobs": {active: {"lease_token": ids["token"]}}})
    assert beat.json()["unknown"] == [active]
    bulk = await globex.post("/api/v1/jobs/bulk", {"action": "delete", "job_ids": [job, failed, active]})
    assert bulk.json()["affected"] == 0
    by_filter = await globex.post("/api/v1/jobs/bulk", {"action": "delete", "filter": {"state": "dead"}})
    assert by_filter.json()["affected"] == 0
    states = [(await acme.job(job_id))["state"] for job_id in (job, failed, active)]
    assert states[1:] == ["dead", "active"]
    assert (await acme.job(active))["lease_expires_at"] == before


async def test_names_are_taken_in_one_namespace_only(acme, globex):
    await fill(acme)
    await fill(globex)
    one = (await acme.get("/api/v1/queues")).json()
    other = (await globex.get("/api/v1/queues")).json()
    assert [queue["name"] for queue in one] == [queue["name"] for queue in other]


async def test_a_job_ties_itself_to_nothing_of_another_namespace(acme, globex):
    ids = await fill(acme)
    joined = await globex.post("/api/v1/enqueue", {"queue": "q", "batch_id": ids["batch"]})
    assert (joined.status, "does not exist" in joined.json()["error"]) == (400, True), joined
    waits = await globex.post("/api/v1/enqueue", {"queue": "q", "depends_on": [ids["job"]]})
    assert waits.status == 400, waits
    unknown = await globex.post("/api/v1/enqueue", {"queue": "q", "depends_on": ["job_unknown"]})
    assert waits.json()["error"].replace(ids["job"], "") == unknown.json()["error"].replace("job_unknown", "")
    child = await globex.enqueue("q", parent_id=ids["job"])
    graph = (await acme.get(f"/api/v1/jobs/{ids['job']}/graph")).body.decode()
    assert child not in graph
    theirs = (await globex.get(f"/api/v1/jobs/{child}/graph")).json()
    assert MARK not in str(theirs)


async def test_an_idempotency_key_means_nothing_in_another_namespace(acme, globex):
    key = {"Idempotency-Key": "order-17"}
    one = await acme.post("/api/v1/enqueue", {"queue": "q"}, **key)
    other = await globex.post("/api/v1/enqueue", {"queue": "q"}, **key)
    assert one.json()["job_id"] != other.json()["job_id"]
    differs = await globex.post("/api/v1/enqueue", {"queue": "other"}, **key)
    assert (differs.status, differs.code) == (409, "IDEMPOTENCY_MISMATCH")


async def test_events_are_heard_in_their_own_namespace(acme, globex):
    talk = await Talk.begin(globex, "GET /api/v1/events")
    await talk.hear(b":connected")
    await fill(acme)
    own = await globex.enqueue("theirs")
    heard = await talk.hear(own.encode())
    assert MARK.encode() not in heard
    talk.close()


async def test_a_worker_gets_jobs_of_its_own_namespace(acme, globex):
    await acme.enqueue("q")
    assert await globex.fetch("q") is None
    assert (await acme.fetch("q"))["queue"] == "q"


async def test_only_who_belongs_to_all_namespaces_chooses_one(admin, acme):
    job = await acme.enqueue("q")
    chosen = {"X-Corvo-Namespace": "acme"}
    assert (await admin.get(f"/api/v1/jobs/{job}", **chosen)).status == 200
    assert (await admin.get(f"/api/v1/jobs/{job}")).status == 404
    refused = await acme.get("/api/v1/queues", **{"X-Corvo-Namespace": "globex"})
    assert (refused.status, refused.code) == (403, "FORBIDDEN")
    assert (await acme.get("/api/v1/queues", **chosen)).status == 200
    wrong = await admin.get("/api/v1/queues", **{"X-Corvo-Namespace": "Ac/me"})
    assert (wrong.status, wrong.code) == (400, "VALIDATION_ERROR")


async def test_a_name_cannot_reach_into_another_namespace(acme, admin):
    for name in ("acme\x1fq", "acme::q", "acme/q"):
        assert (await admin.post("/api/v1/enqueue", {"queue": name})).status == 400
    job = await acme.enqueue("q")
    for member in ("queue", "worker_id"):
        found = await admin.post("/api/v1/jobs/search", {member: "acme\x1fq"})
        assert found.json()["jobs"] == []
    batch = (await acme.post("/api/v1/batch", {})).json()["batch_id"]
    joined = await admin.post("/api/v1/enqueue", {"queue": "q", "batch_id": f"acme\x1f{batch}"})
    assert (joined.status, joined.code) == (400, "VALIDATION_ERROR")
    child = await admin.post("/api/v1/enqueue", {"queue": "q", "parent_id": f"acme\x1f{job}"})
    assert child.status == 201
    assert child.json()["job_id"] not in (await acme.get(f"/api/v1/jobs/{job}/graph")).body.decode()
    for path in (f"/batch/acme%1F{batch}", "/schedules/acme%1Fnightly", "/webhooks/acme%1Fhook"):
        assert (await admin.get(f"/api/v1{path}")).status == 404


class TestScope:
    """A key that may touch some queues only."""

    @pytest.fixture
    async def mailer(self, admin):
        return await new_client(admin, name="m", role="operator", queue_scope="mail.*")

    async def test_it_may_touch_these_queues(self, mailer):
        job = await mailer.enqueue("mail.out")
        assert (await mailer.job(job))["queue"] == "mail.out"
        claimed = await mailer.fetch("mail.out")
        ack = {"lease_token": claimed["lease_token"]}
        assert (await mailer.post(f"/api/v1/ack/{job}", ack)).status == 200

    async def test_a_queue_out_of_scope_is_refused_by_name(self, admin, mailer):
        job = await admin.enqueue("orders")
        for method, path, body in (
            ("POST", "/api/v1/enqueue", {"queue": "orders"}),
            ("POST", "/api/v1/enqueue/batch", {"jobs": [{"queue": "mail.x"}, {"queue": "orders"}]}),
            ("POST", "/api/v1/webhooks/orders", {}),
            ("POST", "/api/v1/fetch", {"queues": ["mail.x", "orders"], "timeout": 1}),
            ("POST", "/api/v1/queues/orders/pause", None),
            ("DELETE", "/api/v1/queues/orders?confirm=true", None),
            ("GET", "/api/v1/queues/orders", None),
            ("POST", "/api/v1/jobs/search", {"queue": "orders"}),
            ("GET", "/api/v1/dead?queue=orders", None),
            ("GET", "/api/v1/events?queues=orders", None),
            ("POST", "/api/v1/batch", {"callback_queue": "orders"}),
            ("POST", "/api/v1/schedules", {"name": "s", "cron": "* * * * *", "queue": "orders"}),
            (
                "POST",
                "/api/v1/enqueue",
                {"queue": "mail.x", "chain": {"steps": [{"queue": "mail.x"}, {"queue": "orders"}]}},
            ),
        ):
            reply = await mailer.request(method, path, body)
            assert (reply.status, reply.code) == (403, "FORBIDDEN"), (method, path, reply)
        assert (await mailer.get(f"/api/v1/jobs/{job}")).status == 404
        assert (await mailer.post(f"/api/v1/jobs/{job}/cancel")).status == 404
        assert (await admin.job(job))["state"] == "pending"

    async def test_lists_show_what_is_in_scope(self, admin, mailer):
        await admin.enqueue("orders", {"x": MARK})
        await admin.enqueue("mail.out", {"x": MARK})
        assert [queue["name"] for queue in (await mailer.get("/api/v1/queues")).json()] == ["mail.out"]
        found = (await mailer.post("/api/v1/jobs/search", {"payload_contains": MARK})).json()
        assert (found["total"], [job["queue"] for job in found["jobs"]]) == (1, ["mail.out"])
        gone = await mailer.post("/api/v1/jobs/bulk", {"action": "delete", "filter": {"state": "pending"}})
        assert gone.json()["affected"] == 1
        left = await admin.post("/api/v1/jobs/search", {"payload_contains": MARK})
        assert [job["queue"] for job in left.json()["jobs"]] == ["orders"]

    async def test_a_job_is_not_moved_out_of_scope(self, mailer):
        job = await mailer.enqueue("mail.out")
        reply = await mailer.post(f"/api/v1/jobs/{job}/move", {"queue": "orders"})
        assert (reply.status, reply.code) == (403, "FORBIDDEN")

    async def test_a_webhook_of_a_wider_scope_is_left_alone(self, admin, mailer):
        hook = {"id": "all", "url": "https://example.com/a"}
        await admin.post("/api/v1/webhooks", hook)
        assert (await mailer.get("/api/v1/webhooks/all")).status == 404
        changed = await mailer.post("/api/v1/webhooks", hook | {"url": "https://example.com/b"})
        assert changed.status == 403
        assert (await mailer.request("DELETE", "/api/v1/webhooks/all")).status == 403
        assert (await admin.get("/api/v1/webhooks/all")).json()["url"] == "https://example.com/a"


async def test_a_bulk_task_stays_within_the_reach_of_its_maker(acme, admin):
    theirs = await admin.enqueue("q")
    own = await acme.enqueue("q")
    body = {"action": "cancel", "filter": {"queue": "q"}, "async": True}
    task = (await acme.post("/api/v1/jobs/bulk", body)).json()["bulk_operation_id"]

    async def is_done():
        return (await acme.get(f"/api/v1/bulk/{task}")).json()["status"] == "completed"

    await until(is_done)
    assert (await acme.job(own))["state"] == "cancelled"
    assert (await admin.job(theirs))["state"] == "pending"
