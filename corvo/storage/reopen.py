"""The part of a store that can be closed and opened again after the disk was full."""

from typing import Protocol


class Reopenable(Protocol):
    def can_reopen(self) -> bool: ...

    def reopen(self) -> None: ...
