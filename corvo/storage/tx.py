"""Tx: one entry's changes on their way into the store. It reads its own writes, and can undo one op.

An entry is a transaction over the store and each op a nested one: an op that is refused is rolled
back to where it began and leaves no trace, while its neighbours stay. Refusals are rare and mostly
come before the first write, so undoing is a list of old values rather than a second layer of dicts.
"""

from collections.abc import Iterator
from typing import Final

from corvo.storage.kv import KvReader
from corvo.storage.overlay import merge


class _Absent:
    """Marks a key that had not been written in this entry."""


_ABSENT: Final = _Absent()


class Tx:
    __slots__ = ("_base", "_undo", "writes")

    def __init__(self, base: KvReader) -> None:
        self._base = base
        self.writes: dict[bytes, bytes | None] = {}
        self._undo: list[tuple[bytes, bytes | _Absent | None]] = []

    def get(self, key: bytes) -> bytes | None:
        if key in self.writes:
            return self.writes[key]
        return self._base.get(key)

    def put(self, key: bytes, value: bytes) -> None:
        self._undo.append((key, self.writes.get(key, _ABSENT)))
        self.writes[key] = value

    def delete(self, key: bytes) -> None:
        self._undo.append((key, self.writes.get(key, _ABSENT)))
        self.writes[key] = None

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        ours = sorted(
            ((key, value) for key, value in self.writes.items() if start <= key < stop),
            key=lambda pair: pair[0],
        )
        stored = self._base.scan(start, stop)
        return merge(stored, ours) if ours else stored

    # Savepoints

    def begin(self) -> None:
        """What follows is one op."""
        self._undo.clear()

    def rollback(self) -> None:
        """The op was refused: put back what it found."""
        for key, old in reversed(self._undo):
            if isinstance(old, _Absent):
                del self.writes[key]
            else:
                self.writes[key] = old
        self._undo.clear()
