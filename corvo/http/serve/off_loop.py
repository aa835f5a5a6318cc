"""Off the loop: what takes long to compute is computed by a thread, so that everybody else is served.

The interpreter runs one thread at a time and changes between them every millisecond, so it is no quicker
there. But a request that wants thirty thousand queues as JSON keeps others waiting for a millisecond at a
time, not for a second.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

_T = TypeVar("_T")

#: Fewer rows than this are done at once: a thread takes longer to ask than they do.
_ROWS_MIN: Final = 200
#: Of all at a time; more wait for their turn.
_THREADS: Final = 2
_threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="off loop")


async def off_loop(compute: Callable[[], _T], rows: int = _ROWS_MIN) -> _T:
    """What it computes. It must touch nothing that the loop may change meanwhile."""
    if rows < _ROWS_MIN:
        return compute()
    return await asyncio.get_running_loop().run_in_executor(_threads, compute)
