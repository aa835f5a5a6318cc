"""Job cache: documents that were touched lately, decoded.

A job is usually enqueued, claimed and acknowledged within a short time; without this each step would
read it from LevelDB and decode it again. Two generations stand in for a least-recently-used list: what
is not touched while a generation fills up is forgotten with it. Bounded by bytes, not by count.
"""

from collections.abc import Iterable

from corvo.core.job import Job

GENERATION_BYTES = 8 * 1024 * 1024


class JobCache:
    __slots__ = ("_bytes", "_old", "_young")

    def __init__(self) -> None:
        self._young: dict[str, Job] = {}
        self._old: dict[str, Job] = {}
        self._bytes = 0

    def get(self, job_id: str) -> Job | None:
        found = self._young.get(job_id)
        if found is not None:
            return found
        return self._old.get(job_id)

    def put(self, job: Job, size_bytes: int) -> None:
        self._young[job.id] = job
        self._grow(size_bytes)

    def put_all(self, jobs: Iterable[Job], size_bytes: int) -> None:
        self._young.update({job.id: job for job in jobs})
        self._grow(size_bytes)

    def _grow(self, size_bytes: int) -> None:
        self._bytes += size_bytes
        if self._bytes > GENERATION_BYTES:
            self._old = self._young
            self._young = {}
            self._bytes = 0

    def drop(self, job_id: str) -> None:
        self._young.pop(job_id, None)
        self._old.pop(job_id, None)
