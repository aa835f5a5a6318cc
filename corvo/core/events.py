"""Events: what the state machine announces about jobs and queues.

One record per log entry holds all events of that entry, with the ids of jobs that changed without
an event (a heartbeat that only moved the lease, say). Mirror, live streams, history and webhooks all
read this one numbered log.
"""

import enum
from typing import Any, Final

import msgspec

from corvo.core.namespace import DEFAULT, Qualified, qualified


class EventType(enum.IntEnum):
    """Stored as the number, shown as the lower-case name. Numbers are never reused."""

    ENQUEUED = 1
    PROMOTED = 2
    STARTED = 3
    PROGRESS = 4
    COMPLETED = 5
    FAILED = 6
    DEAD = 7
    RECLAIMED = 8
    RELEASED = 9
    EXPIRED = 10
    HELD = 11
    RETRIED = 12
    REQUEUED = 13
    CANCELLED = 14
    APPROVED = 15
    REJECTED = 16
    MOVED = 17
    PRIORITY_CHANGED = 18
    DELETED = 19
    RELEASED_BY_DEPENDENCY = 20
    BATCH_COMPLETED = 21
    SCHEDULE_FIRED = 22
    QUEUE_PAUSED = 23
    QUEUE_RESUMED = 24
    QUEUE_CLEARED = 25
    QUEUE_DELETED = 26
    QUEUE_LIMITED = 27

    @property
    def label(self) -> str:
        return LABELS[self]


#: Names as clients know them; those about queues, batches and schedules are dotted.
LABELS: Final[dict[EventType, str]] = {kind: kind.name.lower() for kind in EventType} | {
    EventType.RELEASED_BY_DEPENDENCY: "unblocked",
    EventType.BATCH_COMPLETED: "batch.completed",
    EventType.SCHEDULE_FIRED: "schedule.fired",
    EventType.QUEUE_PAUSED: "queue.paused",
    EventType.QUEUE_RESUMED: "queue.resumed",
    EventType.QUEUE_CLEARED: "queue.cleared",
    EventType.QUEUE_DELETED: "queue.deleted",
    EventType.QUEUE_LIMITED: "queue.limited",
}
BY_LABEL: Final[dict[str, EventType]] = {label: kind for kind, label in LABELS.items()}


_NOWHERE: Final = qualified(DEFAULT, "")


class Event(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """One thing that happened, with what is worth knowing about it: facts, or the client's own JSON."""

    type: EventType
    job_id: str | None
    #: Where it is about no queue and the namespace is not `default`: that namespace with an empty name.
    queue: Qualified | None
    data: dict[str, Any] | bytes | None = None

    @property
    def place(self) -> Qualified:
        """Its queue, or at least its namespace: what decides who hears of it."""
        return _NOWHERE if self.queue is None else self.queue


def about_no_queue(namespace: str) -> Qualified | None:
    """What stands for the queue in an event that is about none."""
    return None if namespace == DEFAULT else qualified(namespace, "")


class EventRecord(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """All events of one log entry. The n-th has the sequence number `first_seq + n`."""

    first_seq: int
    at_ns: int
    events: list[Event]
    #: Jobs that changed, or vanished, in this entry and have no event in it.
    touched: list[str]


_decoder: Final = msgspec.msgpack.Decoder(EventRecord)
encode_record = msgspec.msgpack.Encoder().encode
decode_record = _decoder.decode
