"""Connection gate: how many connections there may be, of all clients and of each address.

    accepted -> [connection gate] -> FastHttp1
                                  -> 503 and closed   as many are open as may be

A connection takes a descriptor, and so does a file. Storage that cannot open its next file stops the node, so
connections are kept from taking all descriptors there are, whatever the settings say. One address may not
have them all either: others are let in while it is at its limit.
"""

import resource
from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

from corvo.core.errors import Overloaded

log = structlog.get_logger()

#: Kept back for files: LevelDB takes up to a fifth of all descriptors for its own, the rest is for journal,
#: mirror, links to other nodes, webhooks, and for connections that are accepted and not yet judged.
_KEPT_SHARE: Final = 4
_KEPT_LEAST: Final = 64
#: What one address may have of all, unless the settings say less.
_ADDRESS_SHARE: Final = 0.75
#: How often at most the log says that clients are refused.
_SAY_EVERY_S: Final = 10.0

REFUSAL_TEXT: Final = "as many connections are open as this node takes"


class ConnectionGate:
    def __init__(
        self,
        most: int,
        most_of_one: int,
        now: Callable[[], float],
        is_proxy: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`most_of_one` is for each address but those of proxies, which stand for many clients."""
        self._most = most
        self._most_of_one = min(most_of_one or most, max(1, int(most * _ADDRESS_SHARE)))
        self._now = now
        self._is_proxy = is_proxy
        self.count = 0
        self._by_address: Counter[str] = Counter()
        self.refused = 0
        self._said_at = -_SAY_EVERY_S

    @property
    def is_full(self) -> bool:
        return self.count >= self._most

    def is_closed_to(self, address: str) -> bool:
        """Whether this address has as many connections as it may, however many others there are."""
        return self._by_address[address] >= self._most_of_one and not self._is_proxy(address)

    def enter(self, address: str) -> None:
        self.count += 1
        self._by_address[address] += 1

    def leave(self, address: str) -> None:
        self.count -= 1
        self._by_address[address] -= 1
        if not self._by_address[address]:
            del self._by_address[address]

    def note_refusal(self, address: str) -> None:
        self.refused += 1
        now = self._now()
        if now - self._said_at >= _SAY_EVERY_S:
            self._said_at = now
            log.warning(
                "http.connections_refused",
                open=self.count,
                of_this_address=self._by_address[address],
                address=address,
                refused_in_all=self.refused,
                hint=Overloaded.hint(),
            )


def connections_max(wanted: int, descriptors_each: int = 1) -> int:
    """As many as were asked for, or as there are descriptors for."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    possible = max(8, (soft - soft // _KEPT_SHARE - _KEPT_LEAST) // descriptors_each)
    if possible < wanted:
        log.info("http.fewer_connections", wanted=wanted, possible=possible, descriptors=soft)
    return min(wanted, possible)
