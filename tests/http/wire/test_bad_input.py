"""Wrong types, broken JSON, bad text, deep nesting, oversize, unknown ids: a code, and no effect."""

import asyncio
import json
from contextlib import closing
from http.client import HTTPConnection

import pytest
import pytest_asyncio

from tests.support.node import running

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory):
    """One node for all: what is refused leaves nothing behind."""
    async with running(tmp_path_factory.mktemp("node") / "data") as node:
        yield node.client


BAD_ENQUEUES = [
    (b"{", "PARSE_ERROR"),
    (b"nul", "PARSE_ERROR"),
    (b"[]", "PARSE_ERROR"),
    (b'"text"', "PARSE_ERROR"),
    (b'{"queue":"q"} {"queue":"q"}', "PARSE_ERROR"),
    (b'{"queue":"q","payload":{"a":1,}}', "PARSE_ERROR"),
    (b'{"queue":"q","payload":NaN}', "PARSE_ERROR"),
    (b'{"queue":"q","payload":"\xff"}', "PARSE_ERROR"),
    (b'{"queue":"\xff"}', "PARSE_ERROR"),
    (b'\xff\xfe{"queue":"q"}', "PARSE_ERROR"),
    (b'{"queue":"q","payload":"\\ud800"}', "PARSE_ERROR"),
    (b'{"queue":1}', "PARSE_ERROR"),
    (b'{"queue":"q","max_retries":"3"}', "PARSE_ERROR"),
    (b'{"queue":"q","max_retries":1.5}', "PARSE_ERROR"),
    (b'{"queue":"q","tags":{"a":1}}', "PARSE_ERROR"),
    (b'{"queue":"q","tags":["a"]}', "PARSE_ERROR"),
    (b'{"queue":"q","payload":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "PARSE_ERROR"),
    (b"{}", "VALIDATION_ERROR"),
    (b"", "VALIDATION_ERROR"),
    (b'{"queue":""}', "VALIDATION_ERROR"),
    (b'{"queue":"a/b"}', "VALIDATION_ERROR"),
    (b'{"queue":"ns::q"}', "VALIDATION_ERROR"),
    (b'{"queue":".."}', "VALIDATION_ERROR"),
    (b'{"queue":"a\\u0000b"}', "VALIDATION_ERROR"),
    (b'{"queue":"' + b"q" * 201 + b'"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","priority":"urgent"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","priority":4}', "VALIDATION_ERROR"),
    (b'{"queue":"q","max_retries":-1}', "VALIDATION_ERROR"),
    (b'{"queue":"q","max_retries":65536}', "VALIDATION_ERROR"),
    (b'{"queue":"q","retry_backoff":"fancy"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","retry_base_delay":"5"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","retry_base_delay":"-5s"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","expire_after_ms":-5}', "VALIDATION_ERROR"),
    (b'{"queue":"q","retry_jitter":1.5}', "VALIDATION_ERROR"),
    (b'{"queue":"q","scheduled_at":"tomorrow"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","unique_key":"k","unique_until":"x"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","unique_until":"x"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","on_dependency_failure":"x"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","unique_key":"' + b"k" * 600 + b'"}', "VALIDATION_ERROR"),
    (b'{"queue":"q","tags":{"' + b"k" * 300 + b'":"v"}}', "VALIDATION_ERROR"),
    (b'{"jobs":[]}', "VALIDATION_ERROR"),
]


@pytest.mark.parametrize(("body", "code"), BAD_ENQUEUES, ids=[repr(body[:40]) for body, _ in BAD_ENQUEUES])
async def test_a_bad_enqueue_is_refused_by_code_and_has_no_effect(client, body, code):
    assert (await client.post("/api/v1/enqueue", {"queue": "fine"})).status == 201
    before = await everything(client)

    reply = await client.post("/api/v1/enqueue", body)

    assert (reply.status, reply.code) == (400, code)
    answer = reply.json()
    assert answer["error"]
    assert answer["hint"]
    assert answer["request_id"]
    assert reply.headers["content-type"] == "application/json"
    assert await everything(client) == before
    assert (await client.post("/api/v1/enqueue", {"queue": "fine"})).status == 201


async def everything(client):
    """How far the node is, and what its queues hold."""
    status = (await client.get("/api/v1/cluster/status")).json()
    queues = (await client.get("/api/v1/queues")).json()
    return status["applied_index"], {queue["name"]: queue["enqueued"] for queue in queues}


async def test_the_path_of_the_bad_field_is_named(client):
    reply = await client.post(
        "/api/v1/enqueue/batch", {"jobs": [{"queue": "q"}, {"queue": "q", "tags": {"a": 1}}]}
    )
    assert "at `$.jobs[1].tags[...]`" in reply.json()["error"]


async def test_too_many_tags_are_refused(client):
    reply = await client.post("/api/v1/enqueue", {"queue": "q", "tags": {str(n): "v" for n in range(65)}})
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")


async def test_deep_nesting_within_reason_is_stored_and_comes_back(client):
    payload = b"[" * 400 + b"]" * 400
    reply = await client.post("/api/v1/enqueue", b'{"queue":"q","payload":' + payload + b"}")
    assert reply.status == 201
    assert payload in (await client.get(f"/api/v1/jobs/{reply.json()['job_id']}")).body


async def test_a_payload_over_the_limit_is_413(client):
    fits = b'{"queue":"q","payload":"' + b"x" * (262_144 - 2) + b'"}'
    reply = await client.post("/api/v1/enqueue", fits)
    assert reply.status == 201
    reply = await client.post("/api/v1/enqueue", fits.replace(b'"}', b'x"}'))
    assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")
    batch = b'{"jobs":[{"queue":"q"},' + fits.replace(b'"}', b'x"}') + b"]}"
    reply = await client.post("/api/v1/enqueue/batch", batch)
    assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")
    assert "jobs[1]" in reply.json()["error"]


@pytest.mark.parametrize("path", ["/api/v1/enqueue", "/api/v1/jobs/search"])
async def test_a_body_over_the_limit_is_413_in_both_lanes(tmp_path, path):
    async with running(tmp_path / "small", max_body_size=10_000) as node:
        reply = await node.client.post(path, b" " * 10_001)
        assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")
        assert (await node.client.post("/api/v1/enqueue", {"queue": "q"})).status == 201


async def test_a_client_that_sends_everything_before_it_listens_hears_of_a_body_too_large(client):
    """As http.client does, and whatever is built on it."""

    def send():
        with closing(HTTPConnection(client.host, client.port, timeout=20)) as connection:
            connection.request("POST", "/api/v1/enqueue", b" " * (24 * 1024 * 1024))
            answer = connection.getresponse()
            return answer.status, json.load(answer)["code"]

    assert await asyncio.to_thread(send) == (413, "PAYLOAD_TOO_LARGE")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "NOT_FOUND"),
        ("GET", "/api/v1/nothing", 404, "NOT_FOUND"),
        ("GET", "/api/v1//info", 404, "NOT_FOUND"),
        ("POST", "/api/v1//enqueue", 404, "NOT_FOUND"),
        ("POST", "/api/v1/ack/", 404, "NOT_FOUND"),
        ("POST", "/api/v1/ack/a/b", 404, "NOT_FOUND"),
        ("GET", "/api/v1/jobs/job_none", 404, "NOT_FOUND"),
        ("GET", "/api/v1/jobs/%FF%00", 404, "NOT_FOUND"),
        ("GET", "/api/v1/jobs/%0A", 404, "NOT_FOUND"),
        ("POST", "/api/v1/jobs/a%0A%C2%97/cancel", 404, "NOT_FOUND"),
        ("GET", "/%0A", 404, "NOT_FOUND"),
        ("GET", "/api/v1/enqueue", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/api/v1/fetch", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/v1/queues", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/api/v1/ack/job_none", 404, "NOT_FOUND"),
        ("POST", "/api/v1/fail/job_none", 400, "PARSE_ERROR"),
        ("POST", "/api/v1/release/job_none", 404, "NOT_FOUND"),
        ("POST", "/api/v1/heartbeat", 400, "VALIDATION_ERROR"),
        ("GET", "/api/v1/cluster/events?after_seq=x", 400, "VALIDATION_ERROR"),
    ],
)
async def test_what_does_not_exist_is_said_in_json(client, method, path, status, code):
    reply = await client.request(method, path)
    assert (reply.status, reply.code) == (status, code)
    if status == 405:
        assert reply.headers["allow"]


@pytest.mark.parametrize("token", ["abc", "-1", str(2**63), "1.5", "١٢", "9" * 5_000])
async def test_bad_lease_tokens_are_refused(client, token):
    job_id = await client.enqueue("leased")
    await client.fetch("leased")
    reply = await client.post(f"/api/v1/ack/{job_id}", {"lease_token": token})
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
    assert (await client.job(job_id))["state"] == "active"


@pytest.mark.parametrize(
    "body",
    [{"jobs": [{"progress": 1}]}, {"jobs": {"x": {"progress": 1}} | {f"j{n}": {} for n in range(2_048)}}],
)
async def test_heartbeats_have_their_limits(client, body):
    assert (await client.post("/api/v1/heartbeat", body)).code == "VALIDATION_ERROR"


@pytest.mark.parametrize("most", [1_000_001, 2**63, 10**30])
async def test_a_limit_no_queue_needs_is_refused(client, most):
    _, before = await everything(client)
    reply = await client.post("/api/v1/queues/q/concurrency", {"max": most})
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
    # That it was refused goes on record, by an entry of its own; nothing else has changed.
    assert (await everything(client))[1] == before


async def test_a_wait_that_is_none_enqueues_nothing(client):
    before = await everything(client)
    reply = await client.post("/api/v1/enqueue?wait=soon", {"queue": "q"})
    assert (reply.status, reply.code) == (400, "VALIDATION_ERROR")
    assert await everything(client) == before
