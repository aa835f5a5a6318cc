"""Server-sent events: how events and counters are written on a stream (docs/reference/events.md)."""

from collections.abc import Callable
from typing import Any

import msgspec

from corvo.actors.channel import Channel
from corvo.actors.events.messages import NumberedEvent, Wording
from corvo.actors.state.questions import QueuesListed
from corvo.core.errors import CorvoError
from corvo.core.splice import on_one_line
from corvo.http.api.schema.events import EventBody, event_body
from corvo.http.api.schema.queues import queue_body
from corvo.http.wire.message import Headers

_encode = msgspec.json.Encoder().encode

#: Some clients read lines of at most 64 KiB.
_DATA_BYTES_MAX = 60 * 1024
#: So many fit into such a line, even if their names are as long as names can be.
_QUEUES_PER_EVENT = 40

#: No proxy on the way may cache or buffer the stream.
STREAM_HEADERS: Headers = [(b"cache-control", b"no-cache"), (b"x-accel-buffering", b"no")]
KEEP_ALIVE = b":keepalive\n\n"


def frame(kind: str, body: Any, event_id: int | None = None) -> bytes:
    """One event, whole: some clients lose events that arrive in pieces."""
    identity = b"" if event_id is None else b"id: %d\n" % event_id
    return b"%sevent: %s\ndata: %s\n\n" % (identity, kind.encode(), on_one_line(_encode(body)))


def event_frame(numbered: NumberedEvent) -> bytes:
    body = event_body(numbered)
    words = frame(body.type, body, body.seq)
    if len(words) <= _DATA_BYTES_MAX:
        return words
    cut = EventBody(body.seq, body.type, body.at_ns, body.job_id, body.queue, {"truncated": True})
    return frame(body.type, cut, body.seq)


def _position(seq: int) -> bytes:
    """No event, only its number: what a browser sends as Last-Event-ID when it has to connect again."""
    return b"id: %d\n\n" % seq


def _gap(first: int, last: int) -> bytes:
    return frame("gap", {"type": "gap", "data": {"from": first, "to": last}})


def _counters(listed: QueuesListed) -> bytes:
    """In several events if there are many, so that no line gets too long."""
    bodies = [queue_body(info) for info in listed.queues]
    parts = [bodies[start : start + _QUEUES_PER_EVENT] for start in range(0, len(bodies), _QUEUES_PER_EVENT)]
    return b"".join(frame("counters", {"type": "counters", "queues": part}) for part in parts)


def revoke(channel: Channel, error: CorvoError) -> None:
    """The reader may not go on. What it has not read yet is not for it any more."""
    while channel.take() is not None:
        """It is dropped."""
    channel.close(frame("error", {"type": "error", "error": error.message, "code": error.code}))


def wording(opened: Callable[[NumberedEvent], NumberedEvent]) -> Wording:
    """`opened` gives an event as clients may see it: what is sealed in it is opened."""
    return Wording(
        event=lambda numbered: event_frame(opened(numbered)),
        position=_position,
        gap=_gap,
        counters=_counters,
        keep_alive=KEEP_ALIVE,
        dropped=frame(
            "dropped", {"type": "dropped", "data": {"reason": "the reader was too slow; resume by id"}}
        ),
    )
