"""Events over HTTP: live, resumed, narrowed down, and the history of one job."""

import asyncio
import json
from urllib.parse import quote

import pytest

from tests.support.node import until

JOBS = "/api/v1/jobs"


async def stream(client, query="", **headers):
    """An open event stream, as a reader of whole events."""
    connection = await client.connect()
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    connection._writer.write(f"GET /api/v1/events{query} HTTP/1.1\r\nhost: localhost\r\n{lines}\r\n".encode())
    head = await connection._reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    assert b"text/event-stream" in head

    async def read(count):
        text = ""
        async with asyncio.timeout(5):
            while text.count("\ndata: ") < count:
                size = int(await connection._reader.readline(), 16)
                text += (await connection._reader.readexactly(size + 2))[:-2].decode()
        return [line[6:] for line in text.split("\n") if line.startswith("data: ")]

    connection.read = read
    return connection


async def test_a_live_stream_of_events(client):
    connection = await stream(client, "?types=enqueued,completed")
    job_id = await client.enqueue("emails")
    await client.fetch("emails")
    await client.post(f"/api/v1/ack/{job_id}")
    first, second = await connection.read(2)
    assert '"type":"enqueued"' in first
    assert '"type":"completed"' in second
    await connection.close()


async def test_a_stream_resumes_by_number_or_header(client):
    for _ in range(3):
        await client.enqueue()
    by_header = await stream(client, "", Last_Event_ID="1")
    by_query = await stream(client, f"?last_event_id={'0' * 5_000}&queues=q")
    assert ['"seq":2,' in e for e in await by_header.read(2)] == [True, False]
    assert len(await by_query.read(3)) == 3
    await by_header.close()
    await by_query.close()


async def test_an_event_with_a_client_s_own_lines_in_it_is_one_line(client):
    job_id = await client.enqueue()
    await client.fetch()
    connection = await stream(client)
    await client.post(
        "/api/v1/heartbeat", b'{"jobs": {"%s": {"progress": {\n\r\n\r"n": 1}}}}' % job_id.encode()
    )
    await client.enqueue()
    progress, _ = await connection.read(2)
    assert json.loads(progress)["data"] == {"n": 1}
    await connection.close()


async def test_a_stream_can_be_narrowed_to_queues_with_a_comma_in_their_name(client):
    connection = await stream(client, f"?queues={quote(json.dumps(['a,b', '[c']))}")
    odd = await stream(client, "?queues=[c")
    for queue in ("a", "a,b", "b", "[c"):
        await client.enqueue(queue)
    assert [json.loads(text)["queue"] for text in await connection.read(2)] == ["a,b", "[c"]
    assert json.loads((await odd.read(1))[0])["queue"] == "[c"
    await connection.close()
    await odd.close()


async def test_a_number_of_very_many_digits_is_one_that_was_never_reached(client):
    connection = await stream(client, f"?last_event_id={'9' * 5_000}")
    await connection.close()


async def test_counters_of_queues_on_the_stream(client):
    connection = await stream(client, "?counters=only")
    await client.enqueue("emails")
    (counters,) = await connection.read(1)
    assert '"name":"emails"' in counters
    assert '"pending":1' in counters
    await connection.close()


@pytest.mark.parametrize("query", ["?types=nonsense", "?last_event_id=x", "?counters=x"])
async def test_bad_stream_requests_are_refused(client, query):
    assert (await client.get(f"/api/v1/events{query}")).code == "VALIDATION_ERROR"


async def test_a_reader_that_hangs_up_is_forgotten(client):
    connection = await stream(client)
    await connection.close()

    async def forgotten():
        return b"corvo_event_streams_open 0.0" in (await client.get("/api/v1/metrics")).body

    await until(forgotten)


async def test_the_history_of_a_job(client):
    job_id = await client.enqueue()
    await client.fetch(worker_id="w1")
    await client.post(f"/api/v1/fail/{job_id}", {"error": "x"})
    await client.post(f"{JOBS}/{job_id}/cancel")
    history = (await client.get(f"{JOBS}/{job_id}/events")).json()
    assert [event["type"] for event in history["events"]] == ["enqueued", "started", "failed", "cancelled"]
    assert history["complete"]
    assert (await client.get(f"{JOBS}/job_none/events")).code == "NOT_FOUND"
