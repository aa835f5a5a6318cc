"""Bytes on a socket: what a well-behaved client would never send, and whether the server hangs up."""

import asyncio
from contextlib import asynccontextmanager

import h2.connection
import h2.events

from tests.support.client import hang_up


@asynccontextmanager
async def connected(client, protocol="http/1.1", **options):
    reader, writer = await client.open(protocol, **options)
    try:
        yield reader, writer
    finally:
        await hang_up(writer)


async def exchange(client, *writes):
    """Everything that comes back until the server hangs up."""
    async with connected(client) as (reader, writer):
        for data in writes:
            writer.write(data)
            await writer.drain()
        async with asyncio.timeout(10):
            return await _rest(reader)


async def _rest(reader):
    answer = bytearray()
    try:
        while data := await reader.read(65_536):
            answer += data
    except ConnectionError:
        """Whatever it had to say came before."""
    return bytes(answer)


async def hangs_up_within(client, seconds, *writes):
    async with connected(client) as (reader, writer):
        for data in writes:
            writer.write(data)
        try:
            async with asyncio.timeout(seconds):
                while await reader.read(65_536):
                    pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True


def head(method, path, *lines):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "host: localhost", *lines, "", ""]).encode()


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


class H2:
    """One HTTP/2 connection; requests are opened, ended and reset by hand."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer
        self._h2 = h2.connection.H2Connection()
        self._h2.initiate_connection()
        self._flush()

    def open(self, method, path, body=b"", *, end=True, host="localhost", lines=()):
        number = self._h2.get_next_available_stream_id()
        lines = [
            *((":method", method), (":path", path), (":scheme", "http"), (":authority", host)),
            *lines,
        ]
        self._h2.send_headers(number, lines, end_stream=end and not body)
        if body:
            self._h2.send_data(number, body, end_stream=end)
        self._flush()
        return number

    def reset(self, number):
        self._h2.reset_stream(number)
        self._flush()

    def _flush(self):
        self._writer.write(self._h2.data_to_send())

    async def listen_for(self, seconds):
        """Take note of what the server says, and say what it has to hear."""
        try:
            async with asyncio.timeout(seconds):
                while True:
                    self._h2.receive_data(await self._reader.read(65_536))
        except TimeoutError:
            self._flush()

    async def is_reset(self, number):
        """Whether the server gives up this request, while nothing of its answer is taken note of."""
        async with asyncio.timeout(10):
            while True:
                data = await self._reader.read(65_536)
                assert data, "the server has closed the connection"
                for event in self._h2.receive_data(data):
                    if isinstance(event, h2.events.StreamReset) and event.stream_id == number:
                        # What came of it has used up the window of all streams.
                        self._h2.increment_flow_control_window(65_535)
                        return True
                    if isinstance(event, h2.events.StreamEnded) and event.stream_id == number:
                        return False
                self._flush()

    async def answer(self, number):
        """Status and body."""
        status, body = 0, bytearray()
        async with asyncio.timeout(10):
            while True:
                data = await self._reader.read(65_536)
                assert data, "the server has closed the connection"
                for event in self._h2.receive_data(data):
                    if getattr(event, "stream_id", None) != number:
                        continue
                    if isinstance(event, h2.events.ResponseReceived):
                        status = int(dict(event.headers)[b":status"])
                    elif isinstance(event, h2.events.DataReceived):
                        self._h2.acknowledge_received_data(event.flow_controlled_length, number)
                        body += event.data
                    elif isinstance(event, h2.events.StreamEnded):
                        return status, bytes(body)
                self._flush()
