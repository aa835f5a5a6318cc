"""A server under a path, behind a key, or at an IPv6 address: calls, events and workers alike."""

import pytest

from corvo.testing import LocalServer
from corvo_sdk import AsyncClient, Client, Worker
from corvo_sdk.errors import CorvoError
from corvo_sdk.retrying import NO_RETRIES
from tests.support.gatehouse import Gatehouse

pytestmark = pytest.mark.slow

KEY = "sk_17"
WAYS = {
    "http2": {"transport": "stream", "http2": True},
    "http1": {"transport": "stream", "http2": False},
    "long-poll": {"transport": "long-poll"},
}


@pytest.fixture(scope="module", params=["prefix", "ipv6", "both"])
def gate(request):
    """(url, options of a client, what it has seen)"""
    if request.param == "ipv6":
        with LocalServer(bind="[::1]:0") as server:
            yield server.url, {}, None
        return
    host = "127.0.0.1" if request.param == "prefix" else "::1"
    with LocalServer() as server, Gatehouse(server.url[7:], prefix="/a/corvo", key=KEY, host=host) as gate:
        yield gate.url, {"api_key": KEY}, gate.seen


def test_calls_reach_it(gate, queue):
    url, options, _ = gate
    for address in (url, f"{url}/"):
        with Client(address, **options) as client:
            job_id = client.enqueue(queue, {"n": 1}).job_id
            assert client.get(job_id).payload == {"n": 1}
            assert client.queues.get(queue).pending
            assert client.server.health().status == "ok"
            assert next(client.events(after=0, job_ids=[job_id])).type == "enqueued"


async def test_calls_reach_it_from_asyncio(gate, queue):
    url, options, _ = gate
    async with AsyncClient(url, **options) as client:
        job_id = (await client.enqueue(queue, {"n": 1})).job_id
        assert (await client.get(job_id)).payload == {"n": 1}
        assert (await anext(client.events(after=0, job_ids=[job_id]))).type == "enqueued"


@pytest.mark.parametrize("way", WAYS)
def test_workers_reach_it(gate, queue, way):
    url, options, seen = gate
    worker = Worker(url, **options, **WAYS[way])
    worker.task(queue)(lambda job: job.payload)
    with Client(url, **options) as client, worker.running():
        assert client.result(client.enqueue(queue, 7).job_id, timeout="20s") == 7
    if seen is not None:
        path, version = "fetch/batch" if way == "long-poll" else "stream", "2" if way == "http2" else "1.1"
        assert (version, f"/a/corvo/api/v1/{path}") in seen


def test_the_key_may_come_from_the_environment(gate, queue, monkeypatch):
    url, _, _ = gate
    monkeypatch.setenv("CORVO_URL", url)
    monkeypatch.setenv("CORVO_API_KEY", KEY)
    with Client() as client:
        assert client.enqueue(queue).job_id


def test_without_the_key_there_is_no_way_in(server, queue):
    with (
        Gatehouse(server.url[7:], key=KEY) as gate,
        Client(gate.url, retry=NO_RETRIES) as client,
        pytest.raises(CorvoError, match="who are you"),
    ):
        client.enqueue(queue)
