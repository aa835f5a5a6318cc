"""How long a loop waits before it asks an unavailable server again."""

import asyncio
import random

from corvo_sdk.errors import CorvoError

_BASE_S = 0.05
_MOST_S = 2.0


class Patience:
    """Grows with every failure in a row, and is as new after a success."""

    def __init__(self) -> None:
        self._failures = 0

    def restore(self) -> None:
        self._failures = 0

    async def wait(self, error: CorvoError) -> None:
        # A server may be away for days: the exponent must not grow beyond what a number can hold.
        growing = min(_MOST_S, _BASE_S * 2 ** min(self._failures, 16))
        self._failures += 1
        # Jitter, so that a thousand workers do not fall upon a server that has just come up.
        jittered = growing * random.uniform(0.5, 1.0)  # noqa: S311 - not a secret
        await asyncio.sleep(max(error.retry_after_s, jittered))
