import asyncio
from datetime import datetime, timedelta

import msgspec
import pytest

from corvo.core.clock import ManualClock
from corvo.core.ids import IdSource
from corvo.core.namespace import DEFAULT
from corvo.http.api.routes.writing import job_size
from corvo.http.api.schema.enqueue import ChainRequest, EnqueueRequest, Maker, StepRequest, new_job


async def test_a_job_is_created_with_everything_the_answer_promises(client):
    reply = await client.post(
        "/api/v1/enqueue", {"queue": "emails", "payload": {"to": "a@b.c"}, "tags": {"k": "v"}}
    )

    assert reply.status == 201
    body = reply.json()
    assert body["job_id"].startswith("job_")
    assert len(body["job_id"]) == 30
    assert (body["status"], body["unique_existing"]) == ("pending", False)
    assert body["job"]["id"] == body["job_id"]
    assert body["job"]["payload"] == {"to": "a@b.c"}
    assert body["job"]["tags"] == {"k": "v"}
    assert "unique_job_id" not in body
    assert int(reply.headers["x-corvo-index"]) > 0
    assert reply.headers["server-timing"].startswith("proc;dur=")


async def test_defaults_are_those_of_the_specification(client):
    job = await client.job(await client.enqueue())
    assert job["priority"] == 2
    assert job["priority_name"] == "normal"
    assert job["max_retries"] == 3
    assert job["retry_backoff"] == "exponential"
    assert (job["retry_base_delay_ms"], job["retry_max_delay_ms"]) == (5_000, 600_000)
    assert (job["retry_base_delay"], job["retry_max_delay"]) == ("5s", "10m")
    assert job["payload"] == {}
    assert (job["attempt"], job["state"]) == (0, "pending")
    assert job["created_at"].endswith("Z")
    for absent in (
        "result",
        "worker_id",
        "errors",
        "scheduled_at",
        "lease_token",
        "unique_key",
        "hold_reason",
    ):
        assert absent not in job


async def test_every_field_can_be_given(client):
    job = await client.job(
        await client.enqueue(
            priority="critical",
            max_retries=7,
            retry_backoff="linear",
            retry_base_delay="1.5s",
            retry_max_delay="1h0m0s",
            retry_jitter=0.5,
            unique_key="k",
            unique_period=60,
            unique_until="start",
            expire_after="2h",
            checkpoint={"at": 3},
            parent_id="job_parent",
            group="g1",
        )
    )
    assert job["priority"] == 0
    assert job["max_retries"] == 7
    assert job["retry_backoff"] == "linear"
    assert (job["retry_base_delay_ms"], job["retry_max_delay_ms"]) == (1_500, 3_600_000)
    assert job["retry_jitter"] == 0.5
    assert (job["unique_key"], job["unique_period"], job["unique_until"]) == ("k", 60, "start")
    assert job["expire_at"] > job["created_at"]
    assert job["checkpoint"] == {"at": 3}
    assert (job["parent_id"], job["group"]) == ("job_parent", "g1")


@pytest.mark.parametrize(("given", "stored"), [("high", 1), ("low", 3), (0, 0), (3, 3), ("", 2), (None, 2)])
async def test_priorities_by_name_and_number(client, given, stored):
    assert (await client.job(await client.enqueue(priority=given)))["priority"] == stored


async def test_millisecond_spellings_of_newer_clients_work(client):
    job_id = await client.enqueue(expire_after_ms=60_000, retry_base_delay_ms=10, retry_max_delay_ms=20)
    job = await client.job(job_id)
    assert (job["retry_base_delay_ms"], job["retry_max_delay_ms"]) == (10, 20)
    assert "expire_at" in job


async def test_nulls_count_as_absent_and_unknown_members_are_ignored(client):
    job_id = await client.enqueue(
        priority=None, tags=None, unique_key=None, scheduled_at=None, max_retries=None, whatever={"x": [1]}
    )
    assert (await client.job(job_id))["max_retries"] == 3


async def test_a_payload_comes_back_byte_for_byte(client):
    raw = b'{"queue":"q","payload":{ "z":1,"a":1.10, "big":12345678901234567890123, "e":"\\u00e9\xc3\xa9" }}'
    reply = await client.post("/api/v1/enqueue", raw)
    fetched = await client.post("/api/v1/fetch", {"queues": ["q"]})
    assert b'{ "z":1,"a":1.10, "big":12345678901234567890123, "e":"\\u00e9\xc3\xa9" }' in reply.body
    assert b'"payload":{ "z":1,"a":1.10, "big":12345678901234567890123,' in fetched.body


async def test_a_job_for_later_is_scheduled_and_one_for_earlier_is_pending(client):
    later = await client.post("/api/v1/enqueue", {"queue": "q", "scheduled_at": "2099-01-01T00:00:00+02:00"})
    earlier = await client.post("/api/v1/enqueue", {"queue": "q", "scheduled_at": "2020-01-01T00:00:00Z"})
    assert (later.json()["status"], earlier.json()["status"]) == ("scheduled", "pending")
    assert later.json()["job"]["scheduled_at"] == "2098-12-31T22:00:00Z"


async def test_a_duplicate_is_answered_200_with_the_existing_id(client):
    first = await client.enqueue(unique_key="k")
    reply = await client.post("/api/v1/enqueue", {"queue": "q", "unique_key": "k"})
    assert reply.status == 200
    assert reply.json() == {
        "job_id": first,
        "status": "duplicate",
        "unique_existing": True,
        "unique_job_id": first,
    }


# Batches


async def test_a_batch_answers_ids_in_order_for_both_generations_of_clients(client):
    jobs = [{"queue": f"q{n % 3}", "payload": n} for n in range(20)]
    older = await client.post("/api/v1/enqueue/batch", {"jobs": jobs})
    newer = await client.post("/api/v1/enqueue", {"jobs": jobs, "batch": None})
    for reply in (older, newer):
        assert reply.status == 201
        body = reply.json()
        assert body["job_ids"] == [item["id"] for item in body["jobs"]]
        assert [item["queue"] for item in body["jobs"]] == [job["queue"] for job in jobs]
        assert not any(item["unique_existing"] for item in body["jobs"])
        assert "batch_id" not in body


async def test_all_fields_count_in_a_batch(client):
    reply = await client.post(
        "/api/v1/enqueue/batch",
        {
            "jobs": [
                {"queue": "q", "unique_key": "k"},
                {"queue": "q", "unique_key": "k"},
                {"queue": "q", "scheduled_at": "2099-01-01T00:00:00Z"},
                {"queue": "q", "expire_after": "1h", "priority": "high"},
            ]
        },
    )
    items = reply.json()["jobs"]
    assert items[0]["id"] == items[1]["id"]
    assert [item["unique_existing"] for item in items] == [False, True, False, False]
    assert items[2]["state"] == "scheduled"
    assert (await client.job(items[3]["id"]))["priority"] == 1


async def test_a_batch_with_one_bad_job_creates_none(client):
    reply = await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}, {"queue": "a/b"}]})
    assert reply.status == 400
    assert "jobs[1]" in reply.json()["error"]
    assert (await client.get("/api/v1/queues")).json() == []


async def test_ten_thousand_jobs_fit_into_one_request_and_not_one_more(client):
    job = {"queue": "q", "payload": {"n": 1}}
    reply = await client.post("/api/v1/enqueue/batch", {"jobs": [job] * 10_000})
    assert reply.status == 201
    assert len(set(reply.json()["job_ids"])) == 10_000
    refused = await client.post("/api/v1/enqueue/batch", {"jobs": [job] * 10_001})
    assert (refused.status, refused.code) == (400, "VALIDATION_ERROR")
    (queue,) = (await client.get("/api/v1/queues")).json()
    assert queue["pending"] == 10_000


def test_what_an_entry_takes_is_counted_with_the_steps_of_a_chain_and_all_that_is_waited_for():
    ids = IdSource(ManualClock()).new
    plain = EnqueueRequest(queue="q", payload=msgspec.Raw(b'"' + b"x" * 500 + b'"'))
    step = StepRequest("q", msgspec.Raw(b'"' + b"y" * 10_000 + b'"'))
    chain = ChainRequest([step, step], on_exit=step)
    long = msgspec.structs.replace(plain, chain=chain, depends_on=["j" * 1_000, "k" * 1_000])
    small, large = (job_size(new_job(request, Maker(ids, 0, DEFAULT, None))) for request in (plain, long))
    assert 500 < small < 1_000
    assert 32_000 < large < 34_000


# Repeating a request


async def test_a_repeated_request_with_its_key_gets_the_first_answer_again(client):
    first = await client.post("/api/v1/enqueue", {"queue": "q"}, Idempotency_Key="key-1")
    again = await client.post("/api/v1/enqueue", {"queue": "q"}, Idempotency_Key="key-1")
    assert (again.status, again.body) == (first.status, first.body)
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    (queue,) = (await client.get("/api/v1/queues")).json()
    assert queue["enqueued"] == 1


async def test_a_repeated_request_that_was_refused_is_refused_again_and_said_to_be_a_repetition(client):
    job_id = await client.enqueue()
    path = f"/api/v1/jobs/{job_id}/approve"
    first = await client.post(path, {}, Idempotency_Key="key-1")
    again = await client.post(path, {}, Idempotency_Key="key-1")
    assert (first.status, first.code, again.code) == (400, "APPROVE_ERROR", "APPROVE_ERROR")
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"


async def test_the_same_key_for_another_body_or_another_path_is_a_conflict(client):
    await client.post("/api/v1/enqueue", {"queue": "q"}, Idempotency_Key="key-1")
    for path, body in (
        ("/api/v1/enqueue", {"queue": "other"}),
        ("/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}]}),
    ):
        reply = await client.post(path, body, Idempotency_Key="key-1")
        assert (reply.status, reply.code) == (409, "IDEMPOTENCY_MISMATCH")


async def test_the_same_request_twice_at_once_counts_once(client):
    replies = await asyncio.gather(
        *(client.post("/api/v1/enqueue", {"queue": "q"}, Idempotency_Key="k") for _ in range(10))
    )
    assert len({reply.json()["job_id"] for reply in replies}) == 1
    assert sum("idempotency-replayed" in reply.headers for reply in replies) == 9


async def test_a_repeated_request_may_wait_for_another_time(client):
    first = await client.post("/api/v1/enqueue?wait=10ms", {"queue": "q"}, Idempotency_Key="k")
    for query in ("", "?wait=20ms"):
        again = await client.post(f"/api/v1/enqueue{query}", {"queue": "q"}, Idempotency_Key="k")
        assert again.json()["job_id"] == first.json()["job_id"]
        assert again.headers["idempotency-replayed"] == "true"


async def test_keys_that_are_too_long_are_refused(client):
    reply = await client.post("/api/v1/enqueue", {"queue": "q"}, Idempotency_Key="k" * 257)
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


async def test_a_delay_is_counted_by_the_servers_clock(client):
    job = await client.job(await client.enqueue(delay="1h30m"))
    reply = await client.post(
        "/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}, {"queue": "q", "delay": "2s"}]}
    )

    wait = datetime.fromisoformat(job["scheduled_at"]) - datetime.fromisoformat(job["created_at"])
    assert job["state"] == "scheduled"
    assert timedelta(minutes=89) < wait <= timedelta(minutes=90)
    assert [item["state"] for item in reply.json()["jobs"]] == ["pending", "scheduled"]


async def test_a_bad_delay_is_refused_by_name(client):
    both = await client.post(
        "/api/v1/enqueue", {"queue": "q", "delay": "1s", "scheduled_at": "2030-01-01T00:00:00Z"}
    )
    bad = await client.post(
        "/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}, {"queue": "q", "delay": "soon"}]}
    )

    assert (both.status, both.code) == (400, "VALIDATION_ERROR")
    assert (bad.status, bad.json()["error"].startswith("jobs[1]: delay")) == (400, True)


async def test_a_job_is_looked_at_when_it_has_ended(client):
    job_id = await client.enqueue()
    waiting = asyncio.ensure_future(client.get(f"/api/v1/jobs/{job_id}?wait=20s"))
    fetched = await client.fetch()
    await client.post(f"/api/v1/ack/{job_id}", {"lease_token": fetched["lease_token"], "result": 7})

    assert (await waiting).json()["result"] == 7
    assert (await client.get(f"/api/v1/jobs/{job_id}?wait=20s")).json()["state"] == "completed"
    assert (await client.get("/api/v1/jobs/job_none?wait=20s")).status == 404
    assert (await client.get(f"/api/v1/jobs/{job_id}?wait=long")).code == "VALIDATION_ERROR"


async def test_a_wait_for_a_job_is_bounded(client):
    job_id = await client.enqueue()
    assert (await client.get(f"/api/v1/jobs/{job_id}?wait=20ms")).json()["state"] == "pending"
