# Made from corvo_sdk/aio/schedules.py by make_sync.py: change that file, then run `make sdk`.
"""Schedules: jobs that come again and again."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict, Unpack

from corvo_sdk.call import Call, path, read, write
from corvo_sdk.durations import Duration, as_text, as_time
from corvo_sdk.models.base import Status
from corvo_sdk.models.job import Enqueued
from corvo_sdk.models.server import Preview, Schedule
from corvo_sdk.options import Priority
from corvo_sdk.sync.connection import Connection

_PAGE = 1_000


class Timing(TypedDict, total=False):
    """When it fires."""

    timezone: str
    #: When the clocks jump over a run: run right after, or not at all.
    dst_gap: Literal["shift", "skip"]
    #: When the clocks show a time twice.
    dst_overlap: Literal["first", "last", "both"]


class ScheduleOptions(Timing, total=False):
    """What its jobs are like, and what happens when something stands in their way."""

    enabled: bool
    #: After a time without a server: one run, none, or all that were missed.
    misfire: Literal["once", "skip", "all"]
    #: Whether a run may start while the one before has not ended.
    overlap: Literal["allow", "skip"]
    payload: Any
    priority: Priority
    tags: Mapping[str, str]
    unique_key: str
    unique_period: int
    unique_until: Literal["success", "start", "ttl"]
    max_retries: int
    retry_backoff: Literal["none", "fixed", "linear", "exponential"]
    retry_base_delay: Duration
    retry_max_delay: Duration
    retry_jitter: float
    expire_after: Duration


class ScheduleChanges(ScheduleOptions, total=False):
    name: str
    queue: str
    cron: str
    #: Change it only if it still has this version.
    version: int


class Schedules:
    """Wherever an id is asked for, the name will do."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def all(self) -> list[Schedule]:
        """By name."""
        found: list[Schedule] = []
        while True:
            after = found[-1].name if found else None
            call = read("GET", path("schedules"), list[Schedule], limit=_PAGE, after=after)
            page = self._connection.send(call)
            found += page
            if len(page) < _PAGE:
                return found

    def get(self, schedule_id: str) -> Schedule:
        return self._connection.send(read("GET", path("schedules", schedule_id), Schedule))

    def create(self, name: str, queue: str, cron: str, **options: Unpack[ScheduleOptions]) -> Schedule:
        """`cron` has 5 or 6 fields, or is a name such as @daily. Conflict if the name is taken."""
        body = _body(options) | {"name": name, "queue": queue, "cron": cron}
        return self._connection.send(write("POST", path("schedules"), Schedule, body))

    def update(self, schedule_id: str, **changes: Unpack[ScheduleChanges]) -> Schedule:
        """What is given replaces what was."""
        call = write("PUT", path("schedules", schedule_id), Schedule, _body(changes))
        return self._connection.send(call)

    def enable(self, schedule_id: str) -> Schedule:
        return self._connection.send(write("POST", path("schedules", schedule_id, "enable"), Schedule))

    def disable(self, schedule_id: str) -> Schedule:
        """Keep it from firing; it can still be run by hand."""
        return self._connection.send(write("POST", path("schedules", schedule_id, "disable"), Schedule))

    def delete(self, schedule_id: str) -> None:
        """Jobs it has made stay."""
        self._connection.send(write("DELETE", path("schedules", schedule_id), Status))

    def run(self, schedule_id: str) -> Enqueued:
        """Once, now, besides its times."""
        return self._connection.send(write("POST", path("schedules", schedule_id, "run"), Enqueued))

    def next_runs(self, schedule_id: str, *, n: int = 20, after: datetime | str | None = None) -> Preview:
        """When it fires next."""
        since = None if after is None else as_time(after)
        call = read("GET", path("schedules", schedule_id, "preview"), Preview, n=n, after=since)
        return self._connection.send(call)

    def preview(
        self, cron: str, *, n: int = 20, after: datetime | str | None = None, **timing: Unpack[Timing]
    ) -> Preview:
        """The next times of an expression, before it is anybody's schedule."""
        body: dict[str, Any] = {"cron": cron, "n": n, **timing}
        if after is not None:
            body["after"] = as_time(after)
        return self._connection.send(Call("POST", path("schedules", "preview"), Preview, body))


def _body(given: ScheduleOptions) -> dict[str, Any]:
    body: dict[str, Any] = dict(given)
    for name in ("retry_base_delay", "retry_max_delay", "expire_after"):
        if name in body:
            body[name] = as_text(body[name])
    return body
