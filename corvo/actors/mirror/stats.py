"""Mirror stats: how far behind the mirror is, how much the node slows down for it, and its status.

A burst is taken in at once, and the mirror works it off afterwards. Load that lasts must not be faster than
the mirror: searches would show an ever older past, until the log no longer reaches back to it. So once the
mirror is some seconds behind, the batcher rests after each entry, for a time per job that grows with the lag,
and the mirror has the processor meanwhile. Small entries cost no rest, such as those of a client that comes
when the load is over. The batcher never stops for the mirror: one that has a long way to go, as after a
restart, costs no more than this.
"""

from collections import deque
from typing import Final

from corvo.actors.status import MirrorFigures, MirrorWriterStatus, RebuildFigures
from corvo.core.clock import NS_PER_MS, NS_PER_S, Clock
from corvo.core.times import format_time_ns

#: From here on the node slows down.
_BEHIND_MAX_NS: Final = 2 * NS_PER_S
#: The rest for each job of an entry, per second beyond that, and at most. To write one job takes some 12 µs.
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


class MirrorStats:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        #: The last entry the state machine told of.
        self.told_index = 0
        self.gaps = 0
        self.failures = 0
        self.flushes = 0
        self.rows_written = 0
        self.flush_ns_last = 0
        self.flush_ns_max = 0
        self.rebuilds = 0
        self._rebuild_started_ns = 0
        self._rebuild_began_ns = 0
        self._rebuild_took_ns = 0
        self._rebuild_succeeded: bool | None = None
        self._rebuild_error: str | None = None
        self._jobs_built = 0
        self._jobs_expected = 0

    def flushed(self, rows: int, took_ns: int) -> None:
        self.flushes += 1
        self.rows_written += rows
        self.flush_ns_last = took_ns
        self.flush_ns_max = max(self.flush_ns_max, took_ns)

    # Rebuilds

    def rebuild_began(self) -> None:
        self.rebuilds += 1
        self._rebuild_started_ns = self._clock.now_ns()
        self._rebuild_began_ns = self._clock.monotonic_ns()
        self._jobs_built = self._jobs_expected = 0

    def rebuild_progressed(self, jobs: int, jobs_expected: int) -> None:
        self._jobs_built = jobs
        self._jobs_expected = jobs_expected

    def rebuild_ended(self, error: str | None) -> int:
        """How long it took, in milliseconds."""
        self._rebuild_took_ns = self._clock.monotonic_ns() - self._rebuild_began_ns
        self._rebuild_succeeded = error is None
        self._rebuild_error = error
        return self._rebuild_took_ns // NS_PER_MS

    # Telling

    def status(
        self, *, held: int, queued: int, queue_max: int, behind: bool, building: bool, behind_ns: int
    ) -> MirrorWriterStatus:
        mirror = MirrorFigures(
            queued=queued,
            applied=self.rows_written,
            lag=max(0, self.told_index - held),
            behind_ms=behind_ns / NS_PER_MS,
            queue_depth=queued,
            queue_capacity=queue_max,
            stale=behind,
            gaps=self.gaps,
            failures=self.failures,
            flushes=self.flushes,
            flush_ms_last=self.flush_ns_last / NS_PER_MS,
            flush_ms_max=self.flush_ns_max / NS_PER_MS,
        )
        rebuild = RebuildFigures(
            ran=self.rebuilds,
            running=building,
            jobs=self._jobs_built,
            jobs_expected=self._jobs_expected,
            last_started_at=format_time_ns(self._rebuild_started_ns) if self.rebuilds else None,
            last_duration_ms=self._rebuild_took_ns // NS_PER_MS,
            last_success=self._rebuild_succeeded,
            last_error=self._rebuild_error,
        )
        return MirrorWriterStatus(held, mirror, rebuild)
