"""Reverse scan: the newest records from a store that can only be read forwards, by ids in the order of time.

It looks at the last second, then at the last four, sixteen and so on, until there are enough records. If
there are far too many by then, somewhere in between is a stretch that has just about enough, and is found by
halving. So however many records there are, it reads little more than it returns.
"""

from collections import deque
from collections.abc import Callable
from itertools import islice

from corvo.storage.kv import KvReader

_FIRST_WINDOW_MS = 1_000
_WIDER = 4
#: More rows than this are not read if the stretch can be made shorter.
_ROWS_MAX = 5_000


def newest(
    store: KvReader, key_at: Callable[[int], bytes], end: bytes, end_ms: int, count: int
) -> list[bytes]:
    """Values of the last keys before `end`, newest first. `key_at` is the first key of a time."""
    too_short_ms, window_ms = 0, _FIRST_WINDOW_MS
    too_long_ms: int | None = None
    while True:
        rows = store.scan(key_at(max(0, end_ms - window_ms)), end)
        found = list(islice(rows, _ROWS_MAX + 1))
        if len(found) > _ROWS_MAX and window_ms - too_short_ms > 1:
            too_long_ms = window_ms
        else:
            # What is left of a stretch that cannot be made any shorter is read to its end.
            last = deque(found, maxlen=count)
            last.extend(rows)
            if len(last) == count or window_ms > end_ms:
                return [value for _, value in reversed(last)]
            too_short_ms = window_ms
        if too_long_ms is None:
            window_ms = too_short_ms * _WIDER
        else:
            window_ms = max(too_short_ms + 1, (too_short_ms + too_long_ms) // 2)
