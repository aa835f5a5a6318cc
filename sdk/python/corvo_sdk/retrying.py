"""When a request is sent again, and after how long. Pure: who sleeps is somebody else."""

import random
from dataclasses import dataclass
from typing import Any

from corvo_sdk.call import Again, Call
from corvo_sdk.errors import AnswerLost, CorvoError, OutcomeUnknown


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """With the defaults a server that restarts within some ten seconds is not noticed."""

    attempts: int = 8
    base_s: float = 0.1
    most_s: float = 3.0

    def delay_s(self, call: Call[Any], error: CorvoError, attempt: int) -> float | None:
        """How long to wait after the attempt with this number (from 1) failed; None to give up."""
        if not call.patient or attempt >= self.attempts or not error.retryable:
            return None
        in_doubt = isinstance(error, AnswerLost | OutcomeUnknown)
        if in_doubt and call.again is Again.NEVER:
            return None
        growing = min(self.most_s, self.base_s * 2.0 ** min(attempt - 1, 32))
        # Jitter, so that a thousand clients do not come back in step.
        return max(error.retry_after_s, growing * random.uniform(0.5, 1.0))  # noqa: S311 - not a secret


NO_RETRIES = RetryPolicy(attempts=1)
