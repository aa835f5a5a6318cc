"""HTTP/2 with as little work as it takes: many requests share a connection, heads are canned.

We forbid the server a table of headers it sent before, so the status of an answer can be read without any
memory. Flow control is kept both ways: bodies wait for the server's window, and ours opens as we read.
"""

import asyncio
import struct
from collections.abc import Callable
from typing import cast

from corvo.cli.bench.http2_heads import CannedHead, status_of
from corvo.cli.bench.link import BenchAddress, Hear
from corvo.cli.problems import Unreachable

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RST_STREAM, _SETTINGS, _PING, _GOAWAY, _WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
_END_STREAM = _ACK = 0x1
_END_HEADERS = 0x4
_HEADER_TABLE_SIZE, _ENABLE_PUSH, _INITIAL_WINDOW_SIZE, _MAX_FRAME_SIZE = 1, 2, 4, 5
#: What the server may send before we say that we have read it.
_WINDOW_BYTES = 1 << 24
_WINDOW_BYTES_DEFAULT = 65_535


class _Exchange:
    """One request and its answer."""

    def __init__(self, window: int, done: Callable[[int, bytes], None], broken: Callable[[str], None]):
        self.window = window
        self.unsent = bytearray()
        self.ends = False
        self.status = 0
        self.body = b""
        self.unconfirmed = 0
        self.hear: Hear | None = None
        self.done = done
        self.broken = broken


class Http2(asyncio.Protocol):
    pipelines = True

    def __init__(self, address: BenchAddress) -> None:
        self._head = CannedHead(address)
        self._exchanges: dict[int, _Exchange] = {}
        self._next_id = 1
        self._pending = b""
        self._window = _WINDOW_BYTES_DEFAULT
        self._window_each = _WINDOW_BYTES_DEFAULT
        self._frame_bytes_max = 16_384
        self._unconfirmed = 0
        self._is_closed = False

    # Asking

    async def ask(self, path: bytes, body: bytes) -> tuple[int, bytes]:
        if self._is_closed:
            raise Unreachable("the server closed the connection")
        answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()

        def done(status: int, text: bytes) -> None:
            if not answer.done():
                answer.set_result((status, text))

        def broken(reason: str) -> None:
            if not answer.done():
                answer.set_exception(Unreachable(reason))

        number, exchange = self._begin(path, done, broken)
        exchange.unsent += body
        exchange.ends = True
        self._send_body(number, exchange)
        return await answer

    def open(self, path: bytes, hear: Hear, broken: Callable[[str], None]) -> Callable[[bytes], None]:
        def done(status: int, text: bytes) -> None:
            broken(f"the server ended the stream with {status} {text.decode(errors='replace')[:200]}")

        number, exchange = self._begin(path, done, broken)
        exchange.hear = hear

        def say(data: bytes) -> None:
            exchange.unsent += data
            self._send_body(number, exchange)

        return say

    def _begin(
        self, path: bytes, done: Callable[[int, bytes], None], broken: Callable[[str], None]
    ) -> tuple[int, _Exchange]:
        number, self._next_id = self._next_id, self._next_id + 2
        exchange = self._exchanges[number] = _Exchange(self._window_each, done, broken)
        self._transport.write(_frame(_HEADERS, _END_HEADERS, number, self._head.of(path)))
        return number, exchange

    def _send_body(self, number: int, exchange: _Exchange) -> None:
        """As much as the server's windows let through."""
        frames = []
        while exchange.unsent:
            room = min(len(exchange.unsent), self._frame_bytes_max, self._window, exchange.window)
            if room <= 0:
                break
            piece = bytes(exchange.unsent[:room])
            del exchange.unsent[:room]
            self._window -= room
            exchange.window -= room
            is_last = exchange.ends and not exchange.unsent
            frames.append(_frame(_DATA, _END_STREAM if is_last else 0, number, piece))
        if frames:
            self._transport.write(b"".join(frames))

    def close(self) -> None:
        self._is_closed = True
        self._transport.close()

    # Hearing

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast, because uvloop has transports of its own.
        self._transport = cast("asyncio.Transport", transport)
        settings = {_HEADER_TABLE_SIZE: 0, _ENABLE_PUSH: 0, _INITIAL_WINDOW_SIZE: _WINDOW_BYTES}
        text = b"".join(struct.pack("!HI", name, value) for name, value in settings.items())
        opened = _frame(_WINDOW_UPDATE, 0, 0, struct.pack("!I", _WINDOW_BYTES - _WINDOW_BYTES_DEFAULT))
        self._transport.write(_PREFACE + _frame(_SETTINGS, 0, 0, text) + opened)

    def data_received(self, data: bytes) -> None:
        data = self._pending + data if self._pending else data
        at = 0
        while len(data) - at >= 9:
            end = at + 9 + int.from_bytes(data[at : at + 3], "big")
            if end > len(data):
                break
            number = int.from_bytes(data[at + 5 : at + 9], "big") & 0x7FFF_FFFF
            self._take(data[at + 3], data[at + 4], number, data[at + 9 : end])
            at = end
        self._pending = data[at:]

    def _take(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        if kind == _DATA:
            self._take_data(flags, number, payload)
        elif kind == _HEADERS:
            self._take_head(flags, number, payload)
        elif kind == _WINDOW_UPDATE:
            self._widen(number, int.from_bytes(payload, "big"))
        elif kind == _SETTINGS and not flags & _ACK:
            self._take_settings(payload)
        elif kind == _PING and not flags & _ACK:
            self._transport.write(_frame(_PING, _ACK, 0, payload))
        elif kind == _RST_STREAM:
            exchange = self._exchanges.pop(number, None)
            if exchange is not None:
                exchange.broken("the server reset the request")
        elif kind == _GOAWAY:
            self._break("the server wants no more on this connection")

    def _take_head(self, flags: int, number: int, block: bytes) -> None:
        exchange = self._exchanges.get(number)
        if exchange is None:
            return
        if not exchange.status:
            exchange.status = status_of(block)
        if flags & _END_STREAM:
            self._finish(number, exchange)

    def _take_data(self, flags: int, number: int, piece: bytes) -> None:
        self._unconfirmed += len(piece)
        if self._unconfirmed > _WINDOW_BYTES // 2:
            self._confirm(0, self._unconfirmed)
            self._unconfirmed = 0
        exchange = self._exchanges.get(number)
        if exchange is None:
            return
        if exchange.hear is not None and exchange.status == 200:
            exchange.hear(piece)
            exchange.unconfirmed += len(piece)
            if exchange.unconfirmed > _WINDOW_BYTES // 2:
                self._confirm(number, exchange.unconfirmed)
                exchange.unconfirmed = 0
        else:
            exchange.body = exchange.body + piece if exchange.body else piece
        if flags & _END_STREAM:
            self._finish(number, exchange)

    def _finish(self, number: int, exchange: _Exchange) -> None:
        self._exchanges.pop(number, None)
        exchange.done(exchange.status, exchange.body)

    def _confirm(self, number: int, count: int) -> None:
        self._transport.write(_frame(_WINDOW_UPDATE, 0, number, struct.pack("!I", count)))

    # Flow control

    def _take_settings(self, payload: bytes) -> None:
        for name, value in struct.iter_unpack("!HI", payload):
            if name == _INITIAL_WINDOW_SIZE:
                change, self._window_each = value - self._window_each, value
                for exchange in self._exchanges.values():
                    exchange.window += change
            elif name == _MAX_FRAME_SIZE:
                self._frame_bytes_max = value
        self._transport.write(_frame(_SETTINGS, _ACK, 0, b""))
        self._send_waiting()

    def _widen(self, number: int, count: int) -> None:
        if number:
            exchange = self._exchanges.get(number)
            if exchange is not None:
                exchange.window += count
                self._send_body(number, exchange)
            return
        self._window += count
        self._send_waiting()

    def _send_waiting(self) -> None:
        for number, exchange in self._exchanges.items():
            if exchange.unsent:
                self._send_body(number, exchange)

    # Ending

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._is_closed:
            self._break(str(exc or "the server closed the connection"))

    def _break(self, reason: str) -> None:
        self._is_closed = True
        exchanges, self._exchanges = self._exchanges, {}
        for exchange in exchanges.values():
            exchange.broken(reason)


def _frame(kind: int, flags: int, number: int, payload: bytes) -> bytes:
    return struct.pack("!IBI", len(payload) << 8 | kind, flags, number) + payload
