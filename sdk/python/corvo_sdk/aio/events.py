"""The event stream: server-sent events, followed through broken connections without gap or repeat."""

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator

import msgspec

from corvo_sdk.aio.connection import AsyncConnection
from corvo_sdk.call import Call, path, read
from corvo_sdk.errors import Unavailable
from corvo_sdk.models.job import Event, EventList

#: The server says something every 15 seconds.
SILENCE_S = 40.0
_PAUSE_S = 0.5


async def follow(
    connection: AsyncConnection, after: int | None, filters: dict[str, str]
) -> AsyncGenerator[Event, None]:
    seen = after
    while True:
        try:
            if seen is None:
                # A number to resume from, should the connection break before the first event.
                newest = await connection.send(read("GET", path("cluster", "events"), EventList, limit=1))
                seen = newest.last_seq
            query = filters | {"last_event_id": str(seen)}
            call = Call("GET", path("events"), type(None), query=query, silence_s=SILENCE_S)
            async with connection.lines(call) as lines:
                async for event in _events(lines):
                    if event.type == "dropped":
                        break  # We were too slow for the server's memory; its log still has what we missed.
                    seen = event.seq or seen
                    yield event
        except Unavailable as error:
            # The server restarts, or the network has a hiccup; unless it is something that does not pass.
            if not error.retryable:
                raise
        await asyncio.sleep(_PAUSE_S * random.uniform(0.5, 1.0))  # noqa: S311 - not a secret


async def _events(lines: AsyncIterator[str]) -> AsyncGenerator[Event, None]:
    async for line in lines:
        if line.startswith("data: "):
            yield msgspec.json.decode(line[6:], type=Event)
