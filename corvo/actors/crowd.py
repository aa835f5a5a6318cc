"""Whether a batch should wait for others, who are expected any moment.

Clients that were answered together come back together. Those that come by turns, each while the entry of the
others is under way, need as many entries as there are turns: if the first turn is waited for once, they come
together from then on. An entry costs more than the wait, so all are served sooner. Who is alone never waits.
"""

from datetime import timedelta

#: From so many on it pays to wait long: others are late because of their number.
_MANY = 8
#: A few clients are back within this, or they have gone.
_FOR_A_FEW = timedelta(microseconds=300)


class Crowd:
    def __init__(self, patience: timedelta) -> None:
        self._patience = patience
        #: How many came together, or could have, lately.
        self._expected = 0

    def left(self, clients: int) -> None:
        """So many left together. If fewer come from now on, that shows within a few batches."""
        self._expected = max(clients, self._expected * 3 // 4)

    def answered(self, clients: int, waiting: int) -> None:
        """So many have their answer, and so many have come meanwhile. Many do not wait for one."""
        if waiting <= clients * _MANY:
            self._expected = max(self._expected, clients + waiting)

    def wait_with(self, clients: int) -> timedelta:
        """How long a batch of so many should wait for more."""
        if clients >= self._expected:
            return timedelta()
        return self._patience if self._expected >= _MANY else min(self._patience, _FOR_A_FEW)
