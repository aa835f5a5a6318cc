"""Deferred: what the mirror writer does later, how much later, and the requests that wait for it."""

import enum
from datetime import timedelta
from typing import Final

from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.core.clock import NS_PER_MS, NS_PER_S

NOW: Final = timedelta(0)
#: How long rows may gather while no request waits for them.
GATHER: Final = timedelta(milliseconds=150)
#: How long the message of an awaited entry may be under way before the store itself is looked at.
LOOK_AFTER: Final = timedelta(milliseconds=50)
#: About how many chunks the store may be ahead before the rest is read from there, in steps between which
#: questions are answered. What comes by message is cheaper, for it need not be looked up, but takes memory.
CHUNKS_AHEAD_MAX: Final = 8
#: After a failure that may pass: a full disk, a store that is being opened again.
RETRY_AFTER: Final = timedelta(seconds=1)
REBUILD_AGAIN_AFTER: Final = timedelta(seconds=5)
#: Failures of an unknown kind in a row before the file is no longer trusted.
FAILURES_MAX: Final = 3
#: Full-text indexing begins a while after the rows came, and takes at most a quarter of the time.
WORDS_AFTER: Final = timedelta(seconds=1)
WORDS_REST_FACTOR: Final = 3
WORDS_AT_ONCE_NS_MAX: Final = 500 * NS_PER_MS
#: A reader that finds fault with every new file is at fault itself.
BELIEVE_AGAIN_NS: Final = 60 * NS_PER_S


class Deferred(enum.Enum):
    """writer -> itself: something to be done a while from now."""

    FLUSH = "rows have gathered long enough"
    CATCH_UP = "take the next step towards the store"
    LOOK = "somebody waits: see whether the store has what we were not told of"
    INDEX_WORDS = "do a round of full-text indexing"
    REBUILD = "the last attempt to build a new file failed"


class MirrorWaiter:
    __slots__ = ("asker", "index", "words")

    def __init__(self, asker: ActorAddress, index: int, *, words: bool) -> None:
        self.asker = asker
        self.index = index
        #: Whether the full-text index is to be brought up to date, too.
        self.words = words


class Overdue(Message, frozen=True):
    """writer -> itself: this waiter has waited long enough."""

    waiter: MirrorWaiter


class Waiters:
    def __init__(self) -> None:
        self._waiting: dict[MirrorWaiter, None] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, waiter: MirrorWaiter) -> None:
        self._waiting[waiter] = None

    def any_up_to(self, index: int) -> bool:
        return any(waiter.index <= index for waiter in self._waiting)

    def take_up_to(self, index: int) -> list[MirrorWaiter]:
        """The waiters for this entry or an earlier one; they wait no longer."""
        served = [waiter for waiter in self._waiting if waiter.index <= index]
        for waiter in served:
            del self._waiting[waiter]
        return served

    def take(self, waiter: MirrorWaiter) -> bool:
        """Whether this waiter was still waiting. It is no longer."""
        if waiter not in self._waiting:
            return False
        del self._waiting[waiter]
        return True
