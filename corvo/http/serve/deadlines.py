"""Deadlines for many waits at once, to the second.

A timer per request would cost more than the request's own bookkeeping, and nearly all are answered long
before. So waits are kept in order of their deadline and looked through once a second, while there are any.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any


class Deadlines:
    """All waits of one kind, which share their length."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, seconds: float, expired: Callable[[], Exception]
    ) -> None:
        self._loop = loop
        self._seconds = seconds
        self._expired = expired
        self._waits: deque[tuple[float, asyncio.Future[Any]]] = deque()
        self._handle: asyncio.TimerHandle | None = None

    def watch(self, future: asyncio.Future[Any]) -> asyncio.Future[Any]:
        """If nothing has come of the future when its time is over, it fails."""
        self._waits.append((self._loop.time() + self._seconds, future))
        if self._handle is None:
            self._handle = self._loop.call_later(1.0, self._look)
        return future

    def _look(self) -> None:
        self._handle = None
        now = self._loop.time()
        waits = self._waits
        while waits and (waits[0][1].done() or waits[0][0] <= now):
            _, future = waits.popleft()
            if not future.done():
                future.set_exception(self._expired())
        if waits:
            self._handle = self._loop.call_later(1.0, self._look)

    def close(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None


def fail(future: "asyncio.Future[None]", error: Exception) -> None:
    """Unless it has come to something else already."""
    if not future.done():
        future.set_exception(error)
