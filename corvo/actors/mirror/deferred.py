"""What the mirror writer does later, and how much later."""

import enum
from datetime import timedelta
from typing import Final

from corvo.core.clock import NS_PER_MS, NS_PER_S

NOW: Final = timedelta(0)
#: How long rows may gather while nobody waits for them.
GATHER: Final = timedelta(milliseconds=150)
#: How long a message that somebody waits for may be under way before the store itself is looked at.
LOOK_AFTER: Final = timedelta(milliseconds=50)
#: About how many chunks the store may be ahead before the rest is read from there, in steps between which
#: questions are answered. What comes by message is cheaper, for it need not be looked up, but takes memory.
CHUNKS_AHEAD_MAX: Final = 8
#: After a failure that may pass: a full disk, a store that is being opened again.
RETRY_AFTER: Final = timedelta(seconds=1)
REBUILD_AGAIN_AFTER: Final = timedelta(seconds=5)
#: Failures of an unknown kind in a row before the file is no longer trusted.
FAILURES_MAX: Final = 3
#: Full-text indexing begins a while after the rows came, and takes at most a quarter of the time.
WORDS_AFTER: Final = timedelta(seconds=1)
WORDS_REST_FACTOR: Final = 3
WORDS_AT_ONCE_NS_MAX: Final = 500 * NS_PER_MS
#: A reader that finds fault with every new file is at fault itself.
BELIEVE_AGAIN_NS: Final = 60 * NS_PER_S


class Errand(enum.Enum):
    """writer -> itself: something to be done a while from now."""

    FLUSH = "rows have gathered long enough"
    CATCH_UP = "take the next step towards the store"
    LOOK = "somebody waits: see whether the store has what we were not told of"
    INDEX_WORDS = "do a round of full-text indexing"
    REBUILD = "the last attempt to build a new file failed"
