"""Webhooks through the API, to a real receiver."""

import hashlib
import hmac
import json

import pytest

from tests.support.node import running, until
from tests.support.receiver import receiving

pytestmark = pytest.mark.slow

PRIVATE = {"webhook_allow_private": True}


@pytest.fixture
async def node(tmp_path):
    async with running(tmp_path / "data", webhook_timeout=500, **PRIVATE) as node:
        yield node


@pytest.fixture
async def receiver():
    async with receiving() as receiver:
        yield receiver


async def make(client, url, **fields):
    reply = await client.post("/api/v1/webhooks", {"url": url} | fields)
    assert reply.status == 200, reply
    return reply.json()["id"]


async def get(client, webhook_id):
    return (await client.get(f"/api/v1/webhooks/{webhook_id}")).json()


async def test_what_happens_to_jobs_arrives_signed_and_in_order(client, receiver):
    webhook_id = await make(client, receiver.url, secret="hush")
    for _ in range(3):
        await client.enqueue("q")
    job = await client.fetch("q")
    await client.post(f"/api/v1/ack/{job['job_id']}", {})
    await until(lambda: len(receiver.got) == 5)
    assert receiver.seqs == [1, 2, 3, 4, 5]
    assert [each.event["type"] for each in receiver.got] == [*["enqueued"] * 3, "started", "completed"]
    for each in receiver.got:
        digest = hmac.new(b"hush", each.body, hashlib.sha256).hexdigest()
        assert each.headers["x-corvo-signature"] == f"sha256={digest}"
        assert each.headers["content-type"] == "application/json"
        assert each.headers["x-corvo-webhook-id"] == each.json()["webhook_id"] == webhook_id
        assert each.headers["x-corvo-webhook-event"] == each.event["type"]
        assert each.json()["sent_at"].endswith("Z")


async def test_a_webhook_as_it_is_shown_and_never_its_secret(client, receiver):
    webhook_id = await make(client, receiver.url, secret="top-secret", events=["Enqueued", "dead"])
    assert webhook_id.startswith("wh_")
    await client.enqueue("q")
    shown = await until(lambda: _delivered(client, webhook_id, 1))
    assert shown["url"] == receiver.url
    assert (shown["events"], shown["has_secret"], shown["enabled"]) == (["enqueued", "dead"], True, True)
    assert (shown["retry_limit"], shown["cursor"], shown["delivered_total"]) == (3, 1, 1)
    assert (shown["last_status_code"], "last_error" in shown) == (200, False)
    listed = await client.get("/api/v1/webhooks")
    assert listed.json() == [shown]
    deliveries = await client.get(f"/api/v1/webhooks/{webhook_id}/deliveries")
    ((delivery),) = deliveries.json()["deliveries"]
    assert (delivery["seq"], delivery["delivered"], delivery["attempts"]) == (1, True, 1)
    for reply in (listed, deliveries, await client.get(f"/api/v1/webhooks/{webhook_id}")):
        assert b"top-secret" not in reply.body


async def _delivered(client, webhook_id, count):
    shown = await get(client, webhook_id)
    return shown if shown["delivered_total"] >= count else None


async def test_secrets_are_not_logged(client, receiver, capsys, caplog):
    receiver.usual = 500
    await make(client, receiver.url + "?token=in-the-url", secret="top-secret", retry_limit=1)
    await client.enqueue("q")
    await until(lambda: receiver.got)
    said = "".join(capsys.readouterr()) + caplog.text
    assert "top-secret" not in said
    assert "in-the-url" not in said


async def test_a_failing_receiver_is_tried_again_and_what_failed_can_be_delivered_by_hand(client, receiver):
    webhook_id = await make(client, receiver.url, retry_limit=2)
    receiver.plan = [503, "hang", 200]
    await client.enqueue("q")
    await client.enqueue("q")
    shown = await until(lambda: _delivered(client, webhook_id, 1))
    assert receiver.seqs == [1, 1, 2]
    assert [each.headers["x-corvo-webhook-attempt"] for each in receiver.got] == ["1", "2", "1"]
    assert (shown["failed_total"], shown["cursor"]) == (1, 2)
    deliveries = (await client.get(f"/api/v1/webhooks/{webhook_id}/deliveries")).json()["deliveries"]
    assert [each["delivered"] for each in deliveries] == [False, True]
    assert deliveries[0]["error"] == "no answer within 0.5 s"

    one = await client.post(f"/api/v1/webhooks/{webhook_id}/redeliver", {"seq": 1})
    assert (one.status, one.json()["status"], one.json()["status_code"]) == (200, "delivered", 200)
    assert receiver.seqs == [1, 1, 2, 1]

    all_again = await client.post(f"/api/v1/webhooks/{webhook_id}/redeliver", {"from_seq": 1})
    assert all_again.json() == {"status": "rewound", "from_seq": 1}
    await until(lambda: receiver.seqs == [1, 1, 2, 1, 1, 2])


async def test_a_ping_says_what_became_of_it(client, receiver):
    webhook_id = await make(client, receiver.url, enabled=False)
    sent = (await client.post(f"/api/v1/webhooks/{webhook_id}/test")).json()
    assert (sent["status"], sent["delivered"], sent["status_code"]) == ("delivered", True, 200)
    assert receiver.got[0].event["type"] == "ping"
    receiver.usual = 404
    sent = (await client.post(f"/api/v1/webhooks/{webhook_id}/test")).json()
    assert (sent["status"], sent["error"]) == ("failed", "the receiver answered 404")


async def test_switching_off_and_on_keeps_the_place_or_starts_anew(client, receiver):
    webhook_id = await make(client, receiver.url)
    off = await client.post(f"/api/v1/webhooks/{webhook_id}/disable")
    assert off.json() == {"status": "disabled", "id": webhook_id}
    await client.enqueue("q")
    await client.post(f"/api/v1/webhooks/{webhook_id}/enable")
    await until(lambda: receiver.seqs == [1])
    await client.post(f"/api/v1/webhooks/{webhook_id}/disable")
    await client.enqueue("q")
    await client.post(f"/api/v1/webhooks/{webhook_id}/enable", {"from": "now"})
    await client.enqueue("q")
    await until(lambda: receiver.seqs == [1, 3])


async def test_setting_one_again_by_its_id_changes_it_and_deleting_ends_it(client, receiver):
    assert await make(client, receiver.url, id="mine", secret="s") == "mine"
    await make(client, receiver.url, id="mine", events=["dead"], retry_limit=7)
    shown = await get(client, "mine")
    assert (shown["events"], shown["retry_limit"], shown["has_secret"]) == (["dead"], 7, True)
    gone = await client.request("DELETE", "/api/v1/webhooks/mine")
    assert gone.json() == {"status": "deleted", "id": "mine"}
    for method, path in (
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/enable"),
        ("POST", "/disable"),
        ("POST", "/test"),
        ("GET", "/deliveries"),
    ):
        reply = await client.request(method, f"/api/v1/webhooks/mine{path}")
        assert (reply.status, reply.code) == (404, "NOT_FOUND")


async def test_the_list_comes_in_pages_oldest_first(client, receiver):
    ids = [await make(client, receiver.url, id=f"hook-{n}") for n in (3, 1, 2)]

    async def page(query):
        return [each["id"] for each in (await client.get(f"/api/v1/webhooks?{query}")).json()]

    assert await page("") == ids
    assert await page("limit=2") == ids[:2]
    assert await page(f"limit=2&after={ids[1]}") == ids[2:]
    assert (await client.get("/api/v1/webhooks?after=none")).status == 400


BAD = [
    ({}, "WEBHOOK_ERROR"),
    ({"url": ""}, "WEBHOOK_ERROR"),
    ({"url": "ftp://example.com/"}, "WEBHOOK_ERROR"),
    ({"url": "https://user:pass@example.com/"}, "WEBHOOK_ERROR"),
    ({"url": "https://example.com/", "events": ["born"]}, "WEBHOOK_ERROR"),
    ({"url": "https://example.com/", "retry_limit": 0}, "VALIDATION_ERROR"),
    ({"url": "https://example.com/", "retry_limit": 101}, "VALIDATION_ERROR"),
    ({"url": "https://example.com/", "id": "a/b"}, "VALIDATION_ERROR"),
    ({"url": "https://example.com/", "secret": "x" * 600}, "VALIDATION_ERROR"),
    ({"url": "https://example.com/" + "x" * 3_000}, "VALIDATION_ERROR"),
    ({"url": 5}, "PARSE_ERROR"),
]


async def test_a_bad_webhook_is_refused_by_code(client):
    for body, code in BAD:
        reply = await client.post("/api/v1/webhooks", body)
        assert (reply.status, reply.code) == (400, code), body
    assert (await client.get("/api/v1/webhooks")).json() == []


async def test_redelivering_needs_to_know_what(client, receiver):
    webhook_id = await make(client, receiver.url)
    path = f"/api/v1/webhooks/{webhook_id}/redeliver"
    for body, status in (({}, 400), ({"seq": 1, "from_seq": 1}, 400), ({"seq": 0}, 400), ({"seq": 99}, 404)):
        assert (await client.post(path, body)).status == status


async def test_private_targets_are_refused_unless_allowed(tmp_path, receiver):
    async with running(tmp_path / "strict") as strict:
        reply = await strict.client.post("/api/v1/webhooks", {"url": receiver.url})
        assert (reply.status, reply.code) == (400, "WEBHOOK_ERROR")
        name = f"http://localhost:{receiver.port}/"
        webhook_id = await make(strict.client, name, retry_limit=1)
        sent = (await strict.client.post(f"/api/v1/webhooks/{webhook_id}/test")).json()
        assert sent["status"] == "failed"
        assert "not a public address" in sent["error"]
        assert receiver.connections == 0


async def test_a_repeated_request_makes_one_webhook(client, receiver):
    body = {"url": receiver.url}
    first = await client.post("/api/v1/webhooks", body, idempotency_key="k")
    second = await client.post("/api/v1/webhooks", body, idempotency_key="k")
    assert first.json() == second.json()
    assert len((await client.get("/api/v1/webhooks")).json()) == 1


async def counted(client, deliveries):
    metrics = (await client.get("/api/v1/metrics")).body
    return b"\ncorvo_webhook_deliveries_total %d" % deliveries in metrics


async def test_a_node_that_was_stopped_goes_on_where_it_was_without_repeating(tmp_path, receiver):
    async with running(tmp_path / "data", **PRIVATE) as node:
        await make(node.client, receiver.url)
        await node.client.enqueue("q")
        # Not only sent: what a receiver has and could not confirm comes again.
        await until(lambda: counted(node.client, 1))
        assert receiver.seqs == [1]
    async with running(tmp_path / "data", **PRIVATE) as node:
        await node.client.enqueue("q")
        await until(lambda: len(receiver.seqs) >= 2)
    assert receiver.seqs == [1, 2]


async def test_metrics_count_deliveries(client, receiver):
    await make(client, receiver.url)
    await client.enqueue("q")
    await until(lambda: receiver.got)
    await until(lambda: counted(client, 1))


# Webhooks in


async def inbound(client, body, query="", **headers):
    reply = await client.post(f"/api/v1/webhooks/orders{query}", body, **headers)
    return reply, (await client.job(reply.json()["job_id"])) if reply.status in (200, 201) else None


PAYLOADS = [
    (b'{"a": [1, 2]}', {"a": [1, 2]}),
    (b"", {}),
    (b"  \n", {}),
    (b"17", 17),
    (b'"text"', "text"),
    (b"a=1&b=2", "a=1&b=2"),
    ("gr\u00fc\u00df".encode(), "gr\u00fc\u00df"),
    (b'{"a":', '{"a":'),
    # JSON, though with a number that not every worker could read.
    (b'{"a": 1e999}', '{"a": 1e999}'),
]


async def test_whatever_is_posted_becomes_the_payload(client):
    for body, payload in PAYLOADS:
        reply, job = await inbound(client, body)
        assert reply.status == 201, body
        assert (job["queue"], job["payload"], job["state"]) == ("orders", payload, "pending")


async def test_the_query_says_more_about_the_job(client):
    query = "?priority=high&unique_key=d1&max_retries=7&tags=source:shop,kind:a:b"
    query += "&scheduled_at=2099-01-01T00:00:00Z"
    reply, job = await inbound(client, b"{}", query)
    assert reply.status == 201
    assert (job["priority"], job["max_retries"], job["state"]) == (1, 7, "scheduled")
    assert job["tags"] == {"source": "shop", "kind": "a:b"}
    reply, _ = await inbound(client, b"{}", query)
    assert (reply.status, reply.json()["status"]) == (200, "duplicate")


async def test_a_priority_may_be_a_number(client):
    _, job = await inbound(client, b"{}", "?priority=0")
    assert job["priority_name"] == "critical"


MALFORMED = [
    "?priority=4",
    "?priority=-1",
    "?priority=urgent",
    "?max_retries=many",
    "?max_retries=-1",
    "?scheduled_at=later",
    "?tags=no-pair",
    "?unique_key=" + "k" * 600,
]


async def test_a_malformed_query_is_refused(client):
    for query in MALFORMED:
        reply, _ = await inbound(client, b"{}", query)
        assert (reply.status, reply.code) == (400, "VALIDATION_ERROR"), query


async def test_bytes_that_are_no_text_and_bodies_that_are_too_large_are_refused(client):
    reply, _ = await inbound(client, b"\xff\xfe\x00")
    assert (reply.status, reply.code) == (400, "PARSE_ERROR")
    reply, _ = await inbound(client, b"[" * 100_000)
    assert (reply.status, reply.code) == (400, "PARSE_ERROR")
    for size in (300_000, 5 * 1024 * 1024):
        reply, _ = await inbound(client, json.dumps("x" * size).encode())
        assert (reply.status, reply.code) == (413, "PAYLOAD_TOO_LARGE")


async def test_what_the_query_says_is_part_of_the_request(client):
    first, _ = await inbound(client, b"{}", "?unique_key=a&priority=high", idempotency_key="d")
    again, _ = await inbound(client, b"{}", "?priority=high&unique_key=a", idempotency_key="d")
    assert again.json()["job_id"] == first.json()["job_id"]
    for query in ("?unique_key=b&priority=high", "?unique_key=a", "", "?unique_key=a&priority=high&tags=a:b"):
        other, _ = await inbound(client, b"{}", query, idempotency_key="d")
        assert (other.status, other.code) == (409, "IDEMPOTENCY_MISMATCH"), query


async def test_a_sender_that_repeats_itself_makes_one_job(client):
    first, _ = await inbound(client, b'{"n":1}', idempotency_key="delivery-1")
    second, _ = await inbound(client, b'{"n":1}', idempotency_key="delivery-1")
    assert first.json()["job_id"] == second.json()["job_id"]
    assert second.headers["idempotency-replayed"] == "true"
