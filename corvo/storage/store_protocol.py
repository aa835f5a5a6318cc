"""What a node asks of its store beyond reading and writing: to be opened again, and to be replaced whole."""

from typing import Protocol

from corvo.storage.kv import Kv


class Store(Kv, Protocol):
    def try_reopen(self) -> bool:
        """Close and open again after the disk was full. False if the time has not come: no room yet, or
        somebody reads."""
        ...

    def adopt(self, other: Kv) -> None:
        """From now on be the other one. Who holds a snapshot of the old one may finish with it."""
        ...
