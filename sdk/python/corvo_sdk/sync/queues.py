# Made from corvo_sdk/aio/queues.py by make_sync.py: change that file, then run `make sdk`.
"""Queues."""

from dataclasses import replace

from corvo_sdk.call import path, read, write
from corvo_sdk.durations import Duration, as_seconds, as_text
from corvo_sdk.models.base import Status
from corvo_sdk.models.server import Cleared, Drained, Queue
from corvo_sdk.sync.connection import Connection


class Queues:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> list[Queue]:
        return self._connection.send(read("GET", path("queues"), list[Queue]))

    def get(self, name: str) -> Queue:
        return self._connection.send(read("GET", path("queues", name), Queue))

    def pause(self, name: str) -> None:
        """Hand out no more of its jobs."""
        self._connection.send(write("POST", path("queues", name, "pause"), Status))

    def resume(self, name: str) -> None:
        self._connection.send(write("POST", path("queues", name, "resume"), Status))

    def drain(self, name: str, wait: Duration | None = None) -> Drained:
        """Pause it, and wait this long for active jobs to finish."""
        text = None if wait is None else as_text(wait)
        call = write("POST", path("queues", name, "drain"), Drained, wait=text)
        return self._connection.send(replace(call, wait_s=as_seconds(wait or 0)))

    def limit(self, name: str, concurrency: int | None) -> None:
        """At most this many of its jobs active at once, over all workers; None for no limit."""
        call = write("POST", path("queues", name, "concurrency"), Status, {"max": concurrency})
        self._connection.send(call)

    def throttle(self, name: str, rate: int, period: Duration) -> None:
        """At most this many of its jobs handed out within any such period."""
        body = {"rate": rate, "period": as_text(period)}
        self._connection.send(write("POST", path("queues", name, "throttle"), Status, body))

    def unthrottle(self, name: str) -> None:
        self._connection.send(write("DELETE", path("queues", name, "throttle"), Status))

    def clear(self, name: str) -> int:
        """Remove its pending and scheduled jobs: how many."""
        return (self._connection.send(write("POST", path("queues", name, "clear"), Cleared))).deleted

    def destroy(self, name: str) -> int:
        """Remove it with all its jobs, active ones included: how many."""
        call = write("DELETE", path("queues", name), Cleared, confirm=True)
        return (self._connection.send(call)).deleted
