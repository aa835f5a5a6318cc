"""Due times: when the next key of each time-ordered family becomes due.

For each family a time is remembered before which there is certainly nothing. A new key can make it earlier;
`look` sets it to the first key that is really there. It is a lower bound, so it never has to be exact, costs
nothing to keep, and spares the search the tombstones of keys that were due before.
"""

from collections.abc import Iterator

from corvo.storage import keys
from corvo.storage.kv import KvReader


class Due:
    __slots__ = ("_changed", "_soonest_ns")

    def __init__(self) -> None:
        # Nothing is known at start, so everything may be due.
        self._soonest_ns: dict[bytes, int | None] = dict.fromkeys(keys.TIMED, 0)
        self._changed: set[bytes] = set(keys.TIMED)

    def note(self, family: bytes, at_ns: int) -> None:
        """A key with this time was written."""
        soonest = self._soonest_ns[family]
        if soonest is None or at_ns < soonest:
            self._soonest_ns[family] = at_ns
            self._changed.add(family)

    def look(self, family: bytes, reader: KvReader) -> int | None:
        """The time of the family's first key."""
        soonest = self._soonest_ns[family]
        if soonest is None:
            return None
        start = keys.timed_start(family, soonest)
        first = next(iter(reader.scan(start, keys.after(family))), None)
        found = None if first is None else keys.parse_timed(family, first[0])[0]
        self._soonest_ns[family] = found
        return found

    def until(self, family: bytes, end_ns: int, reader: KvReader) -> Iterator[tuple[int, str]]:
        """What is due before this time, soonest first."""
        soonest = self._soonest_ns[family]
        if soonest is None or soonest >= end_ns:
            return
        start = keys.timed_start(family, soonest)
        for key, _ in reader.scan(start, keys.timed_start(family, end_ns)):
            yield keys.parse_timed(family, key)

    def passed(self, family: bytes, at_ns: int) -> None:
        """Everything before this time has been dealt with."""
        self._soonest_ns[family] = at_ns

    def take_changes(self) -> dict[bytes, int]:
        """Families in which something may be due earlier than was known, for the scheduler."""
        if not self._changed:
            return {}
        moved = {
            family: soonest
            for family in keys.TIMED
            if family in self._changed and (soonest := self._soonest_ns[family]) is not None
        }
        self._changed.clear()
        return moved
