"""Virtual time: events in order, one after the other, no faster or slower than the simulation computes."""

import heapq
import itertools
from collections.abc import Callable

#: A node that runs this often without time passing is spinning.
_EVENTS_PER_INSTANT_MAX = 200_000


class Violation(BaseException):
    """Something that must never happen did. No Exception, so that no guard under test can swallow it."""


class Event:
    __slots__ = ("callback", "is_cancelled")

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback = callback
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Timeline:
    def __init__(self) -> None:
        self._now_s = 1_000.0
        self._numbers = itertools.count()
        self._events: list[tuple[float, int, Event]] = []
        self.events_run = 0

    def now(self) -> float:
        return self._now_s

    def at(self, time_s: float, callback: Callable[[], None]) -> Event:
        event = Event(callback)
        heapq.heappush(self._events, (max(time_s, self._now_s), next(self._numbers), event))
        return event

    def after(self, delay_s: float, callback: Callable[[], None]) -> Event:
        return self.at(self._now_s + delay_s, callback)

    def run_until(self, end_s: float) -> None:
        instant = 0
        while self._events and self._events[0][0] <= end_s:
            time_s, _, event = heapq.heappop(self._events)
            if event.is_cancelled:
                continue
            instant = instant + 1 if time_s == self._now_s else 0
            if instant > _EVENTS_PER_INSTANT_MAX:
                raise Violation(f"something spins: {instant} events at {time_s}")
            self._now_s = time_s
            self.events_run += 1
            event.callback()
        self._now_s = end_s


class NodeLoop:
    """The event loop of one simulated process: it can be stopped for a while, and it can die."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._asleep_until_s = 0.0
        self._held: list[Event] = []
        self._last_read_s = 0.0
        self.is_dead = False

    def now(self) -> float:
        """Never twice the same: as on a real machine, time goes on while a round is running."""
        self._last_read_s = max(self._timeline.now(), self._last_read_s + 1e-7)
        return self._last_read_s

    def spend(self, seconds: float) -> None:
        """The callback that runs is busy for this long."""
        self._last_read_s = self.now() + seconds

    def call_soon(self, callback: Callable[[], None]) -> Event:
        return self.call_later(0.0, callback)

    def call_later(self, delay: float, callback: Callable[[], None]) -> Event:
        event = Event(callback)
        self._timeline.after(delay, lambda: self._fire(event))
        return event

    def pause(self, seconds: float) -> None:
        """SIGSTOP. What falls due meanwhile happens all at once afterwards, in order."""
        self._asleep_until_s = max(self._asleep_until_s, self._timeline.now() + seconds)
        self._timeline.at(self._asleep_until_s, self._wake)

    @property
    def is_paused(self) -> bool:
        return self._timeline.now() < self._asleep_until_s

    def _fire(self, event: Event) -> None:
        if self.is_paused:
            self._held.append(event)
        elif not self.is_dead and not event.is_cancelled:
            event.callback()

    def _wake(self) -> None:
        if not self.is_paused:
            held, self._held = self._held, []
            for event in held:
                self._fire(event)
