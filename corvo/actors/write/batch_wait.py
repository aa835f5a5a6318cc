"""Whether a batch should wait for others, who are expected any moment.

Clients that were answered together come back together. Those that come by turns, each while the entry of the
others is under way, need as many entries as there are turns: if the first turn is waited for once, they come
together from then on. An entry costs more than the wait, so all are served sooner. Who is alone never waits,
nor who comes when the last answer is long ago, and where waiting for a turn was in vain it is tried less and
less often.
"""

from datetime import timedelta
from typing import Final

from corvo.core.clock import Clock

#: From so many on it pays to wait longer: the last of them come late because of their number.
_MANY: Final = 8
#: A few are back within this, or they are somewhere else for a while.
_FOR_A_FEW: Final = timedelta(microseconds=300)
#: However often it was in vain, so many chances later it is tried again.
_PASSES_MAX: Final = 63


class BatchWait:
    def __init__(self, patience: timedelta, clock: Clock) -> None:
        self._patience = patience
        self._patience_ns = patience // timedelta(microseconds=1) * 1_000
        self._clock = clock
        #: How many came together lately, or could have.
        self._expected = 0
        self._answered_ns = 0
        #: Whether the batch that gathers was told to wait.
        self._waited = False
        #: How many chances to bring turns together are to be passed by, and how many were.
        self._passes = 0
        self._passed = 0

    def answered(self, clients: int, waiting: int) -> None:
        """So many have their answer, and so many have come meanwhile: a chance to bring them together."""
        self._answered_ns = self._clock.monotonic_ns()
        if not waiting or waiting > clients * _MANY:
            return  # Many do not wait for one.
        if self._passed < self._passes:
            self._passed += 1
        else:
            self._expected = max(self._expected, clients + waiting)

    def wait_with(self, clients: int) -> timedelta:
        """How long a batch of so many should wait for more."""
        if clients >= self._expected or self._clock.monotonic_ns() > self._answered_ns + self._patience_ns:
            return timedelta()
        self._waited = True
        return self._patience if self._expected >= _MANY else min(self._patience, _FOR_A_FEW)

    def left(self, clients: int) -> None:
        """So many left together. If fewer come from now on, that shows within a few batches."""
        if self._waited:
            in_vain = clients < self._expected
            self._passes = min(2 * self._passes + 1, _PASSES_MAX) if in_vain else self._passes // 2
            self._passed = 0
            self._waited = False
        self._expected = max(clients, self._expected * 3 // 4)
