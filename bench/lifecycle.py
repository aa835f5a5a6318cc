"""Jobs through their whole life over the stream: enqueued, fetched, acked, each acknowledged; fsync on.

Producers and workers run in one process beside the server. The floor is what the state machine and LevelDB
reach alone, in one process, in entries of 256 ops with fsync.
"""

import asyncio
import json
import tempfile
import time
from pathlib import Path

import msgspec

from bench.fsm import Bench
from bench.servers import corvo

SECONDS = 8.0
PRODUCERS, WORKERS = 4, 8
#: Jobs in one line.
LINE_JOBS = 50
#: Jobs that may be waiting before producers pause, so that workers set the pace.
AHEAD_MAX = 4_000
_PAYLOAD = {"to": "someone@example.com", "text": "x" * 64}


class Fetched(msgspec.Struct):
    job_id: str
    lease_token: str


class Answer(msgspec.Struct):
    """What this needs of an answer line."""

    request_id: int | None = None
    enqueued_job_ids: list[str] = []
    acked: int = 0
    jobs: list[Fetched] = []


_decode = msgspec.json.Decoder(Answer).decode
_encode = msgspec.json.Encoder().encode


class Counts:
    def __init__(self) -> None:
        self.enqueued = 0
        self.acked = 0


class Stream:
    """One worker stream over a chunked HTTP/1.1 request; one line under way at a time."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __aenter__(self) -> "Stream":
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 24)
        self._writer.write(b"POST /api/v1/stream HTTP/1.1\r\nhost: b\r\ntransfer-encoding: chunked\r\n\r\n")
        self._number = 0
        self._pending = b""
        self._is_begun = False
        return self

    async def __aexit__(self, *_: object) -> None:
        self._writer.close()

    async def ask(self, line: dict[str, object]) -> Answer:
        self._number += 1
        text = _encode({"request_id": self._number, **line}) + b"\n"
        self._writer.write(b"%x\r\n%s\r\n" % (len(text), text))
        if not self._is_begun:
            await self._reader.readuntil(b"\r\n\r\n")
            self._is_begun = True
        while True:
            while b"\n" not in self._pending:
                size = int(await self._reader.readline(), 16)
                self._pending += await self._reader.readexactly(size)
                await self._reader.readexactly(2)
            first, _, self._pending = self._pending.partition(b"\n")
            answer = _decode(first)
            if answer.request_id == self._number:
                return answer


async def _produce(port: int, counts: Counts, end: float) -> None:
    jobs = [{"queue": "q", "payload": _PAYLOAD}] * LINE_JOBS
    async with Stream(port) as stream:
        while time.perf_counter() < end:
            if counts.enqueued - counts.acked > AHEAD_MAX:
                await asyncio.sleep(0.002)
                continue
            answer = await stream.ask({"enqueues": jobs})
            counts.enqueued += len(answer.enqueued_job_ids)


async def _work(port: int, number: int, counts: Counts, end: float) -> None:
    acks: list[Fetched] = []
    async with Stream(port) as stream:
        while time.perf_counter() < end + 2 or acks:
            answer = await stream.ask(
                {
                    "queues": ["q"],
                    "worker_id": f"w{number}",
                    "acks": acks,
                    "fetch_count": LINE_JOBS,
                    "wait_ms": 200,
                }
            )
            counts.acked += answer.acked
            acks = answer.jobs


async def _run(port: int) -> tuple[float, Counts]:
    counts = Counts()
    began = time.perf_counter()
    end = began + SECONDS
    await asyncio.gather(
        *(_produce(port, counts, end) for _ in range(PRODUCERS)),
        *(_work(port, number, counts, end) for number in range(WORKERS)),
        _note_at(end, counts, noted := []),
    )
    assert counts.acked == counts.enqueued, f"{counts.enqueued} enqueued, {counts.acked} acked"
    return noted[0] / SECONDS, counts


async def _note_at(end: float, counts: Counts, noted: list[int]) -> None:
    await asyncio.sleep(end - time.perf_counter())
    noted.append(counts.acked)


def floor(seconds: float = 4.0) -> float:
    """Lifecycles per second of the state machine and LevelDB alone, with fsync."""
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), sync=True)
        for _ in range(5):
            bench.cycle()
        cycles, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            bench.cycle()
            cycles += 1
        return cycles * 256 / (time.perf_counter() - began)


def main() -> None:
    alone = floor()
    with corvo() as server:
        rate, counts = asyncio.run(_run(server.port))
        _, queues = server.get("/api/v1/queues")
        assert queues[0]["completed"] == counts.enqueued, json.dumps(queues)
    print(f"whole lives over the stream, {PRODUCERS} producers, {WORKERS} workers, {LINE_JOBS} jobs a line:")
    print(f"  state machine and LevelDB alone  {alone:8.0f} jobs/s")
    print(
        f"  over the stream                  {rate:8.0f} jobs/s   ratio {rate / alone:.2f}   target >= 0.35"
    )


if __name__ == "__main__":
    main()
