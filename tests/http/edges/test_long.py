"""What takes a while: long-polls, streams both ways, events, and clients that leave in the middle."""

import asyncio
import json

import pytest

from tests.http.api.test_stream import Http1, Http2, Talker
from tests.http.edges.choices import IDLE_TIMEOUT_S
from tests.http.edges.wire import H2, connected, hangs_up_within, head
from tests.support.node import until

pytestmark = pytest.mark.slow

both = pytest.mark.parametrize("kind", [Http1, Http2])


async def test_a_long_poll_is_answered_when_there_is_a_job(client, queue, metric):
    poll = asyncio.create_task(client.post("/api/v1/fetch", {"queues": [queue], "timeout": 30}))
    await until(lambda: is_at(metric, "corvo_fetch_waiting", 1))
    job_id = await client.enqueue(queue)
    assert (await poll).json()["job_id"] == job_id


async def test_a_long_poll_whose_client_hung_up_claims_nothing(client, queue, metric):
    body = json.dumps({"queues": [queue], "timeout": 30}).encode()
    async with connected(client) as (_, writer), connected(client) as wire:
        writer.write(head("POST", "/api/v1/fetch", f"content-length: {len(body)}") + body)
        http = H2(*wire)
        number = http.open("POST", "/api/v1/fetch", body)
        await until(lambda: is_at(metric, "corvo_fetch_waiting", 2))
        # A connection that is closed, and a request that is taken back on one that stays.
        http.reset(number)
        await until(lambda: is_at(metric, "corvo_fetch_waiting", 1))
    await until(lambda: is_at(metric, "corvo_fetch_waiting", 0))
    job_id = await client.enqueue(queue)
    assert (await client.job(job_id))["state"] == "pending"
    assert (await client.fetch(queue))["attempt"] == 1


async def test_who_asks_and_hangs_up_at_once_claims_nothing(client, queue, metric):
    body = json.dumps({"queues": [queue], "timeout": 30}).encode()
    # What is asked of it first takes a moment, in which the client is gone already.
    fields = (f"content-length: {len(body)}", "x-corvo-direct: 1")
    for _ in range(20):
        async with connected(client) as (_, writer):
            writer.write(head("POST", "/api/v1/fetch", *fields) + body)
    # But for the question itself.
    await until(lambda: is_at(metric, "corvo_http_requests_in_flight", 1))
    job_id = await client.enqueue(queue)
    assert (await client.job(job_id))["state"] == "pending"


@both
async def test_a_stream_is_answered_line_by_line(client, queue, kind):
    async with kind(client) as stream:
        talker = Talker(stream)
        (job_id,) = (await talker.ask(enqueues=[{"queue": queue}]))["enqueued_job_ids"]
        answer = await talker.ask(queues=[queue], worker_id="w", fetch_count=1)
        assert [job["job_id"] for job in answer["jobs"]] == [job_id]
        assert (await talker.ask(acks=[{"job_id": job_id}]))["acked"] == 1
        numbers = [talker.say(enqueues=[{"queue": queue}]) for _ in range(40)]
        assert [(await talker.hear())["request_id"] for _ in numbers] == numbers
        stream.end()
        assert await talker.hear() is None


@both
async def test_a_stream_waits_for_jobs_and_hears_of_cancels(client, queue, kind):
    async with kind(client) as stream:
        talker = Talker(stream)
        await talker.ask(queues=[queue], worker_id="w")
        talker.say(fetch_count=1, wait_ms=20_000)
        job_id = await client.enqueue(queue)
        assert (await talker.hear())["jobs"][0]["job_id"] == job_id
        await client.post(f"/api/v1/jobs/{job_id}/cancel")
        assert (await talker.hear())["cancel"] == [job_id]


@both
async def test_a_stream_that_has_not_said_anything_is_there(client, kind, metric):
    async with kind(client):
        await until(lambda: is_at(metric, "corvo_lifecycle_streams_open", 1))
    await until(lambda: is_at(metric, "corvo_lifecycle_streams_open", 0))


@both
async def test_a_stream_that_is_cut_off_in_a_wait_claims_nothing(client, queue, kind, metric):
    async with kind(client) as stream:
        talker = Talker(stream)
        await talker.ask(queues=[queue], worker_id="w")
        talker.say(fetch_count=1, wait_ms=20_000)
        await until(lambda: is_at(metric, "corvo_fetch_waiting", 1))
    await until(lambda: is_at(metric, "corvo_lifecycle_streams_open", 0))
    job_id = await client.enqueue(queue)
    assert (await client.job(job_id))["state"] == "pending"


async def test_answers_larger_than_all_windows_get_through(client, queue):
    payload = "x" * 20_000
    for _ in range(10):
        await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": queue, "payload": payload}] * 5})
    line = b'{"request_id":%%d,"queues":["%s"],"worker_id":"w","fetch_count":1}\n' % queue.encode()
    async with Http2(client) as http:
        for number in range(50):
            http.send(line % number)
        answers = [await http.next() for _ in range(50)]
    assert sum(len(answer["jobs"]) for answer in answers) == 50


async def test_a_slow_reader_holds_up_nobody(client, queue):
    payload = "x" * 50_000
    for _ in range(25):
        await client.post("/api/v1/enqueue/batch", {"jobs": [{"queue": queue, "payload": payload}] * 2})
    async with Http1(client) as stalled:
        for number in range(50):
            body = {"request_id": number, "queues": [queue], "worker_id": "w", "fetch_count": 1}
            stalled.send(json.dumps(body).encode() + b"\n")
        # It reads nothing of two and a half megabytes.
        for _ in range(20):
            assert (await client.post("/api/v1/enqueue", {"queue": "other"})).status == 201


async def test_events_come_as_they_happen(client, queue):
    async with connected(client) as (reader, writer), asyncio.timeout(10):
        writer.write(head("GET", f"/api/v1/events?queues={queue}"))
        heard = await reader.readuntil(b":connected\n\n")
        assert b"text/event-stream" in heard
        job_id = await client.enqueue(queue)
        heard = await reader.readuntil(job_id.encode())
        assert b"event: enqueued" in heard


async def test_a_connection_without_a_request_is_closed(server, client):
    kept = IDLE_TIMEOUT_S + 0.3
    greeting = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)
    http2_is_kept = server.choice.differs("http2_idle")
    silent, after_one, http2 = await asyncio.gather(
        hangs_up_within(client, 10),
        hangs_up_within(client, 10, head("GET", "/healthz")),
        hangs_up_within(client, kept if http2_is_kept else 10, greeting),
    )
    assert (silent, after_one, http2) == (True, True, not http2_is_kept)


async def test_a_half_sent_http2_body_that_is_given_up(server, client, queue, metric):
    """Without a length only the server can tell it from a whole one."""
    async with connected(client) as wire:
        http = H2(*wire)
        number = http.open("POST", "/api/v1/enqueue", json.dumps({"queue": queue}).encode(), end=False)
        await http.answer(http.open("GET", "/healthz"))
        http.reset(number)
        await http.answer(http.open("GET", "/healthz"))

        async def jobs():
            rows = (await client.get("/api/v1/queues")).json()
            return sum(row["pending"] for row in rows if row["name"] == queue)

        if server.choice.differs("half_bodies"):
            await until(jobs)
        else:
            await client.enqueue(queue)
            assert await jobs() == 1


async def is_at(metric, name, value):
    return await metric(name) == value
