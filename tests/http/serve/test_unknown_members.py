"""Members that no route knows: ignored, named, or refused."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.http.api.schema.enqueue import EnqueueOrBatchRequest
from corvo.http.api.table import routes
from corvo.http.serve.unknown_members import take_out

TYPO = {"queue": "q", "max_retry": 9}
SENTENCE = "unknown member max_retry; did you mean max_retries?"


async def test_an_unknown_member_is_ignored_and_named(client):
    reply = await client.post("/api/v1/enqueue", TYPO)
    assert (reply.status, reply.json()["warnings"]) == (201, [SENTENCE])
    assert reply.headers["x-corvo-warning"] == SENTENCE
    assert (await client.job(reply.json()["job_id"]))["max_retries"] == 3


async def test_known_members_bring_no_warning(client):
    body = {"queue": "q", "payload": {"max_retry": 1}, "tags": {"x": "y"}}
    reply = await client.post("/api/v1/enqueue", body)
    assert "warnings" not in reply.json()
    assert "x-corvo-warning" not in reply.headers


@pytest.mark.parametrize("path", ["?strict=1", "?strict=true"])
async def test_a_strict_client_is_refused_and_nothing_is_written(client, path):
    reply = await client.post(f"/api/v1/enqueue{path}", TYPO)
    assert (reply.status, reply.code, reply.json()["error"]) == (400, "VALIDATION_ERROR", SENTENCE)
    assert (await client.get("/api/v1/queues")).json() == []


async def test_strict_may_be_asked_for_by_a_header(client):
    reply = await client.post("/api/v1/enqueue", TYPO, prefer="respond-async, Handling=Strict")
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


async def test_members_deep_inside_are_named_by_their_place(client):
    body = {"jobs": [{"queue": "q"}, {"queue": "q", "delya": "5s"}], "batch": {"callback_que": "x"}}
    reply = await client.post("/api/v1/enqueue/batch?strict=1", body)
    assert reply.json()["error"] == (
        "unknown member jobs[1].delya; did you mean delay?; "
        "unknown member batch.callback_que; did you mean callback_queue?"
    )


async def test_behind_quart_and_for_workers_it_is_the_same(client):
    job_id = await client.enqueue("q")
    fetched = await client.post("/api/v1/fetch", {"queues": ["q"], "wroker_id": "w"})
    assert fetched.json()["warnings"] == ["unknown member wroker_id; did you mean worker_id?"]
    beat = await client.post("/api/v1/heartbeat", {"jobs": {job_id: {"progres": 1}}})
    assert beat.json()["warnings"] == [f"unknown member jobs.{job_id}.progres; did you mean progress?"]
    held = await client.post(f"/api/v1/jobs/{job_id}/hold", {"raeson": "x"})
    assert held.json()["warnings"] == ["unknown member raeson; did you mean reason?"]
    assert (await client.post(f"/api/v1/jobs/{job_id}/hold?strict=1", {"raeson": "x"})).status == 400


async def test_names_that_no_header_may_hold_are_spelled_out(client):
    reply = await client.post("/api/v1/enqueue", {"queue": "q", "é\r\nx": 1, "ü": 2})
    assert reply.headers["x-corvo-warning"].isascii()
    assert reply.json()["warnings"] == ["unknown member 'é\\r\\nx'", "unknown member ü"]


async def test_a_repetition_may_be_strict_or_not(client):
    first = await client.post("/api/v1/enqueue", {"queue": "q"}, idempotency_key="k")
    again = await client.post("/api/v1/enqueue?strict=1", {"queue": "q"}, idempotency_key="k")
    assert again.json()["job_id"] == first.json()["job_id"]


def test_a_body_with_thousands_of_them_is_answered_with_a_few():
    _, warnings = take_out(json.dumps({f"x{n}": n for n in range(5_000)}).encode(), EnqueueOrBatchRequest)
    assert len(warnings) == 11
    assert warnings[-1] == "and 4990 more unknown members"


def test_every_body_of_the_api_notices_what_it_does_not_know():
    open_types = [
        f"{route.method} {route.path}"
        for route in routes()
        if route.body is not None and not route.body.__struct_config__.forbid_unknown_fields
    ]
    assert open_types == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(payload=JSON, extra=st.text(min_size=1), value=JSON)
def test_what_is_known_stays_as_it_was_written(payload, extra, value):
    body = json.dumps({"queue": "q", "payload": payload, f"x{extra}": value}).encode()
    left, warnings = take_out(body, EnqueueOrBatchRequest)
    assert len(warnings) == 1
    strict = msgspec.json.decode(left, type=EnqueueOrBatchRequest)
    assert bytes(strict.payload) == json.dumps(payload).encode()
