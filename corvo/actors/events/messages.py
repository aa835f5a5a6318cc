"""Messages about the event log, its listeners, and throughput."""

from collections.abc import Callable
from typing import Any

import msgspec

from corvo.actors.channel import Channel
from corvo.actors.kernel.messages import Message
from corvo.actors.state.questions import QueuesListed
from corvo.core.events import Event, EventRecord
from corvo.core.namespace import Qualified, Reach, covers

# Reading the log


class NumberedEvent(Message, frozen=True):
    seq: int
    at_ns: int
    event: Event


def numbered(record: EventRecord) -> list[NumberedEvent]:
    """The events of one entry."""
    return [
        NumberedEvent(seq, record.at_ns, event) for seq, event in enumerate(record.events, record.first_seq)
    ]


class ReadEvents(Message, frozen=True):
    """edge, hub, webhooks -> fsm: events after this number, oldest first. Answer: EventsFound."""

    after_seq: int
    limit: int
    #: Comes back with the answer, for askers that have several questions open.
    tag: Any = None
    #: Events beyond it are left out; they count towards the limit all the same.
    reach: Reach | None = None


class EventsFound(Message, frozen=True):
    events: list[NumberedEvent]
    #: Numbers of the oldest and the latest event there is.
    first_seq: int
    last_seq: int
    tag: Any = None
    #: The last event that was looked at, be it in reach or not: where to read on.
    read_seq: int = 0


class FindHistory(Message, frozen=True):
    """edge -> fsm: what happened to a job. Answer: HistoryFound, or NotFound."""

    job_id: str
    reach: Reach | None = None


class HistoryFound(Message, frozen=True):
    events: list[NumberedEvent]
    complete: bool


# Listening


class Filter(msgspec.Struct, frozen=True):
    """What a listener wants to hear; None means anything. All that are given must fit."""

    queues: frozenset[Qualified] | None = None
    job_ids: frozenset[str] | None = None
    types: frozenset[str] | None = None
    #: Not what the listener wants, but what it may hear.
    reach: Reach | None = None

    def fits(self, numbered: NumberedEvent) -> bool:
        event = numbered.event
        return (
            (self.queues is None or event.queue in self.queues)
            and (self.job_ids is None or event.job_id in self.job_ids)
            and (self.types is None or event.type.label in self.types)
            and covers(self.reach, event.place)
        )


class Listen(Message, frozen=True):
    """edge -> hub: send this channel what happens from now on, or from after a number. Answer: Listening."""

    channel: Channel
    filter: Filter
    #: The last event the listener has; None for only what is new.
    after_seq: int | None
    #: Whether it wants events, and whether it wants to hear of changed queue counters.
    events: bool = True
    counters: bool = False


class Listening(Message, frozen=True):
    accepted: bool


class StopListening(Message, frozen=True):
    """edge -> hub: the reader of this channel is gone."""

    channel: Channel


class CloseHub(Message, frozen=True):
    """shutdown -> hub: end all streams."""


class Wording(msgspec.Struct, frozen=True):
    """How events and notices are written to a stream; given by the edge, which knows the format."""

    event: Callable[[NumberedEvent], bytes]
    #: The last event there was when the stream began.
    position: Callable[[int], bytes]
    gap: Callable[[int, int], bytes]
    counters: Callable[[QueuesListed], bytes]
    keep_alive: bytes
    dropped: bytes


# Throughput


class Minute(msgspec.Struct):
    start_ns: int
    enqueued: int = 0
    completed: int = 0
    failed: int = 0

    def add(self, tally: list[int]) -> None:
        self.enqueued += tally[0]
        self.completed += tally[1]
        self.failed += tally[2]


class Rates(msgspec.Struct, frozen=True):
    """Jobs enqueued, completed and failed within the last minute, and within the last hour."""

    minute: tuple[float, float, float]
    hour: tuple[int, int, int]


class GetThroughput(Message, frozen=True):
    """edge -> throughput: the last hour. Answer: ThroughputFound."""

    reach: Reach | None = None


class ThroughputFound(Message, frozen=True):
    """Sixty minutes, oldest first, also minutes in which nothing happened."""

    minutes: list[Minute]


class GetRates(Message, frozen=True):
    """edge -> throughput: the last minute and the last hour of these queues, or of all. Answer: RatesFound,
    with those of them that did anything."""

    reach: Reach | None = None
    queues: tuple[Qualified, ...] | None = None


class RatesFound(Message, frozen=True):
    by_queue: dict[Qualified, Rates]


class GetQueueMinutes(Message, frozen=True):
    """edge -> throughput: the last hour of the first queues that did anything, or of these. Answer:
    QueueMinutesFound."""

    reach: Reach | None = None
    queues: tuple[Qualified, ...] | None = None
    #: Of which moment; now, if it is 0.
    now_ns: int = 0


class QueueMinutesFound(Message, frozen=True):
    start_ns: int
    by_queue: dict[Qualified, list[Minute]]
    now_ns: int
    #: The queues that are not here, so that nobody waits for all at once.
    rest: tuple[Qualified, ...] = ()
