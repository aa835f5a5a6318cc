"""A queue's document: its settings and its counters. One record, written once per entry that touched it."""

import copy
from typing import Final

import msgspec

from corvo.core.namespace import Qualified
from corvo.core.priority import Priority
from corvo.core.states import JobState


class Queue(msgspec.Struct, array_like=True, gc=False):
    name: Qualified
    created_ns: int
    #: Jobs in each state, indexed by JobState. Kept, never counted.
    counts: list[int] = msgspec.field(default_factory=lambda: [0] * len(JobState))
    enqueued_total: int = 0
    completed_total: int = 0
    #: Failed attempts, whether or not the job was tried again.
    failed_total: int = 0
    paused: bool = False
    max_concurrency: int | None = None
    rate_limit: int | None = None
    rate_window_ms: int | None = None
    #: Pending jobs that wait for other jobs to complete.
    parked: int = 0
    #: Per priority, an order below which nothing is pending: where a search for the first job may start.
    floors: list[int] = msgspec.field(default_factory=lambda: [0] * len(Priority))
    #: Of the payloads of all its jobs.
    payload_bytes: int = 0

    def copy(self) -> "Queue":
        twin = copy.copy(self)
        twin.counts = self.counts.copy()
        twin.floors = self.floors.copy()
        return twin

    @property
    def pending(self) -> int:
        return self.counts[JobState.PENDING]

    @property
    def active(self) -> int:
        return self.counts[JobState.ACTIVE]


_decoder: Final = msgspec.msgpack.Decoder(Queue)
encode_queue = msgspec.msgpack.Encoder().encode


def decode_queue(stored: bytes) -> Queue:
    queue: Queue = _decoder.decode(stored)
    # A queue written when there were fewer priorities has fewer floors.
    queue.floors += [0] * (len(Priority) - len(queue.floors))
    return queue
