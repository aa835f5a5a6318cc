"""Fetch line: the waiters of one queue, in order of arrival, and how much the queue could hand out."""

from collections.abc import Iterator

import msgspec

from corvo.actors.fetch.messages import Wait
from corvo.actors.kernel.api import ActorAddress, Timer


class FetchWaiter(msgspec.Struct, eq=False):
    """One long-poll. It stands in the line of every queue it takes from."""

    wait: Wait
    asker: ActorAddress
    #: Grows with every arrival: the first to come is the first served.
    number: int
    timer: Timer | None = None
    #: A claim for it is under way; until that is answered it is neither served again nor sent home.
    claiming: bool = False
    #: Its client is gone; jobs that still arrive for it are given back.
    gone: bool = False
    #: Its time is over; it is sent home as soon as its claim is answered.
    late: bool = False
    #: It was told that there is nothing; it will not ask again for jobs that come after all.
    told: bool = False


class FetchLine:
    __slots__ = ("_waiters", "claims_under_way", "jobs_under_way", "level", "opens_for_new_jobs")

    def __init__(self) -> None:
        # A dict keeps the order of arrival and lets a waiter leave from the middle.
        self._waiters: dict[int, FetchWaiter] = {}
        #: Jobs the queue could hand out, as the state machine last said.
        self.level = 0
        #: How many of these jobs claims under way have asked for, and how many claims there are.
        self.jobs_under_way = 0
        self.claims_under_way = 0
        #: Whether a job that comes in could be handed out at once, as far as is known.
        self.opens_for_new_jobs = True

    @property
    def available(self) -> int:
        return self.level - self.jobs_under_way

    def join(self, waiter: FetchWaiter) -> None:
        self._waiters[waiter.number] = waiter

    def leave(self, waiter: FetchWaiter) -> None:
        self._waiters.pop(waiter.number, None)

    def ready(self) -> Iterator[FetchWaiter]:
        """Waiters that could be served, first come first."""
        return (waiter for waiter in self._waiters.values() if not waiter.claiming)

    def is_idle(self) -> bool:
        return not self._waiters and not self.claims_under_way and not self.level
