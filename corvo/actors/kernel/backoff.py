"""Backoff: how long a crashed actor rests before its next start."""

from typing import Final

RESTART_DELAY_NS_MIN: Final = 10_000_000
RESTART_DELAY_NS_MAX: Final = 5_000_000_000
#: An actor that lived this long was healthy: its next crash counts as the first.
HEALTHY_NS_MIN: Final = 60_000_000_000

# Otherwise resting itself would count as health.
assert RESTART_DELAY_NS_MIN < RESTART_DELAY_NS_MAX < HEALTHY_NS_MIN


class RestartBackoff:
    """Each rest is twice the one before, up to a limit; after a healthy minute it is short again."""

    __slots__ = ("_delay_ns", "_started_ns")

    def __init__(self) -> None:
        self._delay_ns = 0
        self._started_ns = 0

    def started(self, now_ns: int) -> None:
        self._started_ns = now_ns

    def crashed(self, now_ns: int) -> int:
        """The rest to take, in nanoseconds."""
        if now_ns - self._started_ns >= HEALTHY_NS_MIN:
            self._delay_ns = 0
        self._delay_ns = min(max(self._delay_ns * 2, RESTART_DELAY_NS_MIN), RESTART_DELAY_NS_MAX)
        return self._delay_ns
