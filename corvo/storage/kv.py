"""The seam between Corvo and its storage engine: an ordered byte store behind five methods."""

from collections.abc import Iterator, Mapping
from typing import Protocol

#: What one write changes: a value to put, or None to delete. Keys are unique, order does not matter.
Writes = Mapping[bytes, bytes | None]


class KvReader(Protocol):
    """Something with keys in byte order."""

    def get(self, key: bytes) -> bytes | None: ...

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Pairs with start <= key < stop in byte order."""
        ...


class KvSnapshot(KvReader, Protocol):
    """The store as it was at one moment. Must be closed."""

    def close(self) -> None: ...


class Kv(KvReader, Protocol):
    """One writer, any number of readers. A write is atomic."""

    def write(self, writes: Writes, *, sync: bool) -> None:
        """Raises StorageFull when there is no room; any other failure of the disk is an OSError."""
        ...

    def snapshot(self) -> KvSnapshot: ...

    def close(self) -> None: ...
