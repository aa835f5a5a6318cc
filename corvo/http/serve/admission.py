"""Admission: how much this edge has handed on and not got back, and which requests wait until there is room.

    request, line of a stream -> [admission gate] -> decode -> batcher

What there is no room for is not even decoded. A request waits its turn for a moment and is then refused: a
client that is refused at once may come back at once, and a server that is busy refusing does nothing else. A
stream is not read any further until there is room.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any, Final

from corvo.core.errors import Overloaded
from corvo.http.serve.counters import EdgeCounters

#: How long a request waits for room.
PATIENCE_S: Final = 0.5
#: How long a refused client is asked to stay away, at least and at most.
_AWAY_MS: Final = (200, 1_000)
#: A request may bring many jobs in one op, so more jobs are let in by requests than ops may be pending. Lines
#: of streams have an op for each job, and wait for ops only: producers with large batches do not hold up the
#: heartbeats and acks of workers.
_JOBS_PER_OP: Final = 4
#: Bytes that most jobs take at least in a line of a stream.
_BYTES_PER_JOB: Final = 128


class AdmissionGate:
    """One way in, open while there is room behind it."""

    def __init__(self, has_room: Callable[[], bool]) -> None:
        self._has_room = has_room
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def is_open(self) -> bool:
        return self._has_room() and not self._waiting

    async def wait(self, turn: asyncio.Future[None]) -> None:
        self._waiting.append(turn)
        try:
            await turn
        finally:
            # When this one has entered, or has turned out to bring nothing, there may be room for another.
            asyncio.get_running_loop().call_soon(self.call_next)

    def call_next(self) -> None:
        while self._waiting and self._has_room():
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return


class Admission:
    def __init__(self, ops_max: int, bytes_max: int, counters: EdgeCounters, random: Random) -> None:
        #: Under way.
        self.jobs = 0
        self.ops = 0
        self.bytes = 0
        self._counters = counters
        self._random = random
        self._for_requests = AdmissionGate(
            lambda: self.jobs < _JOBS_PER_OP * ops_max and self.bytes < bytes_max
        )
        self._for_lines = AdmissionGate(lambda: self.ops < ops_max and self.bytes < bytes_max)

    @property
    def is_open(self) -> bool:
        """Whether a request need not wait."""
        return self._for_requests.is_open

    def enter(self, jobs: int, ops: int, size_bytes: int = 0) -> None:
        self.jobs += jobs
        self.ops += ops
        self.bytes += size_bytes

    def leave(self, jobs: int, ops: int, size_bytes: int = 0) -> None:
        self.jobs -= jobs
        self.ops -= ops
        self.bytes -= size_bytes
        self._call_next()

    def _call_next(self) -> None:
        self._for_requests.call_next()
        self._for_lines.call_next()

    def expect(self, line: bytes) -> int:
        """A line that was let in and not yet decoded takes as much room as it looks like."""
        jobs = 1 + len(line) // _BYTES_PER_JOB
        self.enter(jobs, jobs)
        return jobs

    def forget(self, jobs: int) -> None:
        """The line is decoded. What it turned out to bring has to `enter` before anything is awaited."""
        self.jobs -= jobs
        self.ops -= jobs
        # It may have brought nothing, and then no `leave` would call the next waiter.
        asyncio.get_running_loop().call_soon(self._call_next)

    async def admit_request(self, gone: Callable[[], Awaitable[Any]] | None = None) -> None:
        """Returns when there is room. What the request brings has to `enter` before anything is awaited. A
        client that goes away meanwhile gives up its place, and keeps no other waiting."""
        if self._for_requests.is_open:
            return
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        late = loop.call_later(PATIENCE_S, self._refuse, turn)
        watch = None if gone is None else asyncio.ensure_future(gone())
        if watch is not None:
            watch.add_done_callback(lambda _: turn.cancel())
        try:
            await self._for_requests.wait(turn)
        except asyncio.CancelledError:
            if watch is None or not watch.done():
                raise
            raise Overloaded("the client did not wait for room") from None
        finally:
            late.cancel()
            if watch is not None:
                watch.cancel()

    async def admit_line(self) -> None:
        """Returns when there is room for a line, which is never refused: what is under way ends some time."""
        if not self._for_lines.is_open:
            await self._for_lines.wait(asyncio.get_running_loop().create_future())

    def _refuse(self, turn: asyncio.Future[None]) -> None:
        if not turn.done():
            self._counters.overloads += 1
            away_ms = self._random.randint(*_AWAY_MS)
            turn.set_exception(Overloaded("more jobs come in than can be taken", retry_after_ms=away_ms))
