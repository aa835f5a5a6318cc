"""A sealed queue on a real node: clients read what they wrote, and no file of the data folder holds it."""

import asyncio
import json

import pytest

from corvo.http.api.table import routes
from tests.http.api.test_event_streams import stream as event_stream
from tests.http.api.test_stream import Http1
from tests.support.node import running, until
from tests.support.receiver import receiving
from tests.support.sealing import files_with, write_keys

MARKS = [b"plain%02d" % number for number in range(40)]


def say(number):
    """Something that is seen again if it is written down anywhere."""
    return MARKS[number].decode() * 3


@pytest.fixture
def settings(tmp_path):
    return write_keys(tmp_path / "keys.json", "k1") | {"seal": "default/pay*", "webhook_allow_private": True}


@pytest.fixture
async def node(tmp_path, settings):
    async with running(tmp_path / "data", **settings) as node:
        yield node


async def test_a_producer_and_a_worker_do_not_notice(client):
    reply = await client.post(
        "/api/v1/enqueue", {"queue": "pay", "payload": {"card": say(0)}, "checkpoint": [say(1)]}
    )
    assert reply.status == 201, reply
    made = reply.json()["job"]
    assert (made["payload"], made["checkpoint"]) == ({"card": say(0)}, [say(1)])

    fetched = await client.fetch("pay")
    assert (fetched["payload"], fetched["checkpoint"]) == ({"card": say(0)}, [say(1)])
    job_id, token = fetched["job_id"], fetched["lease_token"]
    beat = {job_id: {"progress": {"at": say(2)}, "checkpoint": [say(3)], "lease_token": token}}
    assert (await client.post("/api/v1/heartbeat", {"jobs": beat})).status == 200
    job = await client.job(job_id)
    assert (job["progress"], job["checkpoint"]) == ({"at": say(2)}, [say(3)])

    failed = await client.post(
        f"/api/v1/fail/{job_id}",
        {"error": say(4), "backtrace": say(5), "retry_after": "0s", "lease_token": token},
    )
    assert failed.json()["job"]["last_error"] == say(4)
    assert failed.json()["job"]["payload"] == {"card": say(0)}
    (error,) = (await client.job(job_id))["errors"]
    assert (error["error"], error["backtrace"]) == (say(4), say(5))

    again = await client.fetch("pay")
    assert again["checkpoint"] == [say(3)]
    released = {"checkpoint": [say(6)], "lease_token": again["lease_token"]}
    assert (await client.post(f"/api/v1/release/{job_id}", released)).status == 200
    last = await client.fetch("pay")
    assert last["checkpoint"] == [say(6)]
    done = {"result": {"sum": say(7)}, "lease_token": last["lease_token"]}
    assert (await client.post(f"/api/v1/ack/{job_id}", done)).status == 200
    assert (await client.job(job_id))["result"] == {"sum": say(7)}


async def test_no_file_holds_what_was_sealed(tmp_path, settings):
    folder = tmp_path / "data"
    async with running(folder, **settings) as node, receiving() as receiver:
        client = node.client
        await client.post("/api/v1/webhooks", {"url": receiver.url})
        ids = await _use_everything(client)
        await _check_answers(client, ids)
        await until(lambda: any(say(4) in received.body.decode() for received in receiver.got))
        assert any(received.event.get("data") == {"at": say(2)} for received in receiver.got)
        rebuilt = await client.post("/api/v1/admin/rebuild-sqlite")
        assert rebuilt.status == 200, rebuilt
        check = (await client.post("/api/v1/admin/check")).json()
        assert check["problems"] == []
    assert files_with(folder, *MARKS) == {}
    assert files_with(folder, b"seen-by-all"), "what is not sealed is found by the same look"

    async with running(folder, **settings) as node:
        await _check_answers(node.client, ids)
        assert (await node.client.post("/api/v1/admin/check")).json()["problems"] == []
    assert files_with(folder, *MARKS) == {}


async def _use_everything(client):
    await client.enqueue("open", {"text": "seen-by-all"})
    # Larger than a document holds, so that it is stored by itself.
    large = await client.enqueue("pay-large", {"text": say(0) * 4_000})
    worked = await client.enqueue("pay", {"card": say(1)}, max_retries=1)
    fetched = await client.fetch("pay")
    token = fetched["lease_token"]
    beat = {worked: {"progress": {"at": say(2)}, "checkpoint": [say(3)], "lease_token": token}}
    await client.post("/api/v1/heartbeat", {"jobs": beat})
    dead = await client.post(
        f"/api/v1/fail/{worked}",
        {"error": f"{say(4)} {'x' * 600} {say(5)}", "backtrace": say(6), "lease_token": token},
    )
    assert dead.json()["status"] == "dead", dead
    # Nobody has this job, but what is said of it is in the log before that is known.
    assert (await client.post("/api/v1/ack/job_00000000000000000000000000", {"result": say(7)})).status == 404
    key = {"idempotency_key": "once"}
    await client.post("/api/v1/enqueue", {"queue": "pay-once", "payload": {"text": say(8)}}, **key)
    repeated = await client.post("/api/v1/enqueue", {"queue": "pay-once", "payload": {"text": say(8)}}, **key)
    assert repeated.headers["idempotency-replayed"] == "true", repeated.headers
    chain = await _chain(client)
    callback = await _batch(client)
    streamed = await _stream(client)
    await client.post(
        "/api/v1/schedules",
        {"name": "nightly", "cron": "0 3 * * *", "queue": "pay-cron", "payload": {"text": say(20)}},
    )
    changed = await client.request("PUT", "/api/v1/schedules/nightly", {"cron": "0 4 * * *"})
    assert changed.json()["payload"] == {"text": say(20)}, changed
    await client.post("/api/v1/schedules/nightly/run")
    return {"large": large, "worked": worked, "streamed": streamed, "callback": callback} | chain


async def _chain(client):
    chain = {
        "steps": [{"queue": "pay-1"}, {"queue": "pay-2", "payload": {"own": say(10)}}, {"queue": "pay-3"}],
        "on_failure": {"queue": "pay-failed", "payload": {"text": say(11)}},
        "on_exit": "pay-exit",
    }
    first = await client.enqueue("pay-1", {"text": say(12)}, chain=chain)
    await client.fetch("pay-1")
    await client.post(f"/api/v1/ack/{first}", {"result": {"sum": say(13)}})
    second = await client.fetch("pay-2")
    assert second["payload"] == {
        "previous_job_id": first,
        "previous_result": {"sum": say(13)},
        "own": say(10),
    }
    failed = {"error": say(14), "retry": False, "lease_token": second["lease_token"]}
    assert (await client.post(f"/api/v1/fail/{second['job_id']}", failed)).json()["status"] == "dead"
    handler = await client.fetch("pay-failed")
    assert handler["payload"] == {
        "failed_job_id": second["job_id"],
        "failed_step": 1,
        "error": say(14),
        "text": say(11),
    }
    return {"first": first, "second": second["job_id"], "handler": handler["job_id"]}


async def _batch(client):
    batch = {"callback_queue": "pay-back", "callback_payload": {"text": say(15)}}
    made = await client.post(
        "/api/v1/enqueue/batch", {"jobs": [{"queue": "pay-b", "payload": {"text": say(16)}}], "batch": batch}
    )
    batch_id = made.json()["batch_id"]
    assert (await client.get(f"/api/v1/batch/{batch_id}")).json()["callback_payload"] == {"text": say(15)}
    await client.post(f"/api/v1/batch/{batch_id}/seal")
    job = await client.fetch("pay-b")
    await client.post(f"/api/v1/ack/{job['job_id']}")
    callback = await client.fetch("pay-back")
    assert callback["payload"]["text"] == say(15)
    assert callback["payload"]["batch"]["succeeded"] == 1
    return callback["job_id"]


async def _stream(client):
    async with Http1(client) as stream:
        line = {"request_id": 1, "enqueues": [{"queue": "pay-s", "payload": {"text": say(17)}}]}
        stream.send(json.dumps(line).encode() + b"\n")
        job_id = (await stream.next())["enqueued_job_ids"][0]
        fetch = {"request_id": 2, "queues": ["pay-s"], "fetch_count": 1, "wait_ms": 5_000}
        stream.send(json.dumps(fetch).encode() + b"\n")
        (job,) = (await stream.next())["jobs"]
        assert job["payload"] == {"text": say(17)}
        acks = [{"job_id": job_id, "result": {"text": say(18)}, "lease_token": job["lease_token"]}]
        beats = {job_id: {"progress": {"text": say(19)}}}
        stream.send(json.dumps({"request_id": 3, "heartbeats": beats, "acks": acks}).encode() + b"\n")
        assert (await stream.next())["acked"] == 1
        stream.end()
    return job_id


async def _check_answers(client, ids):
    assert (await client.job(ids["large"]))["payload"] == {"text": say(0) * 4_000}
    worked = await client.job(ids["worked"])
    assert (worked["payload"], worked["progress"], worked["checkpoint"]) == (
        {"card": say(1)},
        {"at": say(2)},
        [say(3)],
    )
    assert worked["last_error"].startswith(say(4))
    (error,) = worked["errors"]
    assert error["error"].endswith(say(5))
    assert error["backtrace"] == say(6)
    (reason,) = (await client.get(f"/api/v1/jobs/{ids['worked']}/explain")).json()["reasons"]
    assert say(4) in reason["text"]
    page = (await client.get(f"/api/v1/jobs/{ids['worked']}/errors")).json()["errors"]
    assert page[0]["error"].endswith(say(5))
    first = await client.job(ids["first"])
    assert first["chain_config"]["steps"][1]["payload"] == {"own": say(10)}
    assert (await client.job(ids["second"]))["payload"]["previous_result"] == {"sum": say(13)}
    assert (await client.job(ids["handler"]))["payload"]["error"] == say(14)
    streamed = await client.job(ids["streamed"])
    assert (streamed["result"], streamed["progress"]) == ({"text": say(18)}, {"text": say(19)})
    many = await client.post("/api/v1/jobs/bulk-get", {"job_ids": [ids["worked"], ids["streamed"]]})
    assert [job["payload"] for job in many.json()["jobs"]] == [{"card": say(1)}, {"text": say(17)}]
    history = (await client.get(f"/api/v1/jobs/{ids['worked']}/events")).json()["events"]
    told = {event["type"]: event.get("data") for event in history}
    assert told["progress"] == {"at": say(2)}
    assert told["failed"]["error"].startswith(say(4))
    assert told["dead"]["reason"].startswith(say(4))
    schedule = (await client.get("/api/v1/schedules/nightly")).json()
    assert schedule["payload"] == {"text": say(20)}
    found = (await client.post("/api/v1/jobs/search", {"queue": "pay"})).json()["jobs"]
    assert [job["payload"] for job in found] == [{"card": say(1)}]
    assert found[0]["last_error"].startswith(say(4))
    groups = (await client.get("/api/v1/failures?queue=pay")).json()["failures"]
    assert [group["failure"].startswith("sealed:") for group in groups] == [True]
    assert groups[0]["sample"][0]["error"].startswith(say(4))
    same = await client.post("/api/v1/jobs/search", {"failure": groups[0]["failure"]})
    assert [job["id"] for job in same.json()["jobs"]] == [ids["worked"]]


async def test_a_live_stream_tells_what_is_sealed(client):
    events = await event_stream(client, "?types=progress,failed")
    job_id = await client.enqueue("pay")
    await client.fetch("pay")
    await client.post("/api/v1/heartbeat", {"jobs": {job_id: {"progress": {"at": say(2)}}}})
    await client.post(f"/api/v1/fail/{job_id}", {"error": say(4)})
    progress, failed = [json.loads(text) for text in await events.read(2)]
    await events.close()
    assert progress["data"] == {"at": say(2)}
    assert failed["data"]["error"] == say(4)


async def test_only_the_queues_that_are_named_are_sealed(tmp_path, settings):
    async with running(tmp_path / "data", **settings) as node:
        await node.client.enqueue("open", {"text": say(0)})
        await node.client.enqueue("pay", {"text": say(1)})
        found = (await node.client.post("/api/v1/jobs/search", {"payload_contains": "plain"})).json()
        assert [job["queue"] for job in found["jobs"]] == ["open"]
    held = {mark for marks in files_with(tmp_path / "data", *MARKS).values() for mark in marks}
    assert held == {MARKS[0]}


async def test_writes_of_one_connection_keep_their_order_when_a_queue_has_to_be_looked_up(node, client):
    """As after a restart: the node does not remember that it has handed these jobs out, so it asks."""
    ids = [await client.enqueue("pay") for _ in range(20)]
    for _ in ids:
        await client.fetch("pay")
    node.node._context.sealing._leased.clear()
    async with Http1(client) as stream:
        for number, job_id in enumerate(ids):
            acks = [{"job_id": job_id, "result": {"number": number}}]
            stream.send(json.dumps({"request_id": number, "acks": acks}).encode() + b"\n")
        answers = [await stream.next() for _ in ids]
        stream.end()
    assert [answer["acked"] for answer in answers] == [1] * 20
    jobs = await asyncio.gather(*map(client.job, ids))
    assert [job["result"] for job in jobs] == [{"number": number} for number in range(20)]


async def test_thousands_of_jobs_at_once_are_sealed_as_well(tmp_path, settings):
    async with running(tmp_path / "data", **settings) as node:
        jobs = [{"queue": "pay", "payload": {"text": say(0), "n": number}} for number in range(1_200)]
        made = (await node.client.post("/api/v1/enqueue/batch", {"jobs": jobs})).json()["job_ids"]
        last = await node.client.job(made[-1])
        assert last["payload"] == {"text": say(0), "n": 1_199}
    assert files_with(tmp_path / "data", *MARKS) == {}


#: Answers that do not end; what they tell of sealed values has tests of its own.
ENDLESS = {"/api/v1/events", "/api/v1/bulk/{task_id}/progress"}
#: Of keys there are none on this node, and they have nothing to do with jobs.
NOT_ABOUT_JOBS = {
    "/api/v1/auth/keys/{key}/roles",
    "/api/v1/auth/oidc/start",
    "/api/v1/auth/oidc/callback",
}


async def test_no_route_answers_with_a_sealed_value(node, client):
    """A route that comes later and reads past EdgeContext is caught here."""
    ids = await _use_everything(client)
    bulk = await client.post("/api/v1/jobs/bulk", {"action": "reseal", "job_ids": [ids["first"]]})
    hook = await client.post("/api/v1/webhooks", {"url": "http://127.0.0.1:1/hook", "enabled": False})
    batches = (await client.get("/api/v1/batches")).json()["batches"]
    named = {
        "job_id": [ids[name] for name in ids],
        "batch_id": [batch["id"] for batch in batches],
        "task_id": [bulk.json()["bulk_operation_id"]],
        "schedule_id": ["nightly"],
        "namespace": ["default"],
        "key": ["none"],
        "session_id": ["none"],
    }
    query = {"/api/v1/search/fulltext": "?q=pay", "/api/v1/cluster/events": "?after_seq=0&limit=1000"}
    for path in {route.path for route in routes() if route.method == "GET"} - ENDLESS - NOT_ABOUT_JOBS:
        parameter = path.partition("{")[2].partition("}")[0]
        values = named | {"name": [hook.json()["id"] if "webhooks" in path else "pay"], "": [""]}
        for value in values[parameter]:
            reply = await client.get(path.replace(f"{{{parameter}}}", value) + query.get(path, ""))
            assert reply.status == 200, (path, reply)
            for mark in (b"\x01", b"\x02", b"\\u0001", b"\\u0002"):
                assert mark not in reply.body, (path, reply)
