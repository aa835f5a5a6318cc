"""Rate limit: how fast one client may send requests. Each has two token buckets, for reads and for writes.

It is off unless switched on. A client is told apart by its API key, else by its address; behind a proxy that
is trusted, by the last address in X-Forwarded-For that is not a trusted proxy's: all before it is only said.
Before anything is known of a key, its address is charged, which may have several times as much as one client:
guesses at keys have no bucket of their own. A request costs one token, and whatever carries more than one job
costs one per job: the handler charges the rest when it has read the body, so nothing is parsed twice. A
request larger than the bucket is let through when the bucket is full, and paid for afterwards.
"""

from collections import OrderedDict
from hashlib import blake2b
from secrets import token_bytes
from typing import Final

from corvo.config import Config
from corvo.core.clock import NS_PER_S, Clock
from corvo.core.errors import RateLimited
from corvo.core.hosts import within
from corvo.http.wire.message import Request

_IDLE_NS_MAX: Final = 600 * NS_PER_S
#: Clients remembered at most. The one silent longest is forgotten, and begins again with a full bucket.
_CLIENTS_MAX: Final = 100_000
#: As many clients as this may share an address before they notice it.
_CLIENTS_PER_ADDRESS: Final = 4
READS: Final = frozenset({"GET", "HEAD"})


class Bucket:
    __slots__ = ("filled_ns", "tokens")

    def __init__(self, tokens: float, filled_ns: int) -> None:
        self.tokens = tokens
        self.filled_ns = filled_ns


class Rate:
    """How fast clients may read, or write, and how much of that each has left."""

    def __init__(self, per_second: float, burst: int) -> None:
        self._per_ns = per_second / NS_PER_S
        self._burst = burst
        #: In the order they were last used.
        self._buckets: OrderedDict[bytes, Bucket] = OrderedDict()

    def take(self, client: bytes, cost: int, now_ns: int, paid: int = 0) -> bool:
        """False if the client must wait. `paid` is what was taken for this request before."""
        buckets = self._buckets
        bucket = buckets.get(client)
        if bucket is None:
            bucket = buckets[client] = Bucket(self._burst, now_ns)
            self._forget(now_ns)
        else:
            buckets.move_to_end(client)
            earned = (now_ns - bucket.filled_ns) * self._per_ns
            bucket.tokens = min(self._burst, bucket.tokens + earned)
            bucket.filled_ns = now_ns
        if bucket.tokens < min(cost, self._burst - paid):
            return False
        bucket.tokens -= cost
        return True

    def _forget(self, now_ns: int) -> None:
        """Every new client removes up to two old ones, so no request waits for a big clean-up."""
        for _ in range(2):
            client, bucket = next(iter(self._buckets.items()))
            if bucket.filled_ns >= now_ns - _IDLE_NS_MAX and len(self._buckets) <= _CLIENTS_MAX:
                return
            del self._buckets[client]

    def __len__(self) -> int:
        return len(self._buckets)


class RateLimiter:
    def __init__(self, config: Config, clock: Clock) -> None:
        self._clock = clock
        self._reads = Rate(config.rate_limit_read_rps, config.rate_limit_read_burst)
        self._writes = Rate(config.rate_limit_write_rps, config.rate_limit_write_burst)
        self._by_address = Rate(
            _CLIENTS_PER_ADDRESS * (config.rate_limit_read_rps + config.rate_limit_write_rps),
            _CLIENTS_PER_ADDRESS * (config.rate_limit_read_burst + config.rate_limit_write_burst),
        )
        self._proxies = config.proxy_networks()
        # Keys are secrets: what is kept of them is of no use outside this process.
        self._salt = token_bytes(16)

    def charge_address(self, request: Request) -> None:
        """Raises RateLimited if too much comes from the request's address, whoever it says it is."""
        address = self.address_of(request).encode()
        if not self._by_address.take(address, 1, self._clock.monotonic_ns()):
            raise RateLimited("more comes from this address than its share", retry_after_ms=1_000)

    def charge(self, request: Request, cost: int = 1, paid: int = 0) -> None:
        """Raises RateLimited if the client has to slow down."""
        rate = self._reads if request.method in READS else self._writes
        if not rate.take(self._client(request), cost, self._clock.monotonic_ns(), paid):
            raise RateLimited("this client sends more than its share", retry_after_ms=1_000)

    def _client(self, request: Request) -> bytes:
        credential = request.headers.get(b"x-api-key") or request.headers.get(b"authorization")
        if credential:
            return blake2b(credential, key=self._salt, digest_size=16).digest()
        return b"a" + self.address_of(request).encode()

    def address_of(self, request: Request) -> str:
        """Where the request comes from: as far back as proxies that are trusted can tell."""
        address = request.peer
        if self._proxies and b"x-forwarded-for" in request.headers:
            forwarded = request.headers[b"x-forwarded-for"].decode("latin-1").split(",")
            while forwarded and within(self._proxies, address):
                address = _bare(forwarded.pop())
        return address


def _bare(address: str) -> str:
    """Without the port that some proxies add. What is no address at all counts as one, cut short."""
    address = address.strip()
    if address.startswith("["):
        address = address[1:].partition("]")[0]
    elif address.count(":") == 1:
        address = address.partition(":")[0]
    return address[:64]
