"""The newest of something whose ids are in the order of time, from a store that can only be read forwards.

Looks at the last second, then at the last four, sixteen and so on, until there are enough: however many
there are in all, it reads little more than it gives.
"""

from collections import deque
from collections.abc import Callable
from itertools import islice

from corvo.storage.kv import KvReader

_FIRST_WINDOW_MS = 1_000
_WIDER = 4
#: Nobody makes more than this within a second; who does sees the oldest of them.
_ROWS_MAX = 5_000


def newest(
    store: KvReader, key_at: Callable[[int], bytes], end: bytes, end_ms: int, count: int
) -> list[bytes]:
    """Values of the last keys before `end`, newest first. `key_at` is the first key of a time."""
    window_ms = _FIRST_WINDOW_MS
    while True:
        start = key_at(max(0, end_ms - window_ms))
        rows = deque(islice(store.scan(start, end), _ROWS_MAX), maxlen=count)
        if len(rows) == count or window_ms > end_ms:
            return [value for _, value in reversed(rows)]
        window_ms *= _WIDER
