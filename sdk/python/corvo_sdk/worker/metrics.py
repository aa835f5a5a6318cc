"""Where a worker reports its figures to. Subclass it and pass an instance to Worker(metrics=...).

Called from the event loop: be quick. What it raises is logged and keeps no job from its verdict.
"""

import logging
from collections.abc import Callable
from typing import Any

from corvo_sdk.models.claim import ClaimedJob

log = logging.getLogger("corvo.worker")


class Metrics:
    """Every method may be overridden; here they do nothing."""

    def fetched(self, jobs: int, seconds: float) -> None:
        """A fetch came back with this many jobs."""

    def finished(self, job: ClaimedJob, verdict: str, seconds: float) -> None:
        """A handler is through. Verdict: ack, fail, release, hold, or lost."""

    def committed(self, verdict: str, jobs: int, seconds: float) -> None:
        """The server has confirmed this many verdicts of this kind."""

    def lost(self, job: ClaimedJob, reason: str) -> None:
        """The lease of a job is gone."""

    def unreachable(self, what: str, error: Exception) -> None:
        """The server did not answer; the worker goes on trying. What: fetch, commit or heartbeat."""


class Counters(Metrics):
    """Plain numbers, for the health endpoint and for tests."""

    def __init__(self, also: Metrics | None = None) -> None:
        self._also = also or Metrics()
        self.fetched_total = 0
        self.committed_total: dict[str, int] = {}
        self.lost_total = 0
        self.unreachable_total = 0

    def fetched(self, jobs: int, seconds: float) -> None:
        self.fetched_total += jobs
        self._report(self._also.fetched, jobs, seconds)

    def finished(self, job: ClaimedJob, verdict: str, seconds: float) -> None:
        self._report(self._also.finished, job, verdict, seconds)

    def committed(self, verdict: str, jobs: int, seconds: float) -> None:
        self.committed_total[verdict] = self.committed_total.get(verdict, 0) + jobs
        self._report(self._also.committed, verdict, jobs, seconds)

    def lost(self, job: ClaimedJob, reason: str) -> None:
        self.lost_total += 1
        self._report(self._also.lost, job, reason)

    def unreachable(self, what: str, error: Exception) -> None:
        self.unreachable_total += 1
        self._report(self._also.unreachable, what, error)

    def _report(self, tell: Callable[..., None], *figures: Any) -> None:
        try:
            tell(*figures)
        except Exception:
            log.exception("metrics: %s", getattr(tell, "__name__", tell))
