"""Backoff: how long a failed job waits before its next attempt. Pure."""

import enum

from corvo.core.limits import DURATION_MS_MAX


class Backoff(enum.IntEnum):
    """Stored as the number, shown as the lower-case name."""

    NONE = 0
    FIXED = 1
    LINEAR = 2
    EXPONENTIAL = 3

    @property
    def label(self) -> str:
        return self.name.lower()


BY_LABEL = {strategy.label: strategy for strategy in Backoff}

# 2 ** 62 ms is beyond any cap; a larger shift would only build large integers.
_DOUBLINGS_MAX = 62


def delay_ms(strategy: Backoff, attempt: int, base_ms: int, max_ms: int, jitter: float) -> int:
    """The delay after attempt number `attempt` (from 1) has failed.

    `jitter` is signed: what was drawn for this failure, -1..1, times the job's own `retry_jitter`. 0.1 means
    ten percent longer. A `max_ms` of 0 means no cap.
    """
    assert attempt >= 1
    if strategy is Backoff.NONE:
        delay = 0
    elif strategy is Backoff.FIXED:
        delay = base_ms
    elif strategy is Backoff.LINEAR:
        delay = base_ms * attempt
    else:
        delay = base_ms << min(attempt - 1, _DOUBLINGS_MAX)
    if max_ms > 0:
        delay = min(delay, max_ms)
    delay = min(delay, DURATION_MS_MAX)
    return max(0, int(delay * (1 + jitter)))
