"""Tenants: what this node keeps of the quotas of namespaces, for the requests that come to it.

    request -> access control -> [tenants] -> handler

Jobs, queues and bytes are kept by the state machine, exactly and for the whole cluster. Rates, open streams
and waiting fetches are a node's own: each node keeps them by itself.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from corvo.core.clock import Clock
from corvo.core.errors import QuotaExceeded, RateLimited
from corvo.core.namespace import Namespace, Quotas
from corvo.http.serve.rate_limit import READS, Rate
from corvo.http.serve.tenancy.tenant_shares import TenantShares
from corvo.http.wire.message import Request

#: A burst that is not given is what two seconds bring.
_BURST_S: Final = 2


class Used(NamedTuple):
    streams: int
    waiting_fetches: int


class _Rates:
    """How fast the clients of one namespace may read and write, together."""

    def __init__(self, quotas: Quotas) -> None:
        self.reads = _rate(quotas.read_rps, quotas.read_burst)
        self.writes = _rate(quotas.write_rps, quotas.write_burst)


class Tenants:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.shares = TenantShares(clock)
        self._quotas: dict[str, Quotas] = {}
        self._rates: dict[str, _Rates] = {}
        self._streams: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()

    def learn(self, namespaces: list[Namespace]) -> None:
        """Namespaces as they are now. Rates that have not changed keep what is left in their buckets."""
        quotas = {namespace.name: namespace.quotas for namespace in namespaces}
        self._rates = {
            name: self._rates[name]
            if self._quotas.get(name) == each and name in self._rates
            else _Rates(each)
            for name, each in quotas.items()
            if each.read_rps is not None or each.write_rps is not None
        }
        self._quotas = quotas

    @property
    def has_rates(self) -> bool:
        return bool(self._rates)

    def charge(self, request: Request, cost: int = 1, paid: int = 0) -> None:
        """Raises RateLimited if the clients of the request's namespace have to slow down."""
        rates = self._rates.get(request.namespace)
        if rates is None:
            return
        rate = rates.reads if request.method in READS else rates.writes
        if rate is not None and not rate.take(b"", cost, self._clock.monotonic_ns(), paid):
            raise RateLimited(
                f"the clients of namespace {request.namespace} send more than its quota", retry_after_ms=1_000
            )

    def used(self, namespace: str) -> Used:
        return Used(self._streams[namespace], self._waiting[namespace])

    @contextmanager
    def stream(self, namespace: str) -> Iterator[None]:
        """A worker's stream, for as long as it is open. Raises QuotaExceeded."""
        self.check_streams(namespace)
        with _counted(self._streams, namespace):
            yield

    def check_streams(self, namespace: str) -> None:
        self._check(namespace, self._streams, "streams", lambda quotas: quotas.max_streams)

    @contextmanager
    def waiting_fetch(self, namespace: str) -> Iterator[None]:
        """A fetch, for as long as it waits. Raises QuotaExceeded."""
        self._check(namespace, self._waiting, "waiting fetches", lambda quotas: quotas.max_waiting_fetches)
        with _counted(self._waiting, namespace):
            yield

    def _check(
        self, namespace: str, used: Counter[str], what: str, most_of: Callable[[Quotas], int | None]
    ) -> None:
        quotas = self._quotas.get(namespace)
        most = None if quotas is None else most_of(quotas)
        if most is not None and used[namespace] >= most:
            raise QuotaExceeded(
                f"namespace {namespace} has {used[namespace]} {what} on this node, and its quota is {most}",
                retry_after_ms=1_000,
            )


@contextmanager
def _counted(counter: Counter[str], namespace: str) -> Iterator[None]:
    counter[namespace] += 1
    try:
        yield
    finally:
        counter[namespace] -= 1
        if not counter[namespace]:
            del counter[namespace]


def _rate(per_second: float | None, burst: int | None) -> Rate | None:
    if per_second is None:
        return None
    return Rate(per_second, burst if burst is not None else max(1, round(per_second * _BURST_S)))
