"""Throughput: how many jobs were enqueued, completed and failed, minute by minute. Counted when applied."""

from collections import deque

import msgspec

from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.actors.messages import EntryLanded, GetStatus, Status, Subscribe, Topic
from corvo.core.clock import NS_PER_S, Clock

MINUTES_KEPT = 60
_MINUTE_NS = 60 * NS_PER_S


class GetThroughput(Message, frozen=True):
    """edge -> throughput: the last hour. Answer: ThroughputFound."""


class Minute(msgspec.Struct):
    start_ns: int
    enqueued: int = 0
    completed: int = 0
    failed: int = 0


class ThroughputFound(Message, frozen=True):
    """Sixty minutes, oldest first, also those in which nothing happened."""

    minutes: list[Minute]


class Throughput(Actor):
    def __init__(self, fsm: ActorAddress, clock: Clock) -> None:
        self._fsm = fsm
        self._clock = clock
        self._minutes: deque[Minute] = deque(maxlen=MINUTES_KEPT)
        self._total = Minute(0)

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED,)))

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        enqueued, completed, failed = msg.applied.tally
        if not (enqueued or completed or failed):
            return
        for count in (self._current(), self._total):
            count.enqueued += enqueued
            count.completed += completed
            count.failed += failed

    def _current(self) -> Minute:
        start_ns = self._clock.now_ns() // _MINUTE_NS * _MINUTE_NS
        if not self._minutes or self._minutes[-1].start_ns < start_ns:
            self._minutes.append(Minute(start_ns))
        return self._minutes[-1]

    def receiveMsg_GetThroughput(self, msg: GetThroughput, sender: ActorAddress) -> None:
        now_start_ns = self._clock.now_ns() // _MINUTE_NS * _MINUTE_NS
        known = {minute.start_ns: minute for minute in self._minutes}
        starts = [now_start_ns - back * _MINUTE_NS for back in range(MINUTES_KEPT - 1, -1, -1)]
        self.send(sender, ThroughputFound([known.get(start) or Minute(start) for start in starts]))

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        total = self._total
        figures = {"enqueued": total.enqueued, "completed": total.completed, "failed": total.failed}
        self.send(sender, Status(figures))
