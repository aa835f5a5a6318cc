"""Batch wait: whether a batch should wait for clients that are expected back at any moment.

Clients that were answered together come back together. If they come in several groups, each while the entry
of another group is under way, every group needs an entry of its own: a batch that waits once brings the
groups together from then on. An entry costs more than the wait, so all clients are served sooner. A client
that is alone is not made to wait, nor is one that comes long after the last answer; and where a wait was in
vain, it is tried less and less often.
"""

from datetime import timedelta
from typing import Final

from corvo.core.clock import Clock

#: From so many clients on it pays to wait longer: the last of them come late because of their number.
_MANY: Final = 8
#: A few clients are back within this, or not for a while.
_FOR_A_FEW: Final = timedelta(microseconds=300)
#: However often a wait was in vain, it is tried again after so many chances.
_PASSES_MAX: Final = 63


class BatchWait:
    def __init__(self, patience: timedelta, clock: Clock) -> None:
        self._patience = patience
        self._patience_ns = patience // timedelta(microseconds=1) * 1_000
        self._clock = clock
        #: How many clients came together lately, or could have.
        self._expected = 0
        self._answered_ns = 0
        #: Whether the batch that gathers was told to wait.
        self._waited = False
        #: How many chances to bring groups together are to be passed by, and how many were.
        self._passes = 0
        self._passed = 0

    def answered(self, clients: int, waiting: int) -> None:
        """So many clients have their answer, so many have come meanwhile: a chance to bring them together."""
        self._answered_ns = self._clock.monotonic_ns()
        if not waiting or waiting > clients * _MANY:
            return  # Many clients do not wait for one.
        if self._passed < self._passes:
            self._passed += 1
        else:
            self._expected = max(self._expected, clients + waiting)

    def wait_with(self, clients: int) -> timedelta:
        """How long a batch of so many clients should wait for more."""
        if clients >= self._expected or self._clock.monotonic_ns() > self._answered_ns + self._patience_ns:
            return timedelta()
        self._waited = True
        return self._patience if self._expected >= _MANY else min(self._patience, _FOR_A_FEW)

    def left(self, clients: int) -> None:
        """A batch of so many clients has left. If fewer come from now on, that shows within a few batches."""
        if self._waited:
            in_vain = clients < self._expected
            self._passes = min(2 * self._passes + 1, _PASSES_MAX) if in_vain else self._passes // 2
            self._passed = 0
            self._waited = False
        self._expected = max(clients, self._expected * 3 // 4)
