"""Many calls share few connections: each gets its own answer, and nobody waits for ever."""

import asyncio
import contextlib
import gc
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import Again, Call
from corvo_sdk.errors import AnswerLost, Unreachable
from corvo_sdk.retrying import NO_RETRIES
from corvo_sdk.settings import settings
from corvo_sdk.sync.connection import Connection
from tests.sdk.scripted import Scripted, answer, asked, echo


def options(**given):
    return {"retry": NO_RETRIES, "timeout": 20.0, **given}


@contextlib.contextmanager
def connection(url, **given):
    connection = Connection(settings(url, options(**given)))
    yield connection
    connection.close()


@contextlib.asynccontextmanager
async def async_connection(url, **given):
    connection = AsyncConnection(settings(url, options(**given)))
    yield connection
    await connection.aclose()


def call(target="/"):
    return Call("GET", target, bytes, again=Again.NEVER)


class Held:
    """Answers when it is told to; `came` counts requests."""

    def __init__(self):
        self.came = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)

    def __call__(self, connection):
        while came := asked(connection):
            self.came.release()
            assert self.go_on.acquire(timeout=20)
            connection.sendall(answer(came[0].encode()))

    async def has_come(self):
        assert await asyncio.to_thread(self.came.acquire, timeout=20)


# Threads


def test_threads_never_get_each_others_answers():
    def ask(part):
        return [client.send(call(f"/{part}/{n}")) for n in range(150)]

    with Scripted(echo) as server, connection(server.url, connections=4) as client:
        with ThreadPoolExecutor(12) as threads:
            for part, heard in enumerate(threads.map(ask, range(12))):
                assert heard == [f"/{part}/{n}".encode() for n in range(150)]
        assert server.connections <= 4


def test_threads_wait_for_a_connection_and_no_longer_than_they_may():
    held = Held()
    with Scripted(held) as server, connection(server.url, connections=1, timeout=0.2) as client:
        with ThreadPoolExecutor(1) as thread:
            # The server holds it longer than anybody may wait for a connection.
            first = thread.submit(client.send, Call("GET", "/1", bytes, wait_s=20))
            assert held.came.acquire(timeout=20)
            with pytest.raises(Unreachable, match="all 1 connections are in use"):
                client.send(call("/2"))
            held.go_on.release(2)
            assert first.result(20) == b"/1"
        assert client.send(call("/3")) == b"/3"
        assert server.connections == 1


def test_a_call_that_failed_gives_its_place_to_the_next():
    with Scripted(asked) as server, connection(server.url, connections=1) as client:
        for _ in range(3):
            with pytest.raises(AnswerLost):
                client.send(call())


def test_a_closed_client_closes_its_connections_and_can_be_used_again():
    ended = threading.Semaphore(0)

    def serve(connection):
        echo(connection)
        ended.release()

    with Scripted(serve) as server, connection(server.url) as client:
        for _ in range(2):
            client.send(call())
            client.close()
            assert ended.acquire(timeout=20)


def test_an_answer_that_comes_after_the_closing_is_heard_and_the_connection_closed():
    held, ended = Held(), threading.Event()

    def serve(connection):
        held(connection)
        ended.set()

    with Scripted(serve) as server, connection(server.url) as client, ThreadPoolExecutor(1) as thread:
        answered = thread.submit(client.send, call("/1"))
        assert held.came.acquire(timeout=20)
        client.close()
        held.go_on.release()
        assert answered.result(20) == b"/1"
        assert ended.wait(20)


# Tasks


async def test_tasks_never_get_each_others_answers_even_if_some_are_cancelled():
    chance = random.Random(7)

    async def ask(client, part):
        for n in range(60):
            # Cancelled before, in the middle of, or after anything was sent.
            patience_s = chance.choice([0.0, 0.0005, 0.001, 20.0, 20.0])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    assert await client.send(call(f"/{part}/{n}")) == f"/{part}/{n}".encode()

    with Scripted(echo) as server:
        async with async_connection(server.url, connections=4) as client:
            await asyncio.gather(*(ask(client, part) for part in range(16)))
            # Nobody took a place along.
            heard = await asyncio.gather(*(client.send(call(f"/{n}")) for n in range(40)))
            assert heard == [f"/{n}".encode() for n in range(40)]


async def test_at_most_so_many_connections_are_open():
    with Scripted(echo) as server:
        async with async_connection(server.url, connections=3) as client:
            await asyncio.gather(*(client.send(call()) for _ in range(50)))
            assert server.connections <= 3


async def test_tasks_wait_for_a_connection_and_no_longer_than_they_may():
    held = Held()
    with Scripted(held) as server:
        async with async_connection(server.url, connections=1, timeout=0.2) as client:
            first = asyncio.create_task(client.send(Call("GET", "/1", bytes, wait_s=20)))
            await held.has_come()
            with pytest.raises(Unreachable, match="all 1 connections are in use"):
                await client.send(call("/2"))
            held.go_on.release(2)
            assert await first == b"/1"
            assert await client.send(call("/3")) == b"/3"
            assert server.connections == 1


async def test_the_answer_to_a_cancelled_call_reaches_nobody():
    held = Held()
    with Scripted(held) as server:
        async with async_connection(server.url, connections=1) as client:
            first = asyncio.create_task(client.send(call("/1")))
            await held.has_come()
            second = asyncio.create_task(client.send(call("/2")))
            first.cancel()
            held.go_on.release(2)
            assert await second == b"/2"
            with pytest.raises(asyncio.CancelledError):
                await first
            assert server.connections == 2


async def test_who_is_cancelled_while_waiting_leaves_the_row():
    held = Held()
    with Scripted(held) as server:
        async with async_connection(server.url, connections=1) as client:
            first, second, third = (asyncio.create_task(client.send(call(f"/{n}"))) for n in (1, 2, 3))
            await held.has_come()
            second.cancel()
            held.go_on.release(2)
            assert [await first, await third] == [b"/1", b"/3"]
            with pytest.raises(asyncio.CancelledError):
                await second


async def test_who_is_cancelled_when_it_is_its_turn_passes_it_on():
    held = Held()
    with Scripted(held) as server:
        async with async_connection(server.url, connections=1) as client:

            async def leave_and_cancel_the_next():
                heard = await client.send(call("/1"))
                # The second one has been told, and has not woken up yet.
                second.cancel()
                return heard

            first = asyncio.create_task(leave_and_cancel_the_next())
            second, third = (asyncio.create_task(client.send(call(f"/{n}"))) for n in (2, 3))
            await held.has_come()
            held.go_on.release(2)
            assert [await first, await third] == [b"/1", b"/3"]
            with pytest.raises(asyncio.CancelledError):
                await second


# Loops and processes


@pytest.mark.filterwarnings("ignore:unclosed")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_client_may_serve_one_loop_after_the_other():
    with Scripted(echo) as server:
        client = AsyncConnection(settings(server.url, options()))
        for n in range(3):
            assert asyncio.run(client.send(call(f"/{n}"))) == f"/{n}".encode()
        asyncio.run(client.aclose())
        gc.collect()  # Nobody but Python can close what belonged to a closed loop, and it says so.


def test_one_client_may_serve_several_loops_at_once():
    async def ask(part):
        barrier.wait(20)
        heard = [await client.send(call(f"/{part}/{n}")) for n in range(50)]
        assert heard == [f"/{part}/{n}".encode() for n in range(50)]
        barrier.wait(20)
        if part == 0:
            await client.aclose()
        barrier.wait(20)
        # What another loop closed is closed in its own.
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    barrier = threading.Barrier(3)
    with Scripted(echo) as server, ThreadPoolExecutor(3) as threads:
        client = AsyncConnection(settings(server.url, options()))
        list(threads.map(lambda part: asyncio.run(ask(part)), range(3)))


def test_the_client_is_loaded_without_what_few_calls_need():
    program = "import sys, corvo_sdk; corvo_sdk.Client('http://h'); sys.exit('httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


# Proxies


def test_a_proxy_is_asked_for_everything():
    with Scripted(echo) as proxy, connection("http://corvo.invalid", proxy=proxy.url) as client:
        assert client.send(call("/1")) == b"http://corvo.invalid/1"


async def test_a_proxy_is_asked_for_everything_by_tasks():
    with Scripted(echo) as proxy:
        async with async_connection("http://corvo.invalid", proxy=proxy.url) as client:
            assert await client.send(call("/1")) == b"http://corvo.invalid/1"
