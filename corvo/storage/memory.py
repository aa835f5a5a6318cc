"""Kv in memory: the twin of LevelDB for tests."""

from bisect import bisect_left
from collections.abc import Iterator

from corvo.storage.kv import KvSnapshot, Writes


class MemoryKv:
    """A dict with its keys kept in order. Nothing survives the process."""

    def __init__(self, pairs: dict[bytes, bytes] | None = None) -> None:
        self._values: dict[bytes, bytes] = dict(pairs or {})
        self._sorted: list[bytes] | None = None

    def get(self, key: bytes) -> bytes | None:
        return self._values.get(key)

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        keys = self._keys()
        # The slice and the values are taken now: a scan sees the store as it was when it began.
        found = keys[bisect_left(keys, start) : bisect_left(keys, stop)]
        return iter([(key, self._values[key]) for key in found])

    def write(self, writes: Writes, *, sync: bool) -> None:
        for key, value in writes.items():
            if value is None:
                if self._values.pop(key, None) is not None:
                    self._sorted = None
            else:
                if key not in self._values:
                    self._sorted = None
                self._values[key] = value

    def snapshot(self) -> KvSnapshot:
        return MemoryKv(self._values)

    def close(self) -> None:
        """Nothing to release; the data goes with the object."""

    def _keys(self) -> list[bytes]:
        # Sorting is put off until the next scan: tests write far more often than they scan.
        if self._sorted is None:
            self._sorted = sorted(self._values)
        return self._sorted
