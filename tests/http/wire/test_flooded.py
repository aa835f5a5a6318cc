"""A node whose clients want to keep it busy: floods of frames, streams and connections."""

import asyncio
import http.client
import json
import socket
import time
from contextlib import ExitStack, closing

import h2.connection
import h2.events
import pytest
from h2.errors import ErrorCodes

from chaos.process import Server, free_port
from corvo.http.wire.connection_gate import ConnectionGate
from tests.http.edges.wire import H2, connected
from tests.http.wire.test_frame_watch import (
    CONTINUATION,
    DATA,
    HEADERS,
    PING,
    PREFACE,
    PRIORITY,
    RST,
    SETTINGS,
    UPDATE,
    frame,
)
from tests.support.node import running, until

#: `:method: GET`, `:scheme: http`, `:path: /`, `:authority: localhost`.
GET = b"\x82\x86\x84\x41\x09localhost"


def resets():
    """Requests, each given up at once."""
    number = 1
    while True:
        yield frame(HEADERS, GET, flags=5, stream=number) + frame(RST, b"\x00\x00\x00\x08", stream=number)
        number += 2


FLOODS = {
    "ping": frame(PING, b"12345678", stream=0),
    "settings": frame(SETTINGS, stream=0),
    "window updates": frame(UPDATE, b"\x00\x00\x00\x01", stream=0),
    "empty data": frame(DATA),
    "priorities": frame(PRIORITY, b"\x00\x00\x00\x00\x10", stream=3),
    "continuations": frame(CONTINUATION, b"\x00"),
}


async def last_words(reader):
    """Why the server has closed the connection."""
    known = h2.connection.H2Connection()
    known.initiate_connection()
    code = None
    async with asyncio.timeout(20):
        while data := await reader.read(65_536):
            for event in known.receive_data(data):
                if isinstance(event, h2.events.ConnectionTerminated):
                    code = event.error_code
    return code


@pytest.mark.parametrize("name", [*FLOODS, "rapid resets"])
async def test_a_flood_of_frames_ends_its_connection_and_no_other(client, name):
    async with asyncio.timeout(30), connected(client) as wire, connected(client) as (reader, writer):
        other = H2(*wire)
        writer.write(PREFACE + frame(SETTINGS, stream=0))
        listening = asyncio.ensure_future(last_words(reader))
        if name in ("empty data", "continuations"):
            writer.write(frame(HEADERS, GET, flags=4 if name == "empty data" else 1))
        each = resets() if name == "rapid resets" else iter(lambda: FLOODS[name], None)
        try:
            while not listening.done():
                writer.write(b"".join(next(each) for _ in range(100)))
                await writer.drain()
        except ConnectionError:
            pass
        try:
            code = await listening
        except (ConnectionError, h2.exceptions.ProtocolError):
            code = None
        # A server that is written to after it has closed may break the connection before this was read.
        assert code in (ErrorCodes.ENHANCE_YOUR_CALM, ErrorCodes.PROTOCOL_ERROR, None)
        assert (await other.answer(other.open("GET", "/healthz")))[0] == 200


async def test_a_client_that_is_told_to_calm_down_hears_it(client):
    async with connected(client) as (reader, writer):
        writer.write(PREFACE + frame(SETTINGS, stream=0) + frame(PING, b"12345678", stream=0) * 450)
        assert await last_words(reader) == ErrorCodes.ENHANCE_YOUR_CALM


@pytest.mark.slow
async def test_a_node_stops_in_time_however_many_streams_are_open(tmp_path):
    body = b'{"queues":["q"],"worker_id":"w","timeout":60}'
    async with running(tmp_path / "data", shutdown_timeout=3_000) as node:
        wire = await asyncio.open_connection(node.client.host, node.client.port)
        http = H2(*wire)
        # More than what the client's window lets out at once, so it has to hear the server in between.
        for at in range(0, 1_500, 100):
            for _ in range(100):
                http.open("POST", "/api/v1/fetch", body)
            await until(lambda most=at + 100: node.node._context._fetches_waiting >= most)
            await http.listen_for(0.01)
        assert node.node._context._fetches_waiting == 1_500
        began = time.monotonic()
    assert time.monotonic() - began < 60
    wire[1].close()


# Connections


def test_a_gate_counts_all_and_each_address():
    gate = ConnectionGate(8, 3, lambda: 0.0, lambda address: address == "proxy")
    for _ in range(3):
        gate.enter("a")
    assert (gate.is_full, gate.is_closed_to("a"), gate.is_closed_to("b")) == (False, True, False)
    for _ in range(5):
        assert not gate.is_closed_to("proxy")
        gate.enter("proxy")
    assert gate.is_full
    gate.leave("a")
    assert (gate.is_full, gate.is_closed_to("a")) == (False, False)


def test_one_address_never_has_all_connections():
    gate = ConnectionGate(100, 0, lambda: 0.0)
    while not gate.is_closed_to("a"):
        gate.enter("a")
    assert gate.count == 75


async def test_an_address_has_so_many_connections_and_not_more(tmp_path):
    async with running(tmp_path / "data", max_connections=20, max_connections_per_address=5) as node:
        here = (node.client.host, node.client.port)
        with ExitStack() as held:
            for _ in range(5):
                held.enter_context(socket.create_connection(here))
            refused = await until(lambda: _refusal(here))
            assert refused.startswith(b"HTTP/1.1 503 ")
            assert b"OVERLOADED" in refused
            other = await asyncio.open_connection(*here, local_addr=("127.0.0.9", 0))
            other[1].write(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert b" 200 " in await other[0].readline()
            other[1].close()
        await until(lambda: node.node._server._acceptor._gate.count == 0)
        assert (await node.client.get("/healthz")).status == 200


async def _refusal(address):
    reader, writer = await asyncio.open_connection(*address)
    try:
        async with asyncio.timeout(0.2):
            return await reader.read()
    except (TimeoutError, ConnectionError):
        return b""
    finally:
        writer.close()


async def test_when_all_are_taken_one_that_is_idle_gives_way(tmp_path, monkeypatch):
    monkeypatch.setattr("corvo.http.wire.fast_http1._IDLE_S_LEAST", 0.2)
    async with running(tmp_path / "data", max_connections=8) as node:
        here = (node.client.host, node.client.port)
        with ExitStack() as held:
            for address in ("127.0.0.2", "127.0.0.3"):
                for _ in range(4):
                    held.enter_context(socket.create_connection(here, source_address=(address, 0)))
            await until(lambda: node.node._server._acceptor._gate.count == 8)

            async def is_served():
                try:
                    return (await node.client.get("/healthz")).status == 200
                except ConnectionError:
                    return False

            await until(is_served)
            assert node.node._server._acceptor._gate.count <= 8


@pytest.mark.slow
@pytest.mark.parametrize("edge", [(), ("--edge", "granian"), ("--loop", "asyncio")], ids=str)
def test_idle_sockets_leave_storage_its_descriptors(tmp_path, edge):
    """More of them than the process may have descriptors, while the journal begins new files."""
    flags = (*edge, "--durable", "off", "--snapshot-threshold", "100", "--snapshot-bytes", "1048576")
    limited = ("prlimit", "--nofile=512:512")
    server = Server(tmp_path / "data", free_port(), "--raft-bind", "127.0.0.1:0", *flags, before=limited)
    server.start()
    try:
        here = ("127.0.0.1", server.port)
        with ExitStack() as held:
            early = held.enter_context(closing(http.client.HTTPConnection(*here, timeout=20)))
            assert _enqueue(early) == 201
            for number in range(700):
                idle = held.enter_context(socket.socket())
                idle.bind((f"127.0.0.{2 + number % 4}", 0))
                idle.connect(here)
            # Enough for several files of the journal.
            assert {_enqueue(early) for _ in range(150)} == {201}
            late = held.enter_context(closing(http.client.HTTPConnection(*here, timeout=20)))
            assert _enqueue(late) in (201, 503, None)
        with closing(http.client.HTTPConnection(*here, timeout=20)) as after:
            assert _enqueue(after) == 201
        log = (tmp_path / "data.log").read_text()
        assert "Traceback" not in log
        assert log.count("http.not_accepted") <= 5
    finally:
        server.close()


def _enqueue(connection):
    """The status; None if the connection was refused before it was read."""
    try:
        connection.request("POST", "/api/v1/enqueue", json.dumps({"queue": "q", "payload": "x" * 100_000}))
        response = connection.getresponse()
        response.read()
    except (ConnectionError, http.client.HTTPException):
        return None
    return response.status
