"""Connections that are served in front of Hypercorn, and how they get there."""

import asyncio
import json
import re
import socket
from contextlib import AsyncExitStack

import pytest

from corvo.core import errors
from corvo.http.wire.acceptor import STATUS_LINES
from corvo.http.wire.fast_http1 import FastHttp1
from tests.support.node import running, until


def request(queue: str = "q", payload: str = "", **fields: str) -> bytes:
    body = json.dumps({"queue": queue, "payload": payload}).encode()
    lines = ["POST /api/v1/enqueue HTTP/1.1", "host: localhost", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict[bytes, bytes], bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    status_line, *lines = head[:-4].split(b"\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(b": ") for line in lines)}
    body = await reader.readexactly(int(headers[b"content-length"]))
    return int(status_line.split()[1]), headers, body


async def open_to(node):
    return await asyncio.open_connection(node.client.host, node.client.port)


async def test_an_answer_has_what_answers_of_hypercorn_have(node):
    reader, writer = await open_to(node)
    writer.write(request())
    status, headers, body = await answer(reader)
    assert (status, json.loads(body)["status"]) == (201, "pending")
    writer.write(request(expect="100-continue"))  # For Hypercorn, which answers twice.
    assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
    _, by_hypercorn, _ = await answer(reader)
    assert headers.keys() == by_hypercorn.keys()
    writer.close()


async def test_requests_that_come_at_once_are_answered_in_turn(node):
    reader, writer = await open_to(node)
    count = 3_500  # More than the front reads ahead.
    # Refusals, because each is answered at once and names its request.
    lines = "host: localhost\r\nx-request-id: {}\r\ncontent-length: 10\r\n\r\nno JSON.."
    head = f"POST /api/v1/enqueue HTTP/1.1\r\n{lines}"
    writer.write("".join(head.format(n) + "." for n in range(count)).encode())
    for n in range(count):
        status, _, body = await answer(reader)
        assert (status, json.loads(body)["request_id"]) == (400, str(n))
    writer.close()


async def test_a_large_request_that_came_early_does_not_keep_the_next_one_from_being_read(tmp_path):
    async with running(tmp_path / "data", max_payload_size=400_000) as node:
        reader, writer = await open_to(node)
        # The second is more than the front reads ahead, so that it stops reading, and all of it is there.
        writer.write(request() + request(payload="x" * 300_000))
        for _ in range(2):
            assert (await answer(reader))[0] == 201
        writer.write(request())
        async with asyncio.timeout(5):
            assert (await answer(reader))[0] == 201
        writer.close()


async def test_a_head_may_be_as_large_as_the_settings_say(tmp_path):
    async with running(tmp_path / "data", max_header_size=1_000_000) as node:
        reader, writer = await open_to(node)
        writer.write(request(cookie="x" * 900_000))
        async with asyncio.timeout(5):
            assert (await answer(reader))[0] == 201
        writer.close()


async def test_a_request_may_come_byte_by_byte(node):
    reader, writer = await open_to(node)
    for byte in request():
        writer.write(bytes([byte]))
        await asyncio.sleep(0)
    assert (await answer(reader))[0] == 201
    writer.close()


async def test_lines_may_end_as_some_people_type_them(node):
    reader, writer = await open_to(node)
    writer.write(b"GET /healthz HTTP/1.0\nHost: localhost\n\n")
    async with asyncio.timeout(5):
        assert (await reader.read()).startswith(b"HTTP/1.1 200 ")
    writer.close()


async def test_a_connection_can_turn_from_hot_to_cold_and_back(node):
    connection = await node.client.connect()
    for method, path, body, status in (
        ("POST", "/api/v1/enqueue", {"queue": "q"}, 201),
        ("GET", "/healthz", None, 200),
        ("POST", "/api/v1/enqueue", {"queue": "q"}, 201),
    ):
        assert (await connection.request(method, path, body)).status == status
    await connection.close()


async def test_a_client_that_enqueues_and_looks_at_its_jobs_stays_at_the_front(node):
    connection = await node.client.connect()
    for _ in range(2):
        job_id = (await connection.request("POST", "/api/v1/enqueue", {"queue": "q"})).json()["job_id"]
        assert (await connection.request("GET", f"/api/v1/jobs/{job_id}")).json()["id"] == job_id
        found = await connection.request("POST", "/api/v1/jobs/bulk-get", {"job_ids": [job_id]})
        assert [job["id"] for job in found.json()["jobs"]] == [job_id]
        assert len(fronts(node)) == 1
    # What else there is at the path is served behind it.
    refused = await node.client.request("PUT", f"/api/v1/jobs/{job_id}")
    assert (refused.status, refused.headers["allow"]) == (405, "DELETE, GET, HEAD")
    assert (await node.client.request("DELETE", f"/api/v1/jobs/{job_id}")).status == 200
    assert (await connection.request("GET", f"/api/v1/jobs/{job_id}")).status == 404
    await connection.close()


async def test_cold_requests_behind_hot_ones_are_answered_in_turn(node):
    reader, writer = await open_to(node)
    writer.write(request() + b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n" + request("last"))
    assert (await answer(reader))[0] == 201
    assert b'"ok"' in (await answer(reader))[2]
    assert b'"last"' in (await answer(reader))[2]
    writer.close()


async def without_reading(node, count):
    """A client that has sent so many requests and takes no answers."""
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    narrow.connect((node.client.host, node.client.port))
    _, writer = await asyncio.open_connection(sock=narrow)
    writer.transport.pause_reading()
    # Refusals with an id of some length, which fill what is between us in no time.
    head = f"POST /api/v1/enqueue HTTP/1.1\r\nhost: localhost\r\nx-request-id: {'x' * 6_000}\r\n\r\n"
    writer.write(head.encode() * count)
    return narrow, writer


def fronts(node):
    return node.node._server._acceptor.connections


async def test_a_client_that_does_not_read_its_answers_is_not_read_either(node):
    count = 3_000
    narrow, writer = await without_reading(node, count)
    seen = [-1]

    async def answered_no_more():
        metrics = (await node.client.get("/api/v1/metrics")).body.decode()
        found = re.search(r'errors_total{method="POST",route="/api/v1/enqueue"} (\d+)', metrics)
        seen.append(int(found[1]) if found else 0)
        return seen[-1] == seen[-2] > 0

    await until(answered_no_more)
    assert seen[-1] < count
    assert max(len(front._unread) for front in fronts(node)) < 1024 * 1024
    writer.transport.abort()
    await until(lambda: narrow.fileno() < 0)


@pytest.mark.slow
async def test_a_client_that_never_reads_its_answers_is_given_up(tmp_path):
    async with running(tmp_path / "data", idle_timeout=1_000) as node:
        _, writer = await without_reading(node, 1_000)
        await until(lambda: fronts(node))
        await until(lambda: not fronts(node))
        writer.transport.abort()


async def test_a_client_that_reads_late_gets_all_answers(node):
    count = 1_000
    narrow, writer = await without_reading(node, count)
    await until(lambda: any(not front._can_write for front in fronts(node)))
    writer.transport.resume_reading()
    reader = writer.transport.get_protocol()._stream_reader
    for _ in range(count):
        assert (await answer(reader))[0] == 400
    writer.close()
    await until(lambda: narrow.fileno() < 0)


async def test_a_body_that_does_not_come_is_refused(tmp_path):
    async with running(tmp_path / "data", body_timeout=200) as node:
        reader, writer = await open_to(node)
        writer.write(request()[:-3])
        status, headers, body = await answer(reader)
        assert (status, json.loads(body)["code"]) == (408, "REQUEST_TIMEOUT")
        assert headers[b"connection"] == b"close"
        assert await reader.read() == b""
        writer.close()


async def test_a_quiet_connection_is_closed(tmp_path):
    async with running(tmp_path / "data", idle_timeout=1_000) as node:
        reader, writer = await open_to(node)
        writer.write(request())
        assert (await answer(reader))[0] == 201
        writer.write(request()[:20])
        assert await reader.read() == b""
        writer.close()


async def test_a_worker_that_hangs_up_leaves_its_place_in_the_line(node):
    _, writer = await open_to(node)
    body = b'{"queues":["q"],"timeout":30}'
    writer.write(
        b"POST /api/v1/fetch HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    )

    async def waiting(count):
        metrics = (await node.client.get("/api/v1/metrics")).body.decode()
        return f"corvo_http_requests_in_flight {count}.0" in metrics

    await until(lambda: waiting(2))
    writer.close()
    await until(lambda: waiting(1))
    job_id = await node.client.enqueue()
    assert (await node.client.fetch())["job_id"] == job_id


async def test_what_is_under_way_is_answered_when_the_node_stops(tmp_path):
    async with running(tmp_path / "data") as node:
        reader, writer = await open_to(node)
        quiet, other = await open_to(node)
        body = b'{"queues":["q"],"timeout":30}'
        writer.write(
            b"POST /api/v1/fetch HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n%b"
            % (len(body), body)
        )
        # The next answer shows that the fetch before it has arrived.
        await node.client.enqueue("another")
    assert (await reader.read()).startswith(b"HTTP/1.1 204")
    assert await quiet.read() == b""
    writer.close()
    other.close()


async def test_nobody_waits_for_a_connection_that_was_let_in_last_when_the_node_stops(node):
    acceptor = node.node._server._acceptor
    acceptor.stop()
    # It was accepted, and the loop came to make its front only now.
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    await asyncio.get_running_loop().create_connection(lambda: FastHttp1(acceptor), sock=theirs)
    async with asyncio.timeout(5):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.slow
async def test_a_request_that_never_ends_does_not_keep_the_node_longer_than_it_may(tmp_path):
    async with AsyncExitStack() as stack:
        node = await stack.enter_async_context(running(tmp_path / "data", shutdown_timeout=3_000))
        _, writer = await open_to(node)
        writer.write(request()[:-3])
        await until(lambda: any(front._head for front in fronts(node)))
        async with asyncio.timeout(3):
            await stack.aclose()
        writer.close()


def test_every_status_has_a_line():
    statuses = {error.status for error in vars(errors).values() if hasattr(error, "status")}
    assert statuses
    assert statuses <= STATUS_LINES.keys()
