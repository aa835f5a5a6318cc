# Made from corvo_sdk/aio/events.py by make_sync.py: change that file, then run `make sdk`.
"""The event stream: server-sent events, followed through broken connections without gap or repeat."""

import random
import time
from collections.abc import Generator, Iterator

import msgspec

from corvo_sdk.call import Call, path, read
from corvo_sdk.errors import Unavailable
from corvo_sdk.models.job import Event, EventList
from corvo_sdk.sync.connection import Connection

#: The server says something every 15 seconds.
SILENCE_S = 40.0
_PAUSE_S = 0.5


def follow(
    connection: Connection, after: int | None, filters: dict[str, str]
) -> Generator[Event, None, None]:
    seen = after
    while True:
        try:
            if seen is None:
                # A number to resume from, should the connection break before the first event.
                newest = connection.send(read("GET", path("cluster", "events"), EventList, limit=1))
                seen = newest.last_seq
            query = filters | {"last_event_id": str(seen)}
            call = Call("GET", path("events"), type(None), query=query, silence_s=SILENCE_S)
            with connection.lines(call) as lines:
                for event in _events(lines):
                    if event.type == "dropped":
                        break  # We were too slow for the server's memory; its log still has what we missed.
                    seen = event.seq or seen
                    yield event
        except Unavailable as error:
            # The server restarts, or the network has a hiccup; unless it is something that does not pass.
            if not error.retryable:
                raise
        time.sleep(_PAUSE_S * random.uniform(0.5, 1.0))  # noqa: S311 - not a secret


def _events(lines: Iterator[str]) -> Generator[Event, None, None]:
    for line in lines:
        if line.startswith("data: "):
            yield msgspec.json.decode(line[6:], type=Event)
