"""Throughput: how many jobs were enqueued, completed and failed, minute by minute. Counted when landed."""

from collections import deque
from collections.abc import Iterator
from typing import TypeVar

from corvo.actors.events.messages import (
    GetQueueMinutes,
    GetRates,
    GetThroughput,
    Minute,
    QueueMinutesFound,
    Rates,
    RatesFound,
    ThroughputFound,
)
from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.state.messages import EntryLanded, Subscribe, Topic
from corvo.actors.status import GetStatus, ThroughputStatus
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.limits import QUEUES_AT_ONCE
from corvo.core.namespace import ANYWHERE, Qualified, Reach, covers, namespace_in, namespace_of

MINUTES_KEPT = 60
_MINUTE_NS = 60 * NS_PER_S


class _Hour:
    """The last sixty minutes of something."""

    __slots__ = ("_minutes",)

    def __init__(self) -> None:
        self._minutes: deque[Minute] = deque(maxlen=MINUTES_KEPT)

    def add(self, start_ns: int, tally: list[int]) -> None:
        if not self._minutes or self._minutes[-1].start_ns < start_ns:
            self._minutes.append(Minute(start_ns))
        self._minutes[-1].add(tally)

    @classmethod
    def sum(cls, hours: list["_Hour"]) -> "_Hour":
        total = cls()
        every = sorted((minute for hour in hours for minute in hour._minutes), key=lambda m: m.start_ns)
        for minute in every:
            total.add(minute.start_ns, [minute.enqueued, minute.completed, minute.failed])
        return total

    def minutes(self, start_ns: int) -> list[Minute]:
        known = {minute.start_ns: minute for minute in self._minutes}
        starts = [start_ns - back * _MINUTE_NS for back in range(MINUTES_KEPT - 1, -1, -1)]
        return [known.get(start) or Minute(start) for start in starts]

    def rates(self, now_ns: int) -> Rates:
        *rest, before, current = self.minutes(now_ns // _MINUTE_NS * _MINUTE_NS)
        # Of the minute before, as much as the current one has yet to run.
        share = 1 - (now_ns % _MINUTE_NS) / _MINUTE_NS
        every = [*rest, before, current]
        return Rates(
            minute=(
                current.enqueued + before.enqueued * share,
                current.completed + before.completed * share,
                current.failed + before.failed * share,
            ),
            hour=(
                sum(m.enqueued for m in every),
                sum(m.completed for m in every),
                sum(m.failed for m in every),
            ),
        )

    def is_over(self, now_ns: int) -> bool:
        return not self._minutes or self._minutes[-1].start_ns < now_ns - MINUTES_KEPT * _MINUTE_NS


_Name = TypeVar("_Name", bound=str)


def _hour_of(hours: dict[_Name, _Hour], name: _Name) -> _Hour:
    hour = hours.get(name)
    if hour is None:
        hour = hours[name] = _Hour()
    return hour


class Throughput(Actor):
    def __init__(self, fsm: ActorAddress, clock: Clock) -> None:
        self._fsm = fsm
        self._clock = clock
        self._all = _Hour()
        self._by_namespace: dict[str, _Hour] = {}
        self._by_queue: dict[Qualified, _Hour] = {}
        self._total = Minute(0)
        self._forgot_ns = clock.now_ns()

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED,)))

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        if not msg.applied.tallies:
            return
        now_ns = self._clock.now_ns()
        if now_ns - self._forgot_ns > MINUTES_KEPT * _MINUTE_NS:
            self._forget_silent(now_ns)
        start_ns = now_ns // _MINUTE_NS * _MINUTE_NS
        for queue, tally in msg.applied.tallies.items():
            self._all.add(start_ns, tally)
            self._total.add(tally)
            _hour_of(self._by_namespace, namespace_of(queue)).add(start_ns, tally)
            _hour_of(self._by_queue, queue).add(start_ns, tally)

    def _forget_silent(self, now_ns: int) -> None:
        """Queues come and go; queues without activity must not pile up."""
        self._forgot_ns = now_ns
        self._by_queue = {queue: hour for queue, hour in self._by_queue.items() if not hour.is_over(now_ns)}
        self._by_namespace = {
            namespace: hour for namespace, hour in self._by_namespace.items() if not hour.is_over(now_ns)
        }

    def receiveMsg_GetThroughput(self, msg: GetThroughput, sender: ActorAddress) -> None:
        start_ns = self._clock.now_ns() // _MINUTE_NS * _MINUTE_NS
        self.send(sender, ThroughputFound(self._within(msg.reach).minutes(start_ns)))

    def _within(self, reach: Reach | None) -> _Hour:
        """The hour of all queues that are in reach."""
        if reach is not None and reach.scope:
            hours = [hour for queue, hour in self._by_queue.items() if reach.covers(queue)]
            return _Hour.sum(hours)
        if reach == ANYWHERE:
            return self._all
        return self._by_namespace.get(namespace_in(reach)) or _Hour()

    def receiveMsg_GetRates(self, msg: GetRates, sender: ActorAddress) -> None:
        now_ns = self._clock.now_ns()
        self._forget_silent(now_ns)
        wanted = tuple(self._by_queue) if msg.queues is None else msg.queues
        rates = {queue: hour.rates(now_ns) for queue, hour in self._seen_by(msg.reach, wanted)}
        self.send(sender, RatesFound(rates))

    def receiveMsg_GetQueueMinutes(self, msg: GetQueueMinutes, sender: ActorAddress) -> None:
        now_ns = msg.now_ns or self._clock.now_ns()
        start_ns = now_ns // _MINUTE_NS * _MINUTE_NS
        wanted = tuple(self._by_queue) if msg.queues is None else msg.queues
        here, rest = wanted[:QUEUES_AT_ONCE], wanted[QUEUES_AT_ONCE:]
        by_queue = {
            queue: hour.minutes(start_ns)
            for queue, hour in self._seen_by(msg.reach, here)
            if not hour.is_over(now_ns)
        }
        first_ns = start_ns - (MINUTES_KEPT - 1) * _MINUTE_NS
        self.send(sender, QueueMinutesFound(first_ns, by_queue, now_ns, rest))

    def _seen_by(
        self, reach: Reach | None, queues: tuple[Qualified, ...]
    ) -> Iterator[tuple[Qualified, _Hour]]:
        """Those of these queues that did anything, and that are within reach."""
        hours = self._by_queue
        return ((queue, hours[queue]) for queue in queues if queue in hours and covers(reach, queue))

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        total = self._total
        self.send(sender, ThroughputStatus(total.enqueued, total.completed, total.failed))
