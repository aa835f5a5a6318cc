"""Overlay: what has been applied but is not yet in LevelDB, laid over it so that readers see it.

    fsm --writes--> [overlay] --> store writer (own thread) --> LevelDB

An entry counts as applied as soon as the journal has it and the state machine has run it; its write
batch lands in LevelDB a moment later, on another thread, overlapped with the journal's next fsync.
Until then the overlay answers for it. Everything here runs on the loop's thread.
"""

from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator

from corvo.storage.kv import Kv, Writes


class Overlay:
    """A Kv reader that knows the writes still on their way."""

    def __init__(self, kv: Kv) -> None:
        self._kv = kv
        self._waiting: deque[tuple[int, Writes]] = deque()
        #: All of them as one; where several wrote a key, the last.
        self._latest: dict[bytes, bytes | None] = {}
        #: `_latest`, sorted and by the first byte of the key. Made by the first scan after a change.
        self._families: dict[int, list[tuple[bytes, bytes | None]]] | None = None

    def get(self, key: bytes) -> bytes | None:
        latest = self._latest
        return latest[key] if key in latest else self._kv.get(key)

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        assert start[0] == stop[0], "a scan stays inside one family"
        stored = self._kv.scan(start, stop)
        if self._families is None:
            self._families = _by_family(self._latest)
        family = self._families.get(start[0])
        if family is None:
            return stored
        ours = family[bisect_left(family, (start,)) : bisect_left(family, (stop,))]
        return merge(stored, ours) if ours else stored

    def lay(self, index: int, writes: Writes) -> None:
        """Remember what entry `index` wrote."""
        assert not self._waiting or self._waiting[-1][0] < index
        self._waiting.append((index, writes))
        self._latest.update(writes)
        self._families = None

    def landed(self, index: int) -> None:
        """LevelDB has entry `index` now, and all before it."""
        waiting = self._waiting
        self._families = None
        while waiting and waiting[0][0] <= index:
            _, writes = waiting.popleft()
            if not waiting:
                self._latest.clear()
                continue
            done = set(writes)
            for _, later in waiting:
                done.difference_update(later)
            for key in done:
                del self._latest[key]

    @property
    def waiting(self) -> tuple[tuple[int, Writes], ...]:
        """Entries that have not landed, oldest first."""
        return tuple(self._waiting)

    def __len__(self) -> int:
        return len(self._waiting)


def merge(
    stored: Iterator[tuple[bytes, bytes]], ours: list[tuple[bytes, bytes | None]]
) -> Iterator[tuple[bytes, bytes]]:
    """Two ordered runs as one; ours wins, and None in ours means the key is gone."""
    upcoming = iter(ours)
    own = next(upcoming, None)
    for pair in stored:
        while own is not None and own[0] < pair[0]:
            if own[1] is not None:
                yield own[0], own[1]
            own = next(upcoming, None)
        if own is not None and own[0] == pair[0]:
            if own[1] is not None:
                yield own[0], own[1]
            own = next(upcoming, None)
        else:
            yield pair
    while own is not None:
        if own[1] is not None:
            yield own[0], own[1]
        own = next(upcoming, None)


def _by_family(writes: Writes) -> dict[int, list[tuple[bytes, bytes | None]]]:
    families: dict[int, list[tuple[bytes, bytes | None]]] = defaultdict(list)
    for key in sorted(writes):
        families[key[0]].append((key, writes[key]))
    return dict(families)
