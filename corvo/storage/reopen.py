"""The part of a store that can be closed and opened again after the disk was full."""

from typing import Protocol


class Reopenable(Protocol):
    def try_reopen(self) -> bool:
        """False if the time has not come: no room yet, or somebody reads."""
        ...
