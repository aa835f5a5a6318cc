"""Tenant shares: while several namespaces are busy, none has more writes under way than its share.

    request, line of a stream -> [tenant shares] -> admission -> handler -> batcher

A node answers writes in the order they come. A namespace that sends more than the node can take would fill
every entry and every turn of the loop, and its neighbours would wait behind all of that. So while a second
namespace is busy, each may only have so much under way; what is beyond that waits at the edge, undecoded,
where it holds up no other namespace. A namespace that is alone has the whole node.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import Overloaded

#: What a namespace may have under way beside another, in requests: enough to keep the node busy, little
#: enough that a neighbour's request is in the next entry.
SHARE: Final = 32
#: A large request counts as several.
_BYTES_PER_REQUEST: Final = 4_096
#: A namespace is busy for so long after its last request.
_BUSY_NS: Final = NS_PER_S
#: How long a request waits for its turn before it is refused.
PATIENCE_S: Final = 0.5
#: Namespaces remembered; one more, and those that were quiet for longest are forgotten.
_REMEMBERED_MAX: Final = 4_096


class _Share:
    __slots__ = ("seen_ns", "under_way", "waiting")

    def __init__(self) -> None:
        self.under_way = 0
        self.seen_ns = 0
        #: In the order they came, each with what it will count.
        self.waiting: deque[tuple[asyncio.Future[None], int]] = deque()


class TenantShares:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: In the order they were last seen.
        self._shares: OrderedDict[str, _Share] = OrderedDict()

    def begin(self, namespace: str, size_bytes: int) -> int:
        """Count a request as under way. What it returns is for `end`; 0 if it has to wait for its turn."""
        share = self._seen(namespace)
        if share.waiting or (share.under_way >= SHARE and self._has_busy_neighbour(namespace)):
            return 0
        weight = 1 + size_bytes // _BYTES_PER_REQUEST
        share.under_way += weight
        return weight

    def end(self, namespace: str, weight: int) -> None:
        share = self._shares[namespace]
        share.under_way -= weight
        while share.waiting and share.under_way < SHARE:
            turn, counts = share.waiting.popleft()
            if not turn.done():
                share.under_way += counts
                turn.set_result(None)

    async def turn(
        self,
        namespace: str,
        size_bytes: int,
        gone: Callable[[], Awaitable[Any]] | None = None,
        patience_s: float | None = PATIENCE_S,
    ) -> int:
        """Wait for a turn if need be, and count the request as under way. Raises Overloaded when the time is
        over, or when the client has gone; without patience_s there is no such time."""
        weight = self.begin(namespace, size_bytes)
        if weight:
            return weight
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        weight = 1 + size_bytes // _BYTES_PER_REQUEST
        late = None if patience_s is None else loop.call_later(patience_s, _refuse, turn, namespace)
        watch = None if gone is None else asyncio.ensure_future(gone())
        if watch is not None:
            watch.add_done_callback(lambda _: _refuse(turn, namespace))
        self._shares[namespace].waiting.append((turn, weight))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.end(namespace, weight)  # It had its turn already, and cannot take it.
            raise
        finally:
            if late is not None:
                late.cancel()
            if watch is not None:
                watch.cancel()
        return weight

    def _seen(self, namespace: str) -> _Share:
        share = self._shares.get(namespace)
        if share is None:
            share = self._shares[namespace] = _Share()
            self._forget()
        else:
            self._shares.move_to_end(namespace)
        share.seen_ns = self._clock.monotonic_ns()
        return share

    def _has_busy_neighbour(self, namespace: str) -> bool:
        """Whether the namespace seen last, but for this one, was seen lately or has work under way."""
        for name in reversed(self._shares):
            if name != namespace:
                neighbour = self._shares[name]
                quiet_ns = self._clock.monotonic_ns() - neighbour.seen_ns
                return neighbour.under_way > 0 or quiet_ns < _BUSY_NS
        return False

    def _forget(self) -> None:
        if len(self._shares) <= _REMEMBERED_MAX:
            return
        idle = [name for name, share in self._shares.items() if not share.under_way and not share.waiting]
        for name in idle[: _REMEMBERED_MAX // 8]:
            del self._shares[name]


def _refuse(turn: asyncio.Future[None], namespace: str) -> None:
    if not turn.done():
        turn.set_exception(
            Overloaded(f"namespace {namespace} sends more than its share beside others", retry_after_ms=500)
        )
