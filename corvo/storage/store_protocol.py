"""Store protocol: beyond reading and writing, a store can be opened again and be replaced whole."""

from typing import Protocol

from corvo.storage.kv import Kv


class Store(Kv, Protocol):
    def try_reopen(self) -> bool:
        """Close and open again after the disk was full. False if the time has not come: no room yet, or
        a snapshot is open."""
        ...

    def adopt(self, other: Kv) -> None:
        """Take the other store's place. Snapshots of the old one can be read until they are closed."""
        ...
