"""Byte budget: what all clients together may have half sent, or not yet read, in this process.

    body that comes in    --> [byte budget] --> the one that has taken longest gives way
    answer that goes out  -->

A limit for each body and each answer bounds nothing when there are thousands of connections. What is complete
within a moment is hardly ever here when memory gets short, so the one that gives way is the slowest. And when
many come in at once, they are read at a pace that leaves time for everybody else.
"""

from collections.abc import Callable
from typing import Final

#: To the client of a body that has given way.
TOO_SLOW_TEXT: Final = "more is being sent at once than this node can hold, and this body was the slowest"
#: From so many at once on, all together are read at this pace.
_CROWD: Final = 4
_PACE_BYTES_PER_S: Final = 64 * 1024 * 1024


class HeldBytes:
    """Of one body or answer, from its beginning to its end."""

    __slots__ = ("_budget", "_give_way", "gave_way", "size")

    def __init__(self, budget: "ByteBudget", give_way: Callable[[], None]) -> None:
        self._budget = budget
        self._give_way = give_way
        self.size = 0
        #: It was too slow, and there was no room for it any more.
        self.gave_way = False

    def add(self, size: int) -> None:
        """This much more is held. Somebody else may have to give way, or this one."""
        if self.gave_way:
            return  # What still comes before its end is dropped, and nobody would take it out of the sum.
        self.size += size
        self._budget.held += size
        if self._budget.held > self._budget.most:
            self._budget.make_room()

    def pause_s(self, size: int) -> float:
        """How long to read nothing, after a piece of this size."""
        crowd = len(self._budget)
        return 0.0 if crowd < _CROWD else size * crowd / _PACE_BYTES_PER_S

    def end(self) -> None:
        self._budget.forget(self)

    def give_way(self) -> None:
        self.gave_way = True
        self._budget.forget(self)
        self._give_way()


class ByteBudget:
    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        #: How many have given way so far.
        self.given_up = 0
        #: The longest here first.
        self._holders: dict[HeldBytes, None] = {}

    def begin(self, give_way: Callable[[], None]) -> HeldBytes:
        """`give_way` is called at most once, and must not begin or end anything here by itself."""
        held = HeldBytes(self, give_way)
        self._holders[held] = None
        return held

    def make_room(self) -> None:
        while self.held > self.most:
            slowest = next(each for each in self._holders if each.size)
            self.given_up += 1
            slowest.give_way()

    def __len__(self) -> int:
        return len(self._holders)

    def forget(self, held: HeldBytes) -> None:
        if held in self._holders:
            del self._holders[held]
            self.held -= held.size
            held.size = 0
