"""Tenant shares: while several namespaces are busy, none has more writes under way than its share.

    request -> [tenant shares] -> admission -> handler -> batcher

A node answers writes in the order they come. A namespace that sends more than the node can take would fill
every entry and every turn of the loop, and its neighbours would wait behind all of that. So while a second
namespace is busy, each may only have so much under way; what is beyond that waits at the edge, unread and
undecoded, where it holds up no other namespace. A namespace that is alone has the whole node.
"""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import Overloaded

#: What a namespace may have under way beside another: about what one entry takes, in requests. Enough to
#: keep the node busy, little enough that a neighbour's request is in the next entry.
_SHARE: Final = 32
#: A large request counts as several.
_BYTES_PER_REQUEST: Final = 4_096
#: A namespace is busy for so long after its last request.
_BUSY_NS: Final = NS_PER_S
#: How long a request waits for its turn before it is refused.
PATIENCE_S: Final = 0.5
#: Namespaces remembered at most; the one that was quiet for longest is forgotten.
_REMEMBERED_MAX: Final = 4_096


class _Share:
    __slots__ = ("seen_ns", "under_way", "waiting")

    def __init__(self) -> None:
        self.under_way = 0
        self.seen_ns = 0
        self.waiting: deque[asyncio.Future[None]] = deque()


class TenantShares:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: In the order they were last seen.
        self._shares: OrderedDict[str, _Share] = OrderedDict()

    def begin(self, namespace: str, size_bytes: int) -> int:
        """Count a request as under way. What it returns is for `end`; 0 if it has to wait for its turn."""
        share = self._seen(namespace)
        if share.under_way >= _SHARE and self._has_busy_neighbour(namespace):
            return 0
        weight = 1 + size_bytes // _BYTES_PER_REQUEST
        share.under_way += weight
        return weight

    def end(self, namespace: str, weight: int) -> None:
        share = self._shares[namespace]
        share.under_way -= weight
        while share.waiting and (share.under_way < _SHARE):
            turn = share.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return

    async def turn(
        self, namespace: str, size_bytes: int, gone: Callable[[], Awaitable[Any]] | None = None
    ) -> int:
        """Wait for a turn if need be, and count the request as under way. Raises Overloaded."""
        weight = self.begin(namespace, size_bytes)
        if weight:
            return weight
        share = self._shares[namespace]
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        late = loop.call_later(PATIENCE_S, turn.cancel)
        watch = None if gone is None else asyncio.ensure_future(gone())
        if watch is not None:
            watch.add_done_callback(lambda _: turn.cancel())
        share.waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            with suppress(ValueError):
                share.waiting.remove(turn)
            if not turn.cancelled():
                # Not the turn but this request was cancelled; the turn is for the next one.
                self._pass_on(share, turn)
                raise
            current = asyncio.current_task()
            if current is not None and current.cancelling():
                raise
            raise Overloaded(
                f"the namespace {namespace} sends more than its share beside others", retry_after_ms=500
            ) from None
        finally:
            late.cancel()
            if watch is not None:
                watch.cancel()
        weight = 1 + size_bytes // _BYTES_PER_REQUEST
        share.under_way += weight
        return weight

    def _pass_on(self, share: _Share, turn: asyncio.Future[None]) -> None:
        if turn.done():
            for other in share.waiting:
                if not other.done():
                    other.set_result(None)
                    return

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
        """Whether the last namespace seen but this one was seen lately, or has something under way."""
        for name in reversed(self._shares):
            if name != namespace:
                neighbour = self._shares[name]
                since_ns = self._clock.monotonic_ns() - neighbour.seen_ns
                return bool(neighbour.under_way) or since_ns < _BUSY_NS
        return False

    def _forget(self) -> None:
        while len(self._shares) > _REMEMBERED_MAX:
            for name, share in self._shares.items():
                if not share.under_way and not share.waiting:
                    del self._shares[name]
                    break
            else:
                return
