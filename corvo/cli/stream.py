"""Reading server-sent events, from wherever the last connection broke."""

import http.client
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from corvo.cli import written
from corvo.cli.client import Api
from corvo.cli.problems import Unreachable

#: How long a broken stream is tried again before it is given up.
_PATIENCE_S = 30.0
_PAUSE_S = 0.5


class Event(NamedTuple):
    kind: str
    data: Any
    seq: int | None


def connected(api: Api, *, last_event_id: int | None = None, **query: Any) -> Iterator[Event | None]:
    """One connection's events. A None comes first, once the server listens, and with each keep-alive."""
    with api.stream("/api/v1/events", last_event_id=last_event_id, **query) as response:
        yield from _parse(response)


def follow(api: Api, *, last_event_id: int | None = None, **query: Any) -> Iterator[Event | None]:
    """Events without end. When the server goes away, its return is awaited, and nothing is missed."""
    if last_event_id is None:
        # A number to resume from, should the connection break before the first event.
        last_event_id = api.get("/api/v1/cluster/events", limit=1).get("last_seq")
    broken_at: float | None = None
    was_connected = False
    while True:
        try:
            for event in connected(api, last_event_id=last_event_id, **query):
                broken_at, was_connected = None, True
                if event is not None and event.seq is not None:
                    last_event_id = event.seq
                yield event
        except Unreachable:
            now = time.monotonic()
            broken_at = now if broken_at is None else broken_at
            if not was_connected or now - broken_at > _PATIENCE_S:
                raise
        time.sleep(_PAUSE_S)


def _parse(response: http.client.HTTPResponse) -> Iterator[Event | None]:
    kind, seq, data = "message", None, ""
    try:
        for raw in response:
            line = raw.decode(errors="replace").rstrip("\r\n")
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if line.startswith(":"):
                yield None
            elif name == "event":
                kind = value
            elif name == "id" and value.isdigit():
                seq = int(value)
            elif name == "data":
                data += value
            elif not line and data:
                yield Event(kind, written.read(data), seq)
                kind, seq, data = "message", None, ""
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise Unreachable(f"the stream broke: {error}") from None
