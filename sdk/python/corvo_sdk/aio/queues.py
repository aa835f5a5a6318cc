"""Queues."""

from dataclasses import replace

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import path, read, write
from corvo_sdk.durations import Duration, as_seconds, as_text
from corvo_sdk.models.base import Status
from corvo_sdk.models.server import Cleared, Drained, Queue


class AsyncQueues:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def all(self) -> list[Queue]:
        return await self._connection.send(read("GET", path("queues"), list[Queue]))

    async def get(self, name: str) -> Queue:
        return await self._connection.send(read("GET", path("queues", name), Queue))

    async def pause(self, name: str) -> None:
        """Hand out no more of its jobs."""
        await self._connection.send(write("POST", path("queues", name, "pause"), Status))

    async def resume(self, name: str) -> None:
        await self._connection.send(write("POST", path("queues", name, "resume"), Status))

    async def drain(self, name: str, wait: Duration | None = None) -> Drained:
        """Pause it, and wait this long for active jobs to finish."""
        text = None if wait is None else as_text(wait)
        call = write("POST", path("queues", name, "drain"), Drained, wait=text)
        return await self._connection.send(replace(call, wait_s=as_seconds(wait or 0)))

    async def limit(self, name: str, concurrency: int | None) -> None:
        """At most this many of its jobs active at once, over all workers; None for no limit."""
        call = write("POST", path("queues", name, "concurrency"), Status, {"max": concurrency})
        await self._connection.send(call)

    async def throttle(self, name: str, rate: int, period: Duration) -> None:
        """At most this many of its jobs handed out within any such period."""
        body = {"rate": rate, "period": as_text(period)}
        await self._connection.send(write("POST", path("queues", name, "throttle"), Status, body))

    async def unthrottle(self, name: str) -> None:
        await self._connection.send(write("DELETE", path("queues", name, "throttle"), Status))

    async def clear(self, name: str) -> int:
        """Remove its pending and scheduled jobs: how many."""
        return (await self._connection.send(write("POST", path("queues", name, "clear"), Cleared))).deleted

    async def destroy(self, name: str) -> int:
        """Remove it with all its jobs, active ones included: how many."""
        call = write("DELETE", path("queues", name), Cleared, confirm=True)
        return (await self._connection.send(call)).deleted
