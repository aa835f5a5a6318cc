"""Bulk requests over HTTP, against a real node."""

import asyncio
import json

import pytest

from corvo.fsm.rules import bulk_tasks as fsm_bulk
from corvo.http.api.routes.manage.bulk import bulk
from corvo.http.serve.context import EdgeContext
from corvo.http.wire.message import Request
from tests.support.node import running, until

BULK = "/api/v1/jobs/bulk"


async def enqueue_many(client, queue, count, **fields):
    reply = await client.post(
        "/api/v1/enqueue/batch",
        {"jobs": [{"queue": queue, "payload": {"n": n}} | fields for n in range(count)]},
    )
    assert reply.status == 201, reply
    return reply.json()["job_ids"]


async def counts(client, queue):
    reply = await client.get(f"/api/v1/queues/{queue}")
    return reply.json() if reply.status == 200 else {"pending": 0, "cancelled": 0}


async def task(client, task_id):
    return (await client.get(f"/api/v1/bulk/{task_id}")).json()


async def ended(client, task_id):
    async def look():
        found = await task(client, task_id)
        return found if found["status"] in ("completed", "cancelled", "failed") else None

    return await until(look, seconds=60)


async def progress(client, task_id):
    """Everything a reader of the progress stream gets, until the stream ends."""
    reply = await client.get(f"/api/v1/bulk/{task_id}/progress")
    assert reply.headers["content-type"] == "text/event-stream"
    return [
        json.loads(line.removeprefix("data: "))
        for line in reply.body.decode().splitlines()
        if line.startswith("data: ")
    ]


async def test_by_ids_what_fits_is_done_and_what_does_not_is_named(client):
    ids = await enqueue_many(client, "q", 3)
    await client.post(f"/api/v1/jobs/{ids[0]}/cancel")
    reply = await client.post(BULK, {"action": "cancel", "job_ids": [*ids, ids[1], "job_none"]})
    body = reply.json()
    assert (body["affected"], body["skipped"], body["errors"]) == (2, 2, 0)
    assert {(f["job_id"], f["code"]) for f in body["failures"]} == {
        (ids[0], "CANCEL_ERROR"),
        ("job_none", "NOT_FOUND"),
    }


async def test_a_filter_means_every_matching_job_and_not_a_page_of_them(client):
    await enqueue_many(client, "a", 1_200)
    reply = await client.post(BULK, {"action": "move", "move_to_queue": "b", "filter": {"queue": "a"}})
    assert reply.json()["affected"] == 1_200
    assert (await counts(client, "b"))["pending"] == 1_200


@pytest.mark.parametrize("part", [{"limit": 10}, {"cursor": "x"}])
async def test_a_part_of_what_matches_cannot_be_asked_for(client, part):
    """It would be taken for all of it."""
    await enqueue_many(client, "a", 12)
    reply = await client.post(BULK, {"action": "delete", "filter": {"queue": "a", **part}})
    assert (reply.status, reply.json()["code"]) == (400, "VALIDATION_ERROR")
    assert "no limit" in reply.json()["error"]
    assert (await counts(client, "a"))["pending"] == 12


@pytest.mark.parametrize(
    ("action", "fields", "before", "after"),
    [
        ("cancel", {}, "pending", "cancelled"),
        ("hold", {}, "pending", "held"),
        ("delete", {}, "pending", None),
        ("move", {"move_to_queue": "b"}, "pending", "pending"),
        ("change_priority", {"priority": "high"}, "pending", "pending"),
        ("retry", {}, "cancelled", "pending"),
        ("approve", {}, "held", "pending"),
        ("reject", {}, "held", "dead"),
        ("requeue", {}, "dead", "pending"),
    ],
)
async def test_each_action_by_filter(client, action, fields, before, after):
    (job_id,) = await enqueue_many(client, "a", 1)
    for step in {"cancelled": ["cancel"], "held": ["hold"], "dead": ["hold", "reject"]}.get(before, []):
        assert (await client.post(f"/api/v1/jobs/{job_id}/{step}")).status == 200
    reply = await client.post(BULK, {"action": action, "filter": {"state": before}} | fields)
    assert reply.json()["affected"] == 1, reply
    found = await client.get(f"/api/v1/jobs/{job_id}")
    assert (found.json()["state"] if found.status == 200 else None) == after


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            {"filter": {"states": ["dead"]}},
            "unknown member filter.states; did you mean state?",
        ),
        ({"filter": {"queue": "q", "xyz": 1}}, "unknown member filter.xyz"),
        ({"filter": {"queue": "q"}, "dryrun": True}, "unknown member dryrun; did you mean dry_run?"),
        ({"filter": {"queue": "q"}, "\0" * 99: 1}, "unknown member '\\x00"),
    ],
)
async def test_a_mistyped_member_does_not_make_a_deed_hit_everything(client, body, said):
    await enqueue_many(client, "q", 2)
    for more in ({}, {"dry_run": True}, {"async": True}):
        reply = await client.post(BULK, {"action": "delete"} | body | more)
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
        assert said in reply.json()["error"]
        assert len(reply.body) < 1_000
    assert (await counts(client, "q"))["pending"] == 2


async def test_the_description_says_that_no_other_members_are_taken(client):
    schemas = (await client.get("/openapi.json")).json()["components"]["schemas"]
    closed = {name for name, found in schemas.items() if found.get("additionalProperties") is False}
    assert closed == {"BulkRequest"}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"action": "explode", "job_ids": []}, "BULK_ERROR"),
        ({"job_ids": []}, "BULK_ERROR"),
        ({"action": "cancel"}, "VALIDATION_ERROR"),
        ({"action": "move", "job_ids": []}, "VALIDATION_ERROR"),
        ({"action": "move", "job_ids": [], "move_to_queue": "a/b"}, "VALIDATION_ERROR"),
        ({"action": "change_priority", "job_ids": []}, "VALIDATION_ERROR"),
        ({"action": "cancel", "filter": {"state": "nonsense"}}, "VALIDATION_ERROR"),
        ({"action": "cancel", "filter": {}, "rate": -1}, "VALIDATION_ERROR"),
        ({"action": "delete", "filter": {"queue": ""}}, "VALIDATION_ERROR"),
        (
            {"action": "delete", "filter": {"queue": "q", "payload_jq": ""}, "dry_run": True},
            "VALIDATION_ERROR",
        ),
        ({"action": "delete", "filter": {"queue": "q", "state": []}}, "VALIDATION_ERROR"),
        ({"action": "delete", "filter": {"tags": {}}}, "VALIDATION_ERROR"),
        ({"action": "cancel", "job_ids": [1]}, "PARSE_ERROR"),
        ({"action": "cancel", "filter": "all"}, "PARSE_ERROR"),
    ],
)
async def test_a_bad_request_is_refused(client, body, code):
    reply = await client.post(BULK, body)
    assert (reply.status, reply.code) == (400, code), reply


async def test_a_dry_run_says_what_would_happen_and_does_nothing(client):
    ids = await enqueue_many(client, "q", 8)
    await client.post(f"/api/v1/jobs/{ids[0]}/hold")
    for given in ({"filter": {"queue": "q"}}, {"job_ids": [*ids, "job_none"]}):
        body = (await client.post(BULK, {"action": "delete", "dry_run": True} | given)).json()
        assert (body["dry_run"], body["count"]) == (True, 8)
        assert body["by_state"] == {"pending": 7, "held": 1}
        assert len(body["sample"]) == 5
    assert (await counts(client, "q"))["pending"] == 7


async def test_a_repeated_request_gets_the_first_answer(client):
    ids = await enqueue_many(client, "q", 3)
    for body in ({"action": "cancel", "job_ids": ids}, {"action": "retry", "job_ids": ids, "async": True}):
        key = {"Idempotency-Key": body["action"]}
        first = await client.post(BULK, body, **key)
        if first.status == 202:
            await ended(client, first.json()["bulk_operation_id"])
        again = await client.post(BULK, body, **key)
        assert again.headers["idempotency-replayed"] == "true"
        for reply in (first, again):
            reply.body = json.dumps(reply.json() | {"duration_ms": 0}).encode()
        assert again.json() == first.json()


async def test_a_refusal_is_repeated_too(client, monkeypatch):
    monkeypatch.setattr(fsm_bulk, "BULK_TASKS_UNFINISHED_MAX", 0)
    body = {"action": "cancel", "job_ids": ["job_none"], "async": True}
    first, again = [await client.post(BULK, body, Idempotency_Key="k") for _ in range(2)]
    assert (first.status, first.code) == (again.status, again.code) == (400, "BULK_ERROR")
    assert first.json()["error"] == again.json()["error"]


async def test_who_repeats_a_request_that_is_still_under_way_gets_its_answer(client):
    await enqueue_many(client, "a", 3_000)
    body = {"action": "move", "move_to_queue": "b", "filter": {"queue": "a"}}
    replies = await asyncio.gather(*(client.post(BULK, body, Idempotency_Key="k") for _ in range(4)))
    assert [(reply.status, reply.json()["affected"]) for reply in replies] == [(200, 3_000)] * 4, replies
    assert sum("idempotency-replayed" in reply.headers for reply in replies) == 3


async def test_what_two_nodes_do_at_the_same_moment_is_done_once(node, client):
    ids = await enqueue_many(client, "a", 1_200)
    body = json.dumps({"action": "move", "move_to_queue": "b", "job_ids": ids}).encode()
    requests = [Request("POST", BULK, {}, {b"idempotency-key": b"k"}, body, {}, 0) for _ in range(2)]
    here = node.node._context
    there = EdgeContext(here.config, here.system, here.actors, here.clock, here.access, durable=True)
    replies = await asyncio.gather(*(bulk(*each) for each in zip(requests, (here, there), strict=True)))
    assert [json.loads(reply.body)["affected"] for reply in replies] == [1_200] * 2
    events = (await client.get(f"/api/v1/jobs/{ids[0]}/events")).json()["events"]
    assert [event["type"] for event in events] == ["enqueued", "moved"]


async def test_in_the_background_with_progress_for_all_who_look_on(client):
    await enqueue_many(client, "a", 3_000)
    reply = await client.post(
        BULK, {"action": "move", "move_to_queue": "b", "filter": {"queue": "a"}, "async": True}
    )
    assert reply.status == 202
    queued = reply.json()
    assert queued["estimated_total"] == 3_000
    assert queued["status"] == "queued"
    streams = await asyncio.gather(*(progress(client, queued["bulk_operation_id"]) for _ in range(3)))
    for events in streams:
        assert events[-1]["type"] == "bulk.async.completed"
        assert (events[-1]["affected"], events[-1]["percent"]) == (3_000, 100.0)
        assert [e["processed"] for e in events] == sorted(e["processed"] for e in events)
    late = await progress(client, queued["bulk_operation_id"])
    assert [event["type"] for event in late] == ["bulk.async.completed"]
    listed = (await client.get("/api/v1/bulk")).json()
    assert [found["id"] for found in listed["tasks"]] == [queued["bulk_operation_id"]]
    assert (await client.get("/api/v1/bulk/bulk_none")).code == "NOT_FOUND"
    assert (await client.get("/api/v1/bulk/bulk_none/progress")).code == "NOT_FOUND"


@pytest.mark.parametrize(
    ("jobs", "rate", "cancel_at"),
    [(2_000, 400, 1), pytest.param(100_000, None, 40_000, marks=pytest.mark.slow)],
)
async def test_cancelled_half_way_report_and_queues_agree(client, jobs, rate, cancel_at):
    for _ in range(0, jobs, 10_000):
        await enqueue_many(client, "a", min(jobs, 10_000))
    body = {"action": "move", "move_to_queue": "b", "filter": {"queue": "a"}, "async": True, "rate": rate}

    async def taken():
        # The search view may be behind after so many jobs at once; the answer then is to try again.
        reply = await client.post(BULK, body)
        return reply if reply.status == 202 else None

    reply = await until(taken)
    assert reply.json()["estimated_total"] == jobs
    task_id = reply.json()["bulk_operation_id"]
    streams = [asyncio.ensure_future(progress(client, task_id)) for _ in range(2)]

    async def begun():
        return (await task(client, task_id))["processed"] >= cancel_at

    await until(begun, seconds=60)
    reply = await client.post(f"/api/v1/bulk/{task_id}/cancel")
    assert reply.json()["status"] == "cancelled"
    report = await ended(client, task_id)
    assert cancel_at <= report["affected"] < jobs
    assert (await counts(client, "b"))["pending"] == report["affected"]
    assert (await counts(client, "a"))["pending"] == jobs - report["affected"]
    for events in await asyncio.gather(*streams):
        assert events[0]["type"] == "bulk.async.started"
        assert events[-1]["type"] == "bulk.async.cancelled"
        assert events[-1]["affected"] == report["affected"]
    for queue, count in (("a", jobs - report["affected"]), ("b", report["affected"])):
        found = await client.post("/api/v1/jobs/search", {"queue": queue, "tags": {}, "attempt_max": 5})
        assert found.json()["total"] == min(count, 10_000)
    assert (await client.post(f"/api/v1/bulk/{task_id}/cancel")).code == "BULK_ERROR"


async def test_a_task_goes_on_after_a_restart(tmp_path):
    async with running(tmp_path) as node:
        await enqueue_many(node.client, "a", 1_000)
        body = {"action": "cancel", "filter": {"queue": "a"}, "async": True, "rate": 2_000}
        task_id = (await node.client.post(BULK, body)).json()["bulk_operation_id"]
    async with running(tmp_path) as node:
        report = await ended(node.client, task_id)
        assert (report["status"], report["affected"], report["skipped"]) == ("completed", 1_000, 0)
        assert (await counts(node.client, "a"))["cancelled"] == 1_000


async def test_many_ids_become_a_task_by_themselves(client):
    ids = [f"job_{n}" for n in range(10_001)]
    reply = await client.post(BULK, {"action": "delete", "job_ids": ids})
    assert reply.status == 202
    report = await ended(client, reply.json()["bulk_operation_id"])
    assert (report["processed"], report["affected"], report["skipped"]) == (10_001, 0, 10_001)
    assert len(report["failures"]) == 100
