"""Clock: the one way to the time. Code that needs the time is given a Clock.

Stored times are integer nanoseconds since the epoch. The state machine never reads a
clock at all: the leader stamps each log entry and that stamp is the time.
"""

import time
from typing import Protocol

NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000


class Clock(Protocol):
    """Wall-clock time, and a monotonic time for measuring how long something took."""

    def now_ns(self) -> int: ...

    def monotonic_ns(self) -> int: ...


class SystemClock:
    """The machine's own clocks."""

    def now_ns(self) -> int:
        return time.time_ns()  # noqa: TID251 - the one place that may

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()


class ManualClock:
    """A clock that stands still until a test, or the simulator, moves it."""

    def __init__(self, start_ns: int = 1_700_000_000 * NS_PER_S) -> None:
        self._now_ns = start_ns

    def now_ns(self) -> int:
        return self._now_ns

    def monotonic_ns(self) -> int:
        return self._now_ns

    def advance(self, *, ns: int = 0, ms: int = 0, s: float = 0) -> None:
        self._now_ns += ns + ms * NS_PER_MS + int(s * NS_PER_S)

    def jump_to(self, now_ns: int) -> None:
        """Set the clock, backwards if asked: wall clocks do that."""
        self._now_ns = now_ns
