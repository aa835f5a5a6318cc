"""Alarms: what is due when, for wake-ups of actors, restarts and simulated threads.

One heap per system, in nanoseconds of the system's own monotonic clock. Its entries compare in C
and the loop arms one asyncio timer for the earliest, so a wake-up costs a push and a pop. Taking
one back marks it; the heap is swept when most of it is marked, so nothing cancelled piles up.
"""

import heapq
from abc import abstractmethod
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from corvo.actors.kernel.messages import WakeupMessage

if TYPE_CHECKING:
    from corvo.actors.kernel.cell import Cell

#: Below this many cancelled alarms a sweep is not worth its cost.
SWEEP_ALARMS_MIN: Final = 64


class Alarm:
    """Something that will happen at a set time unless it is taken back.

    Abstract, here as elsewhere in the kernel, for mypy only: `isinstance` is several times slower for a class
    made by ABCMeta, and every message that an actor gets is asked whether it is a Timer.
    """

    __slots__ = ("cancelled", "pending")

    def __init__(self) -> None:
        self.cancelled = False
        #: Whether it waits in the heap and will ring.
        self.pending = False

    @abstractmethod
    def ring(self) -> None:
        """Do it: the time has come."""


class Call(Alarm):
    """An alarm that calls a function."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[], None]) -> None:
        super().__init__()
        self._function = function

    def ring(self) -> None:
        self._function()


class Timer(Alarm):
    """A wake-up an actor asked for. The actor may take it back until the very message is handled."""

    __slots__ = ("_cell", "_payload", "_period", "_revoked")

    def __init__(self, cell: "Cell", period: timedelta, payload: object) -> None:
        super().__init__()
        self._cell = cell
        self._period = period
        self._payload = payload
        # Apart from `cancelled`, which belongs to the heap and so to the loop's thread, this flag
        # belongs to the actor and so to the actor's thread.
        self._revoked = False

    def ring(self) -> None:
        # The timer itself is put into the mailbox and becomes a message only when it is taken out:
        # so it can be revoked while it waits there.
        self._cell.notify(self, self._cell)

    def message(self) -> WakeupMessage | None:
        """The message to give to the actor now, or None if the actor no longer wants it."""
        return None if self._revoked else WakeupMessage(self._period, self._payload)

    def revoke(self) -> None:
        """Make sure it is not handled, should it wait in the mailbox already."""
        self._revoked = True

    def cancel(self) -> None:
        """Take the wake-up back. Safe at any time, any number of times."""
        if not self._revoked:
            self._revoked = True
            self._cell.enter(self._cell.drop_timer, self)


class Alarms:
    """The alarms of one system, earliest first; `rank` decides between alarms of the same instant."""

    __slots__ = ("_cancelled", "_count", "_heap", "_rank")

    def __init__(self, rank: Callable[[], int] | None = None) -> None:
        self._heap: list[tuple[int, int, int, Alarm]] = []
        self._rank = rank
        self._count = 0
        self._cancelled = 0

    def __len__(self) -> int:
        """How many will ring."""
        return len(self._heap) - self._cancelled

    def add(self, due_ns: int, alarm: Alarm) -> None:
        self._count += 1
        alarm.pending = True
        rank = 0 if self._rank is None else self._rank()
        heapq.heappush(self._heap, (due_ns, rank, self._count, alarm))

    def cancel(self, alarm: Alarm) -> None:
        alarm.cancelled = True
        if not alarm.pending:
            return
        alarm.pending = False
        self._cancelled += 1
        if self._cancelled > SWEEP_ALARMS_MIN and self._cancelled * 2 > len(self._heap):
            self._heap = [entry for entry in self._heap if not entry[3].cancelled]
            heapq.heapify(self._heap)
            self._cancelled = 0

    def next_ns(self) -> int | None:
        """When the earliest alarm is due."""
        heap = self._heap
        while heap and heap[0][3].cancelled:
            heapq.heappop(heap)
            self._cancelled -= 1
        return heap[0][0] if heap else None

    def pop_due(self, now_ns: int) -> Alarm | None:
        """Take out the earliest alarm if its time has come."""
        due_ns = self.next_ns()
        if due_ns is None or due_ns > now_ns:
            return None
        alarm = heapq.heappop(self._heap)[3]
        alarm.pending = False
        return alarm
