"""Those who wait until the mirror has an entry."""

from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.messages import Message


class Waiter:
    __slots__ = ("asker", "index", "words")

    def __init__(self, asker: ActorAddress, index: int, *, words: bool) -> None:
        self.asker = asker
        self.index = index
        #: Whether the full-text index is to be brought up to date, too.
        self.words = words


class Overdue(Message, frozen=True):
    """writer -> itself: this one has waited long enough."""

    waiter: Waiter


class Waiters:
    def __init__(self) -> None:
        self._waiting: dict[Waiter, None] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, waiter: Waiter) -> None:
        self._waiting[waiter] = None

    def any_up_to(self, index: int) -> bool:
        return any(waiter.index <= index for waiter in self._waiting)

    def take_up_to(self, index: int) -> list[Waiter]:
        """Those who have waited for this entry or an earlier one; they wait no longer."""
        served = [waiter for waiter in self._waiting if waiter.index <= index]
        for waiter in served:
            del self._waiting[waiter]
        return served

    def take(self, waiter: Waiter) -> bool:
        """Whether this one was still waiting. It is no longer."""
        if waiter not in self._waiting:
            return False
        del self._waiting[waiter]
        return True
