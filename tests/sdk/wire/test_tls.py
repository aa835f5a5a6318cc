"""Over TLS, as behind a proxy that ends it: calls and streams alike."""

import asyncio
import contextlib
import ssl
import threading

import pytest
import trustme

from corvo_sdk import AsyncClient, Client, Worker
from corvo_sdk.errors import Unreachable
from corvo_sdk.retrying import NO_RETRIES


class TlsProxy:
    """Takes TLS, passes on plain text."""

    def __init__(self, port, certificate):
        self._target = port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(self._context)
        self._context.set_alpn_protocols(["http/1.1"])
        self.connections = 0
        self.spoken = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._server = self._call(asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._context))
        self.url = f"https://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    def __exit__(self, *_):
        self._call(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(20)

    async def _close(self):
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader, writer):
        self.connections += 1
        self.spoken.add(writer.get_extra_info("ssl_object").selected_alpn_protocol())
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self._target)
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await asyncio.gather(self._pump(reader, inner_writer), self._pump(inner_reader, writer))

    async def _pump(self, reader, writer):
        try:
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def proxy(server, authority):
    with TlsProxy(int(server.url.rpartition(":")[2]), authority.issue_cert("127.0.0.1")) as proxy:
        yield proxy


@pytest.fixture
def trusting(authority):
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


@pytest.mark.parametrize("transport", ["stream", "long-poll"])
def test_calls_and_workers_speak_tls(proxy, trusting, queue, transport):
    worker = Worker(proxy.url, verify=trusting, transport=transport)

    @worker.task(queue)
    def handle(job):
        return job.payload

    with Client(proxy.url, verify=trusting) as client, worker.running():
        assert client.result(client.enqueue(queue, 7).job_id, timeout="20s") == 7


@pytest.mark.parametrize("size", [1, 200_000])
async def test_calls_of_all_sizes_share_a_connection(proxy, trusting, queue, size):
    payload = "x" * size
    with Client(proxy.url, verify=trusting) as client:
        made = [client.enqueue(queue, payload).job_id for _ in range(3)]
        assert [client.get(job_id).payload for job_id in made] == [payload] * 3
    assert proxy.connections == 1
    async with AsyncClient(proxy.url, verify=trusting) as client:
        made = [(await client.enqueue(queue, payload)).job_id for _ in range(3)]
        assert [(await client.get(job_id)).payload for job_id in made] == [payload] * 3
    assert proxy.connections == 2


async def test_a_server_that_cannot_be_trusted_is_not_spoken_to_by_asyncio(proxy, queue):
    async with AsyncClient(proxy.url, retry=NO_RETRIES) as client:
        with pytest.raises(Unreachable, match=r"(?i)certificate"):
            await client.enqueue(queue)
    async with AsyncClient(proxy.url, retry=NO_RETRIES, verify=False) as client:
        assert (await client.enqueue(queue)).job_id


def test_a_context_in_use_for_http2_still_speaks_http1_with_calls(proxy, trusting, queue):
    with Client(proxy.url, verify=trusting, retry=NO_RETRIES) as client:
        trusting.set_alpn_protocols(["h2"])
        assert client.enqueue(queue).job_id
    assert proxy.spoken == {"http/1.1"}


def test_a_server_that_cannot_be_trusted_is_not_spoken_to(proxy, queue):
    with Client(proxy.url, retry=NO_RETRIES) as client, pytest.raises(Unreachable, match=r"(?i)certificate"):
        client.enqueue(queue)
    with Client(proxy.url, retry=NO_RETRIES, verify=False) as client:
        assert client.enqueue(queue).job_id
