"""What has been applied but is not yet in LevelDB, laid over it so that readers see it.

    fsm --writes--> [overlay] --> store writer (own thread) --> LevelDB

An entry counts as applied as soon as the journal has it and the state machine has run it; its write
batch lands in LevelDB a moment later, on another thread, overlapped with the journal's next fsync.
Until then the overlay answers for it. Everything here runs on the loop's thread.
"""

from collections import deque
from collections.abc import Iterator

from corvo.storage.kv import Kv, Writes


class Overlay:
    """A Kv reader that knows the writes still on their way."""

    def __init__(self, kv: Kv) -> None:
        self._kv = kv
        # key -> (index of the entry that wrote it last, value). Split by the first byte of the key, so that
        # a scan sorts only its own family.
        self._families: dict[int, dict[bytes, tuple[int, bytes | None]]] = {}
        self._waiting: deque[tuple[int, Writes]] = deque()

    def get(self, key: bytes) -> bytes | None:
        family = self._families.get(key[0])
        if family is not None:
            found = family.get(key)
            if found is not None:
                return found[1]
        return self._kv.get(key)

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        assert start[0] == stop[0], "a scan stays inside one family"
        stored = self._kv.scan(start, stop)
        family = self._families.get(start[0])
        if not family:
            return stored
        ours = sorted((key, found[1]) for key, found in family.items() if start <= key < stop)
        return merge(stored, ours) if ours else stored

    def lay(self, index: int, writes: Writes) -> None:
        """Remember what entry `index` wrote."""
        assert not self._waiting or self._waiting[-1][0] < index
        self._waiting.append((index, writes))
        families = self._families
        for key, value in writes.items():
            family = families.get(key[0])
            if family is None:
                family = families[key[0]] = {}
            family[key] = (index, value)

    def landed(self, index: int) -> None:
        """LevelDB has entry `index` now, and all before it."""
        while self._waiting and self._waiting[0][0] <= index:
            written, writes = self._waiting.popleft()
            for key in writes:
                family = self._families[key[0]]
                if family[key][0] == written:
                    del family[key]

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
