"""Queue head: the first pending jobs of one queue, in memory, so that handing one out needs no search.

LevelDB keeps deleted keys as tombstones until it compacts, so looking for the first pending key costs
more the more jobs have been handed out (20 ms after 500,000). The head therefore holds the first few
hundred sort keys and remembers up to where it is complete. It is only a cache: what it answers is always
the true first key, on every replica, whatever it happens to hold.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from itertools import islice

#: Sort keys read by one refill; up to twice as many are held.
WINDOW_KEYS = 512

#: Gives the sort keys of the queue's pending jobs from this one on, in order.
ScanFrom = Callable[[bytes], Iterator[bytes]]


class QueueHead:
    """Every pending sort key below `_bound` is in `_keys[_head:]`; a bound of None means all of them are."""

    __slots__ = ("_bound", "_head", "_keys")

    def __init__(self, floor: bytes | None) -> None:
        """Nothing pending is below `floor`; None if nothing is pending at all."""
        self._keys: list[bytes] = []
        self._head = 0
        self._bound = floor

    def first(self, scan_from: ScanFrom, refilled: Callable[[list[bytes]], None]) -> bytes | None:
        """The sort key of the job to hand out next. If more had to be read, `refilled` is told which."""
        if self._head == len(self._keys):
            if self._bound is None:
                return None
            self._refill(scan_from)
            refilled(self._keys)
            if not self._keys:
                return None
        return self._keys[self._head]

    def add(self, sort: bytes) -> None:
        if self._bound is not None and sort >= self._bound:
            return  # Beyond what we hold; a refill will find it in the store.
        keys = self._keys
        if not keys or sort > keys[-1]:
            keys.append(sort)
        else:
            insort(keys, sort, lo=self._head)
        if len(keys) - self._head > 2 * WINDOW_KEYS:
            cut = self._head + WINDOW_KEYS
            self._bound = keys[cut]
            del keys[cut:]

    def discard(self, sort: bytes) -> None:
        if self._bound is not None and sort >= self._bound:
            return
        place = bisect_left(self._keys, sort, lo=self._head)
        assert place < len(self._keys), "the head must hold every key below its bound"
        assert self._keys[place] == sort
        if place == self._head:
            self._head += 1
            if self._head == WINDOW_KEYS:
                del self._keys[: self._head]
                self._head = 0
        else:
            del self._keys[place]

    def _refill(self, scan_from: ScanFrom) -> None:
        assert self._bound is not None
        # One more than is kept, to know where the next refill begins.
        found = list(islice(scan_from(self._bound), WINDOW_KEYS + 1))
        self._bound = found.pop() if len(found) > WINDOW_KEYS else None
        self._keys = found
        self._head = 0
