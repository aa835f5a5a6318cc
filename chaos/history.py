"""What clients saw, in order: the only evidence a checker may use."""

import threading
import time
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Claim:
    """A worker was handed a job."""

    at_s: float
    job_id: str
    token: str
    version: int
    #: Until when the lease lasts at least, if nobody extends it.
    until_s: float


@dataclass
class History:
    """Shared by all clients of a run."""

    accepted: dict[str, float] = field(default_factory=dict)  # job id -> when its 201 arrived
    claims: list[Claim] = field(default_factory=list)
    acked: dict[str, float] = field(default_factory=dict)  # job id -> when its 200 arrived
    acked_token: dict[str, str] = field(default_factory=dict)
    #: Tokens whose lease the server said was over: released, acked, failed, or in doubt after a lost answer.
    ended: dict[str, float] = field(default_factory=dict)
    unknown: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def accept(self, *job_ids: str) -> None:
        with self._lock:
            for job_id in job_ids:
                self.accepted[job_id] = time.monotonic()

    def claim(self, job_id: str, token: str, version: int, until_s: float) -> None:
        with self._lock:
            self.claims.append(Claim(time.monotonic(), job_id, token, version, until_s))

    def ack(self, job_id: str, token: str) -> None:
        with self._lock:
            self.acked.setdefault(job_id, time.monotonic())
            self.acked_token.setdefault(job_id, token)

    def end(self, token: str) -> None:
        with self._lock:
            self.ended.setdefault(token, time.monotonic())

    def shrug(self) -> None:
        """An answer was lost."""
        with self._lock:
            self.unknown += 1
