"""Figures of the mirror for status pages and metrics (SPEC 2.19: sqlite_mirror, sqlite_rebuild)."""

from typing import Any

from corvo.core.clock import NS_PER_MS, Clock
from corvo.core.times import format_time_ns


class Figures:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: The last entry the state machine told of.
        self.told_index = 0
        self.gaps = 0
        self.failures = 0
        self.flushes = 0
        self.rows_written = 0
        self.flush_ns_last = 0
        self.flush_ns_max = 0
        self.rebuilds = 0
        self._rebuild_started_ns = 0
        self._rebuild_began_ns = 0
        self._rebuild_took_ns = 0
        self._rebuild_succeeded: bool | None = None
        self._rebuild_error: str | None = None
        self._jobs_built = 0
        self._jobs_expected = 0

    def flushed(self, rows: int, took_ns: int) -> None:
        self.flushes += 1
        self.rows_written += rows
        self.flush_ns_last = took_ns
        self.flush_ns_max = max(self.flush_ns_max, took_ns)

    # Rebuilds

    def rebuild_began(self) -> None:
        self.rebuilds += 1
        self._rebuild_started_ns = self._clock.now_ns()
        self._rebuild_began_ns = self._clock.monotonic_ns()
        self._jobs_built = self._jobs_expected = 0

    def rebuild_progressed(self, jobs: int, jobs_expected: int) -> None:
        self._jobs_built = jobs
        self._jobs_expected = jobs_expected

    def rebuild_ended(self, error: str | None) -> int:
        """How long it took, in milliseconds."""
        self._rebuild_took_ns = self._clock.monotonic_ns() - self._rebuild_began_ns
        self._rebuild_succeeded = error is None
        self._rebuild_error = error
        return self._rebuild_took_ns // NS_PER_MS

    # Telling

    def tell(
        self, *, held: int, queued: int, queue_max: int, behind: bool, building: bool, behind_ns: int
    ) -> dict[str, Any]:
        """`index`, and two members named and filled as clients know them."""
        return {
            "index": held,
            "sqlite_mirror": {
                "async": True,
                "dropped": 0,  # Kept for those who know the field: nothing is ever dropped.
                "queued": queued,
                "applied": self.rows_written,
                "lag": max(0, self.told_index - held),
                "behind_ms": behind_ns / NS_PER_MS,
                "queue_depth": queued,
                "queue_capacity": queue_max,
                "stale": behind,
                "gaps": self.gaps,
                "failures": self.failures,
                "flushes": self.flushes,
                "flush_ms_last": self.flush_ns_last / NS_PER_MS,
                "flush_ms_max": self.flush_ns_max / NS_PER_MS,
            },
            "sqlite_rebuild": {
                "ran": self.rebuilds,
                "running": building,
                "jobs": self._jobs_built,
                "jobs_expected": self._jobs_expected,
                "last_started_at": format_time_ns(self._rebuild_started_ns) if self.rebuilds else None,
                "last_duration_ms": self._rebuild_took_ns // NS_PER_MS,
                "last_success": self._rebuild_succeeded,
                "last_error": self._rebuild_error,
            },
        }
