"""Reading server-sent events, from wherever the last connection broke."""

import http.client
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from corvo.cli.exit_codes import ExitCode
from corvo.cli.problems import Problem, Unreachable
from corvo.cli.request import exact_json
from corvo.cli.request.client import Api
from corvo.cli.request.session import Session

_PAUSE_S = 0.5


class StreamedEvent(NamedTuple):
    kind: str = "message"
    #: None if there is nothing to tell, and this is only a sign of life, or the number to begin from.
    data: Any = None
    seq: int | None = None


def connected(api: Api, *, last_event_id: int | None = None, **query: Any) -> Iterator[StreamedEvent]:
    """One connection's events. The first comes once the server listens."""
    with api.stream("/api/v1/events", last_event_id=last_event_id, **query) as response:
        yield from _parse(response)


def follow(session: Session, *, last_event_id: int | None = None, **query: Any) -> Iterator[StreamedEvent]:
    """Events without end. When the server goes away its return is awaited, and nothing is missed; meanwhile
    events without data come, so that the caller can look at something else now and then."""
    was_there, is_away = False, False
    while True:
        try:
            for event in connected(session.api, last_event_id=last_event_id, **query):
                if is_away:
                    session.talk(f"{session.api.address} answers again")
                is_away = False
                last_event_id = last_event_id if event.seq is None else event.seq
                # Not before there is a number to go on from.
                was_there = last_event_id is not None
                yield event
        except Problem as problem:
            if not was_there or problem.exit_code is not ExitCode.UNAVAILABLE:
                raise
            if not is_away:
                session.talk(f"{problem.message}; it is asked again until Ctrl-C")
            is_away = True
            yield StreamedEvent()
        time.sleep(_PAUSE_S)


def _parse(response: http.client.HTTPResponse) -> Iterator[StreamedEvent]:
    event, data = StreamedEvent(), ""
    try:
        for raw in response:
            line = raw.decode(errors="replace").rstrip("\r\n")
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not line:
                yield event._replace(data=exact_json.read(data)) if data else event
                event, data = StreamedEvent(), ""
            elif name == "event":
                event = event._replace(kind=value)
            elif name == "id" and value.isdigit():
                event = event._replace(seq=int(value))
            elif name == "data":
                data += value
    except (http.client.HTTPException, OSError, ValueError) as error:
        raise Unreachable(f"the stream broke: {error}") from None
