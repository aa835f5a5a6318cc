"""What a run measured."""

import time
from types import TracebackType


class BenchFigures:
    def __init__(self) -> None:
        self.accepted: list[str] = []
        self.acked: list[str] = []
        #: Acks of fresh leases that the server did not take.
        self.skipped = 0
        #: Requests that the server had no room for, and that were sent again.
        self.refused = 0
        #: Milliseconds until the answer, by what was asked; "start" is from enqueue to a worker that has it.
        self.latencies_ms: dict[str, list[float]] = {}
        #: Of each phase: jobs and seconds.
        self.phases: dict[str, tuple[int, float]] = {}
        #: Of each phase: jobs done in each whole second.
        self.per_second: dict[str, list[int]] = {}
        #: When a job was sent, and when a worker had it (latency mode).
        self.sent_at: dict[str, float] = {}
        self.started_at: dict[str, float] = {}

    def note(self, what: str, milliseconds: float) -> None:
        self.latencies_ms.setdefault(what, []).append(milliseconds)

    def settle_starts(self) -> None:
        """A worker may have a job before its producer knows of it, so the two are brought together last."""
        for job_id, sent_at in self.sent_at.items():
            started_at = self.started_at.get(job_id)
            if started_at is not None:
                self.note("start", (started_at - sent_at) * 1_000)


class BenchClock:
    """`with BenchClock(figures, "ack"): ...` notes how long it took, unless told that it does not count.

    A fetch that waited and got nothing says nothing about the server's speed.
    """

    __slots__ = ("_began", "_figures", "_what", "counts")

    def __init__(self, figures: BenchFigures, what: str) -> None:
        self._figures = figures
        self._what = what
        self.counts = True

    def __enter__(self) -> "BenchClock":
        self._began = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is None and self.counts:
            self._figures.note(self._what, (time.perf_counter() - self._began) * 1_000)


def quantiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    found = {
        name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in SHARES.items()
    }
    return {"count": len(ordered)} | {name: round(value, 3) for name, value in found.items()}


SHARES = {"p50_ms": 0.5, "p90_ms": 0.9, "p99_ms": 0.99, "max_ms": 1.0}
