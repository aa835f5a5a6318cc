"""A lifecycle event as clients see it (docs/reference/events.md)."""

from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from corvo.actors.events.messages import NumberedEvent
from corvo.core.namespace import name_of
from corvo.core.times import format_time_ns


class EventBody(msgspec.Struct, omit_defaults=True):
    seq: int
    type: str
    at_ns: int
    job_id: str | UnsetType = UNSET
    queue: str | UnsetType = UNSET
    data: Any = UNSET


def event_bodies(events: list[NumberedEvent]) -> list[EventBody]:
    return [event_body(numbered) for numbered in events]


def event_body(numbered: NumberedEvent) -> EventBody:
    event = numbered.event
    return EventBody(
        seq=numbered.seq,
        type=event.type.label,
        at_ns=numbered.at_ns,
        job_id=event.job_id or UNSET,
        queue=name_of(event.queue) if event.queue else UNSET,
        data=_data(event.data),
    )


def _data(data: dict[str, Any] | bytes | None) -> Any:
    """Facts as they are, times among them as text; a client's own JSON untouched."""
    if data is None:
        return UNSET
    if isinstance(data, bytes):
        return Raw(data)
    return {
        name.removesuffix("_ns") + "_at" if name.endswith("_ns") else name: (
            format_time_ns(value) if name.endswith("_ns") else value
        )
        for name, value in data.items()
        if value is not None
    }
