"""What the edge counts about requests. Plain numbers: it runs on one thread, so nothing needs a lock."""

from bisect import bisect_left
from typing import Final

from corvo.http.serve.route import Route

#: Upper bounds of the request time histogram, in seconds.
DURATION_BOUNDS_S: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_BOUNDS_NS: Final = tuple(int(bound * 1e9) for bound in DURATION_BOUNDS_S)


class RouteCounters:
    __slots__ = ("buckets", "duration_ns", "errors", "requests", "throttled")

    def __init__(self) -> None:
        self.requests = 0
        self.errors = 0
        self.throttled = 0
        self.duration_ns = 0
        self.buckets = [0] * (len(_BOUNDS_NS) + 1)

    def count(self, status: int, duration_ns: int) -> None:
        self.requests += 1
        if status >= 400:
            self.errors += 1
        self.duration_ns += duration_ns
        self.buckets[bisect_left(_BOUNDS_NS, duration_ns)] += 1


class EdgeCounters:
    """The counters of one node's edge, by route."""

    def __init__(self) -> None:
        self.in_flight = 0
        #: Requests refused because more jobs came in than could be taken.
        self.overloads = 0
        self.by_route: dict[Route, RouteCounters] = {}

    def of(self, route: Route) -> RouteCounters:
        found = self.by_route.get(route)
        if found is None:
            found = self.by_route[route] = RouteCounters()
        return found
