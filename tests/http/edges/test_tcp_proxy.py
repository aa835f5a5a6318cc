"""Connections passed on to a server that listens elsewhere."""

import asyncio
import socket
from contextlib import asynccontextmanager, suppress

import pytest

from corvo.http.edges import tcp_proxy
from corvo.http.edges.tcp_proxy import TcpProxy
from tests.support.node import until


class Way:
    """A server, and a way to it: clients come in at one port, a passage takes them to the other."""

    def __init__(self, answer):
        self._answer = answer
        self.passages: TcpProxy
        self.tasks = set()
        #: What was read of each connection before it is passed on.
        self.first = b""

    @asynccontextmanager
    async def open(self, idle_s=10.0):
        inner = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        host, port = inner.sockets[0].getsockname()
        self.passages = TcpProxy(host, port, idle_s)
        outer = await asyncio.get_running_loop().create_server(lambda: _Door(self), "127.0.0.1", 0)
        try:
            yield outer.sockets[0].getsockname()
        finally:
            for server in (outer, inner):
                server.close()
            for task in self.tasks:
                task.cancel()
            await asyncio.gather(*self.tasks, return_exceptions=True)


class _Door(asyncio.Protocol):
    """Reads the first bytes, as a front does, and passes the connection on."""

    def __init__(self, way):
        self._way = way

    def connection_made(self, transport):
        self._transport = transport

    def data_received(self, data):
        passing = self._way.passages.take(self._transport, self._way.first + data, "192.0.2.7")
        self._way.tasks.add(asyncio.ensure_future(passing))


async def shout(reader, writer):
    """Says everything louder, until the client has no more to say; then says how much it was."""
    total = 0
    while data := await reader.read(65_536):
        total += len(data)
        writer.write(data.upper())
        await writer.drain()
    writer.write(b"%d" % total)
    writer.close()


@pytest.mark.parametrize("pieces", [[b"a"], [b"a" * 100_000, b"b" * 1_000_000]])
async def test_bytes_go_both_ways_and_each_side_ends_when_it_wants_to(pieces):
    way = Way(shout)
    async with way.open() as address:
        reader, writer = await asyncio.open_connection(*address)

        async def speak():
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
            writer.write_eof()

        _, heard = await asyncio.gather(speak(), reader.read())
        said = b"".join(pieces)
        assert heard == said.upper() + b"%d" % len(said)
        writer.close()
        await asyncio.gather(*way.tasks)


async def test_the_server_can_find_out_who_is_at_the_other_end():
    found = []

    async def look(reader, writer):
        await reader.read(1)
        here = writer.get_extra_info("peername")
        found.append(way.passages.client_of(here))
        found.append(way.passages.client_of(("127.0.0.2", here[1])))
        writer.close()

    way = Way(look)
    async with way.open() as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"?")
        assert await reader.read() == b""
        writer.close()
        await asyncio.gather(*way.tasks)
        # The same port of another address is somebody else's.
        assert found == [("192.0.2.7", ""), None]


async def test_who_comes_from_a_port_that_is_free_again_is_not_taken_for_its_last_user():
    came_from = []

    async def say_much_and_go(reader, writer):
        await reader.read(1)
        came_from.append(writer.get_extra_info("peername"))
        writer.write(b"x" * 1_000_000)
        writer.close()

    way = Way(say_much_and_go)
    async with way.open() as address:
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        narrow.connect(address)
        narrow.send(b"?")
        # The client has not got all of its answer, but the server is through with it.
        await until(lambda: came_from and way.passages.client_of(came_from[0]) is None, seconds=5)
        (passing,) = way.tasks
        assert not passing.done()
        narrow.close()


async def test_a_client_that_reads_slowly_holds_up_the_server_and_not_the_memory():
    sent = 0

    async def pour(reader, writer):
        nonlocal sent
        for _ in range(400):
            writer.write(b"x" * 65_536)
            await writer.drain()
            sent += 65_536
        writer.close()

    way = Way(pour)
    async with way.open() as address:
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        narrow.connect(address)
        reader, writer = await asyncio.open_connection(sock=narrow, limit=4_096)
        writer.write(b"?")
        before = -1
        while before != sent:
            before = sent
            await asyncio.sleep(0.1)
        assert sent < 20_000_000
        (server,) = way.passages._servers.values()
        assert server.other.transport.get_write_buffer_size() < 1_000_000
        heard = 0
        while data := await reader.read(1_000_000):
            heard += len(data)
        assert heard == 400 * 65_536
        writer.close()


async def test_a_server_that_reads_slowly_holds_up_the_client_from_the_first_byte_on():
    begin = asyncio.Event()

    async def read_late(reader, writer):
        await begin.wait()
        await shout(reader, writer)

    way = Way(read_late)
    # More than a connection that nobody reads takes in.
    way.first = b"x" * 16_000_000
    async with way.open() as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"x" * 16_000_000)
        before = -1
        while before != writer.transport.get_write_buffer_size():
            before = writer.transport.get_write_buffer_size()
            await asyncio.sleep(0.1)
        assert before > 1_000_000
        begin.set()
        writer.write_eof()
        assert (await reader.read()).endswith(b"32000000")
        writer.close()


async def test_a_client_that_is_still_sending_gets_the_last_answer():
    """As one whose request is too large does. To close on it at once would take the answer from it."""

    async def refuse(reader, writer):
        await reader.read(1_000)
        writer.write(b"no")
        writer.close()

    way = Way(refuse)
    async with way.open() as address:
        reader, writer = await asyncio.open_connection(*address)
        for _ in range(200):
            writer.write(b"x" * 10_000)
            await asyncio.sleep(0)
        assert await reader.read() == b"no"
        writer.close()
        await asyncio.gather(*way.tasks)


async def test_a_client_that_never_takes_its_last_answer_is_given_up(monkeypatch):
    async def pour(reader, writer):
        writer.write(b"x" * 1_000_000)
        writer.close()

    monkeypatch.setattr(tcp_proxy, "_LINGER_S", 0.2)
    way = Way(pour)
    async with way.open(idle_s=0.2) as address:
        narrow = socket.socket()
        narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        narrow.connect(address)
        narrow.send(b"?")
        await until(lambda: way.tasks)
        await asyncio.wait_for(asyncio.gather(*way.tasks), 10)
        narrow.close()


async def test_a_client_that_hangs_up_is_gone_for_the_server_too():
    gone = asyncio.Event()

    async def wait(reader, writer):
        try:
            while await reader.read(100):
                """Until it is gone."""
        except ConnectionError:
            """That is a way to go."""
        gone.set()
        writer.close()

    way = Way(wait)
    async with way.open() as address:
        _, writer = await asyncio.open_connection(*address)
        writer.write(b"?")
        await until(lambda: way.passages._servers)
        writer.transport.abort()
        await asyncio.wait_for(gone.wait(), 10)
        await until(lambda: not way.passages._servers)


async def test_without_the_server_a_client_is_hung_up_on():
    way = Way(shout)
    async with way.open() as address:
        way.passages._address = ("127.0.0.1", 1)
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"?")
        with suppress(ConnectionError):
            assert await reader.read() == b""
        writer.close()


async def test_before_it_closes_slow_clients_may_take_what_the_server_has_said():
    answer = b"x" * 20_000_000

    async def say_all_at_once(reader, writer):
        writer.write(answer)
        while await reader.read(100):
            """Until nothing more will come."""
        # What is not written by then is dropped, as Granian does.
        writer.transport.abort()

    way = Way(say_all_at_once)
    async with way.open() as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"?")
        await until(lambda: way.passages._servers)

        closing = asyncio.create_task(way.passages.close(10.0))
        # Longer than it takes to find that nobody says anything.
        await asyncio.wait({closing}, timeout=0.3)
        assert await reader.read() == answer
        await closing
        writer.close()


async def test_when_it_closes_nobody_waits_for_clients_that_do_not_hang_up():
    way = Way(shout)
    async with way.open() as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"a")
        assert await reader.readexactly(1) == b"A"
        await way.passages.close(5.0)
        async with asyncio.timeout(1):
            await asyncio.gather(*way.tasks)
        assert await reader.read() == b"1"
        writer.close()


async def test_a_client_that_takes_nothing_is_not_waited_for_any_longer_than_said():
    async def pour(reader, writer):
        with suppress(ConnectionError):
            while True:
                writer.write(b"x" * 65_536)
                await writer.drain()

    way = Way(pour)
    async with way.open() as address:
        _, writer = await asyncio.open_connection(*address)
        writer.transport.pause_reading()
        writer.write(b"?")
        await until(lambda: way.passages._servers)
        async with asyncio.timeout(5):
            await way.passages.close(0.1)
        writer.transport.abort()
        await until(lambda: not way.passages._servers)


async def test_when_it_closes_what_the_server_still_says_is_passed_on():
    async def murmur(reader, writer):
        for word in (b"one ", b"two ", b"three "):
            writer.write(word)
            await asyncio.sleep(0.02)
        assert await reader.read() == b"?"
        writer.write(b"end")
        writer.close()

    way = Way(murmur)
    async with way.open() as address:
        reader, writer = await asyncio.open_connection(*address)
        writer.write(b"?")
        await until(lambda: way.passages._servers)
        await way.passages.close(5.0)
        assert await reader.read() == b"one two three end"
        writer.close()
        await asyncio.gather(*way.tasks)
