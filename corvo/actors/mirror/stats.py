"""How long the mirror is behind, and how much the node has to slow down for it.

A burst is taken in at once, and the mirror works it off afterwards. Load that lasts must not be faster than
the mirror: searches would show an ever older past, until the log no longer reaches back to it. So from some
seconds on the batcher rests after each entry, for so long a job and longer the further the mirror is behind,
and the mirror has the processor meanwhile. Small entries cost no rest, as of a client that comes when the
load is over. And it never stops: a mirror that has a long way to go, as after a restart, costs no more.
"""

from collections import deque
from typing import Final

from corvo.core.clock import NS_PER_MS, NS_PER_S, Clock

#: From here on the node slows down.
_BEHIND_MAX_NS: Final = 2 * NS_PER_S
#: For each job of an entry, and each second beyond that; and at most. To write one takes some 12.
_REST_US_PER_S: Final = 5
_REST_US_MAX: Final = 20
#: How often it is noted when an entry came, and how many notes there are at most.
_NOTE_EVERY_NS: Final = 50 * NS_PER_MS
_NOTES_MAX: Final = 512


class MirrorPace:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: Entries that the mirror does not hold, every so often one, and when each of them came.
        self._notes: deque[tuple[int, int]] = deque()

    def told(self, index: int) -> None:
        """This entry has landed."""
        notes, now_ns = self._notes, self._clock.monotonic_ns()
        if len(notes) < _NOTES_MAX and (not notes or now_ns - notes[-1][1] >= _NOTE_EVERY_NS):
            notes.append((index, now_ns))

    def wrote(self, held: int) -> None:
        """The mirror holds everything up to here."""
        while self._notes and self._notes[0][0] <= held:
            self._notes.popleft()

    @property
    def behind_ns(self) -> int:
        """About how long the oldest entry waits that the mirror does not hold."""
        return self._clock.monotonic_ns() - self._notes[0][1] if self._notes else 0

    @property
    def rest_us(self) -> int:
        """How long the batcher should rest for each job it has sent on its way."""
        over_ns = max(0, self.behind_ns - _BEHIND_MAX_NS)
        return min(over_ns * _REST_US_PER_S // NS_PER_S, _REST_US_MAX)
