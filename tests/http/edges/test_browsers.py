"""What a web page may do to a node on the loopback of its reader: the same on every edge."""

import asyncio
import json

import pytest

from tests.http.edges.wire import H2, connected, exchange, head

pytestmark = pytest.mark.slow

#: Hot and cold, with a body and without, an event stream and a worker's stream.
REQUESTS = [
    ("POST", "/api/v1/enqueue"),
    ("GET", "/api/v1/jobs/job_1"),
    ("GET", "/api/v1/queues"),
    ("DELETE", "/api/v1/queues/q"),
    ("GET", "/api/v1/events"),
    ("POST", "/api/v1/worker/stream"),
    ("OPTIONS", "/api/v1/enqueue"),
    ("GET", "/openapi.json"),
    ("GET", "/nothing"),
    ("HEAD", "/healthz"),
]


def said(answer):
    status, _, rest = answer.partition(b"\r\n")
    return int(status.split()[1]), rest


async def ask(client, method, path, host, *lines):
    body = b'{"queue":"stolen"}' if method == "POST" else b""
    fields = (f"host: {host}", f"content-length: {len(body)}", "connection: close", *lines)
    request = "\r\n".join([f"{method} {path} HTTP/1.1", *fields, "", ""]).encode() + body
    return said(await exchange(client, request))


@pytest.mark.parametrize(("method", "path"), REQUESTS)
async def test_a_request_for_another_host_is_refused(client, method, path):
    for host in ("evil.example", "localhost@evil.example", "user@localhost", "localhost, evil.example"):
        status, rest = await ask(client, method, path, host)
        # A server may refuse by itself what no host can be called.
        assert status == 421 or (status == 400 and host != "evil.example"), (host, status)
        assert method == "HEAD" or status == 400 or b"HOST_NOT_ALLOWED" in rest
    async with connected(client) as wire:
        http = H2(*wire)
        status, rest = await http.answer(http.open(method, path, host="evil.example"))
        assert status == 421


@pytest.mark.parametrize(("method", "path"), REQUESTS)
async def test_a_page_of_another_site_is_refused(client, method, path):
    for line in ("origin: https://evil.example", "origin: null", "sec-fetch-site: cross-site"):
        status, rest = await ask(client, method, path, "localhost", line)
        assert status == 403, line
        assert method == "HEAD" or b"ORIGIN_NOT_ALLOWED" in rest
        assert b"access-control-allow-origin" not in rest
    async with connected(client) as wire:
        http = H2(*wire)
        number = http.open(method, path, lines=[("origin", "https://evil.example")])
        assert (await http.answer(number))[0] == 403


async def test_a_page_of_another_site_has_changed_nothing(client):
    await ask(client, "POST", "/api/v1/enqueue", "localhost", "origin: https://evil.example")
    await ask(client, "POST", "/api/v1/enqueue", "evil.example")
    queues = (await client.get("/api/v1/queues")).json()
    assert "stolen" not in [queue["name"] for queue in queues]


async def test_what_names_two_hosts_or_none_is_refused(server, client):
    for lines in (["host: localhost", "host: evil.example"], ["host: localhost", "host: localhost"], []):
        for path in ("/healthz", "/api/v1/jobs/job_1"):
            request = "\r\n".join([f"GET {path} HTTP/1.1", *lines, "connection: close", "", ""])
            assert said(await exchange(client, request.encode()))[0] in (400, 421), lines
    request = head("GET", "http://evil.example/healthz", "connection: close")
    status = 200 if server.choice.differs("request_line_host") else 421
    assert said(await exchange(client, request))[0] == status


async def test_clients_that_are_no_browsers_are_served_as_ever(client, queue):
    for host in ("localhost", "localhost:8080", f"127.0.0.1:{client.port}", "[::1]:80"):
        status, _ = await ask(client, "POST", "/api/v1/enqueue", host)
        assert status == 201
        assert (await ask(client, "GET", "/api/v1/queues", host))[0] == 200


async def test_the_pages_of_the_node_itself_may_do_everything(client, queue):
    own = f"localhost:{client.port}"
    lines = (f"origin: http://{own}", "sec-fetch-site: same-origin", "sec-fetch-mode: cors")
    assert (await ask(client, "POST", "/api/v1/enqueue", own, *lines))[0] == 201
    assert (await ask(client, "GET", "/api/v1/queues", own, *lines))[0] == 200


async def test_a_link_leads_to_the_pages(client):
    lines = ("sec-fetch-site: cross-site", "sec-fetch-mode: navigate", "sec-fetch-dest: document")
    for path in ("/", "/ui/jobs", "/docs"):
        assert (await ask(client, "GET", path, "localhost", *lines))[0] in (200, 301)
    assert (await ask(client, "GET", "/api/v1/queues", "localhost", *lines))[0] == 403


async def test_no_answer_can_be_framed_or_sniffed_and_no_page_runs_inline_scripts(client, queue):
    for method, path in REQUESTS:
        if path in ("/api/v1/events", "/api/v1/worker/stream"):
            continue
        reply = await client.request(method, path, {"queue": queue} if method == "POST" else None)
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["x-frame-options"] == "DENY"
    for path in ("/ui/", "/docs"):
        page = await client.get(path)
        policy = page.headers["content-security-policy"]
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cross-origin-resource-policy"] == "same-origin"
        assert b"<script>" not in page.body
        assert b"<style" not in page.body
    for path in ("/docs/docs.js", "/docs/docs.css", "/ui/boot.js"):
        assert (await client.get(path)).headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize("name", ["hypercorn", "granian", "edge-workers"])
async def test_names_and_origins_can_be_added(start, name):
    flags = ("--allowed-hosts", "corvo.example.com,*.corvo.test", "--cors-origin", "https://app.example")
    client = start(name, *flags).client
    for host in ("corvo.example.com", "a.corvo.test:99"):
        for method, path in (("POST", "/api/v1/enqueue"), ("GET", "/api/v1/queues")):
            assert (await ask(client, method, path, host))[0] in (200, 201)
            status, rest = await ask(client, method, path, host, "origin: https://app.example")
            assert status in (200, 201)
            assert b"access-control-allow-origin: https://app.example\r\n" in rest
            assert (await ask(client, method, path, host, "origin: https://b.example"))[0] == 403
    assert (await ask(client, "GET", "/healthz", "corvo.example.org"))[0] == 421


async def test_a_refusal_of_a_large_body_reaches_its_client(client):
    body = json.dumps({"queue": "q", "payload": "x" * 100_000}).encode()
    request = head("POST", "/api/v1/enqueue", f"content-length: {len(body)}", "origin: https://evil.example")
    async with connected(client) as (reader, writer), asyncio.timeout(10):
        writer.write(request + body)
        assert b" 403 " in await reader.readline()
