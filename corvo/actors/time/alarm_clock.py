"""Alarm clock: for actors that sleep until the next thing is due, by the wall clock."""

from collections.abc import Callable
from datetime import timedelta
from typing import Final

from corvo.actors.kernel.api import Timer
from corvo.core.clock import NS_PER_S, Clock

#: Wall clocks jump; sleeping no longer than this bounds how late a jump is noticed.
SLEEP_NS_MAX: Final = 5 * NS_PER_S


class AlarmClock:
    """Rings once, at the soonest of the times it was set to. The actor that hears it sets it anew."""

    def __init__(self, wakeup_after: Callable[[timedelta], Timer], clock: Clock) -> None:
        self._wakeup_after = wakeup_after
        self._clock = clock
        self._timer: Timer | None = None
        self._timer_ns = 0

    def set(self, at_ns: int) -> None:
        now_ns = self._clock.now_ns()
        at_ns = min(at_ns, now_ns + SLEEP_NS_MAX)
        if self._timer is not None:
            if self._timer_ns <= at_ns:
                return
            self._timer.cancel()
        self._timer_ns = at_ns
        # Rounded up: waking before the time would only mean to set the alarm again.
        sleep_us = -(-max(0, at_ns - now_ns) // 1_000)
        self._timer = self._wakeup_after(timedelta(microseconds=sleep_us))

    def rang(self) -> None:
        """To be called when the wake-up has come."""
        self._timer = None
