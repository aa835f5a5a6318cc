"""A histogram of times, by plain counting."""

from bisect import bisect_left
from typing import Any, Final

BOUNDS_S: Final = (
    0.00005,
    0.0001,
    0.0002,
    0.0005,
    0.001,
    0.002,
    0.005,
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1.0,
)
_BOUNDS_NS: Final = tuple(round(bound * 1e9) for bound in BOUNDS_S)


class Histogram:
    __slots__ = ("buckets", "count", "sum_ns")

    def __init__(self) -> None:
        self.buckets = [0] * (len(_BOUNDS_NS) + 1)
        self.count = 0
        self.sum_ns = 0

    def add(self, time_ns: int) -> None:
        self.buckets[bisect_left(_BOUNDS_NS, time_ns)] += 1
        self.count += 1
        self.sum_ns += time_ns

    def snapshot(self) -> "Histogram":
        twin = Histogram()
        twin.buckets = self.buckets.copy()
        twin.count = self.count
        twin.sum_ns = self.sum_ns
        return twin

    def quantile_s(self, share: float) -> float:
        """The upper bound of the bucket in which this share of all times is reached."""
        wanted = share * self.count
        seen = 0
        for bound, count in zip(BOUNDS_S, self.buckets, strict=False):
            seen += count
            if seen >= wanted:
                return bound
        return BOUNDS_S[-1]

    def summary(self) -> dict[str, Any]:
        """As /cluster/status shows it: durations as text."""
        if not self.count:
            return {"count": 0}
        return {
            "count": self.count,
            "avg": f"{self.sum_ns / self.count / 1e6:.3f}ms",
            "p50": f"{self.quantile_s(0.5) * 1e3:g}ms",
            "p90": f"{self.quantile_s(0.9) * 1e3:g}ms",
            "p99": f"{self.quantile_s(0.99) * 1e3:g}ms",
            "buckets": [
                {"le": f"{bound * 1e3:g}ms", "count": count}
                for bound, count in zip(BOUNDS_S, self.buckets, strict=False)
            ],
        }
