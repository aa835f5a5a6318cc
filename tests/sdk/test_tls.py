"""Over TLS, as behind a proxy that ends it: calls and streams alike."""

import asyncio
import contextlib
import ssl
import threading

import pytest
import trustme

from corvo_client import Client, Worker
from corvo_client.errors import Unreachable
from corvo_client.retrying import NO_RETRIES


class TlsProxy:
    """Takes TLS, passes on plain text."""

    def __init__(self, port, certificate):
        self._target = port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(self._context)
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


def test_a_server_that_cannot_be_trusted_is_not_spoken_to(proxy, queue):
    with Client(proxy.url, retry=NO_RETRIES) as client, pytest.raises(Unreachable, match=r"(?i)certificate"):
        client.enqueue(queue)
    with Client(proxy.url, retry=NO_RETRIES, verify=False) as client:
        assert client.enqueue(queue).job_id
