"""Cron: when a schedule fires next. Pure; the only module that imports croniter.

croniter knows cron expressions; what it is asked here is only "which local time comes next". Time zones and
their changes are ours: time is seen as stretches of constant offset, and between two stretches local times
either do not exist (a gap: clocks go forward) or come twice (an overlap: clocks go back).
"""

import enum
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from croniter import CroniterBadDateError, CroniterError, croniter

from corvo.core.clock import NS_PER_S
from corvo.core.errors import ValidationFailed


class DstGap(enum.IntEnum):
    """What becomes of a time that does not exist."""

    SHIFT = 0  # it is the first instant after the gap
    SKIP = 1


class DstOverlap(enum.IntEnum):
    """Which of two instants with the same local time counts."""

    FIRST = 0
    LAST = 1
    BOTH = 2


#: Changes of a zone's offset are searched for in steps of this; no stretch is shorter.
_SEARCH_STEP_S: Final = 6 * 86_400
#: Stretches looked through before a schedule is taken for one that never fires: fifty years of changes.
_STRETCHES_MAX: Final = 200
_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - local times carry no zone here

_NAMED: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_ALLOWED: Final = re.compile(r"[0-9A-Za-z*,/\- ]+")
_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS: Final = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
_WORDS: Final = frozenset((*_MONTHS, *_DAYS))


class Cron:
    """A cron expression in a time zone: five fields, or six with seconds first, or a name such as @daily."""

    def __init__(
        self,
        expression: str,
        zone: str = "UTC",
        gap: DstGap = DstGap.SHIFT,
        overlap: DstOverlap = DstOverlap.FIRST,
    ) -> None:
        self._expression, self._croniter = _checked(expression)
        self._zone = _zone(zone)
        self._gap = gap
        self._overlap = overlap

    def next_ns(self, after_ns: int) -> int:
        """The first fire time after this one."""
        return self._next_s(after_ns // NS_PER_S) * NS_PER_S

    def upcoming_ns(self, after_ns: int) -> Iterator[int]:
        while True:
            after_ns = self.next_ns(after_ns)
            yield after_ns

    # Stretches of constant offset; all times here are seconds

    def _next_s(self, after_s: int) -> int:
        at = after_s
        for _ in range(_STRETCHES_MAX):
            offset = self._offset(at)
            found = self._next_local(at + offset) - offset
            change = self._next_change(at, found)
            if change is None or found < change:
                skipped = self._repeated_until(found, offset)
                if skipped is None:
                    return found
                at = skipped
                continue
            later = self._offset(change)
            if later > offset and self._gap is DstGap.SHIFT and self._fires_in_gap(change, offset, later):
                return change
            # Nothing in this stretch: go on one second before the next one begins.
            at = change - 1
            offset = later
            found = self._next_local(at + offset) - offset
            change = self._next_change(change, found)
            if change is None or found < change:
                skipped = self._repeated_until(found, offset)
                if skipped is None:
                    return found
                at = skipped
            else:
                at = change - 1
        raise ValidationFailed(f"cron: {self._expression!r} never fires")

    def _fires_in_gap(self, change: int, before: int, after: int) -> bool:
        return self._next_local(change + before - 1) < change + after

    def _repeated_until(self, found: int, offset: int) -> int | None:
        """If this instant's local time comes twice and the other one counts: where to go on from."""
        if self._overlap is DstOverlap.BOTH:
            return None
        if self._overlap is DstOverlap.FIRST:
            earlier = self._previous_offset(found)
            if earlier is not None:
                change, before = earlier
                if before > offset and found < change + (before - offset):
                    return change + (before - offset) - 1
            return None
        change = self._next_change(found, found + 86_400) or 0
        if change and self._offset(change) < offset and found >= change - (offset - self._offset(change)):
            return change - 1
        return None

    def _previous_offset(self, at: int) -> tuple[int, int] | None:
        """The last change within a day before this, and the offset before it."""
        change = self._next_change(at - 86_400, at)
        return None if change is None else (change, self._offset(change - 1))

    def _next_change(self, start: int, end: int) -> int | None:
        """The first second in (start, end] at which another offset begins."""
        offset = self._offset(start)
        low = start
        while low < end:
            high = min(low + _SEARCH_STEP_S, end)
            if self._offset(high) != offset:
                while high - low > 1:
                    middle = (low + high) // 2
                    if self._offset(middle) == offset:
                        low = middle
                    else:
                        high = middle
                return high
            low = high
        return None

    def _offset(self, at: int) -> int:
        offset = datetime.fromtimestamp(at, UTC).astimezone(self._zone).utcoffset()
        assert offset is not None
        return int(offset.total_seconds())

    def _next_local(self, after: int) -> int:
        """The first matching local time after this one, both as seconds since a local epoch."""
        # Reading the expression costs as much as finding the time, so it is read once.
        self._croniter.set_current(_EPOCH + timedelta(seconds=after))
        try:
            found = self._croniter.get_next(datetime)
        except CroniterBadDateError:
            raise ValidationFailed(f"cron: {self._expression!r} never fires") from None
        return int((found - _EPOCH).total_seconds())


def _checked(expression: str) -> tuple[str, croniter]:
    """The expression in plain fields, and the croniter that knows its times."""
    text = " ".join(expression.split())
    text = _NAMED.get(text.lower(), text)
    fields = text.split(" ")
    refusal = ValidationFailed(
        f"cron: {expression[:60]!r} is not a cron expression; write five fields such as '*/5 * * * *', "
        f"six with seconds first, or a name such as @daily"
    )
    if len(fields) not in (5, 6) or len(text) > 200 or not _ALLOWED.fullmatch(text):
        raise refusal
    # croniter takes more letters than cron does; some of them pick a time at random.
    if any(word.upper() not in _WORDS for word in re.findall(r"[A-Za-z]+", text)):
        raise refusal
    try:
        return text, croniter(text, _EPOCH, second_at_beginning=len(fields) == 6)
    except (CroniterError, ValueError, KeyError):
        raise refusal from None


@lru_cache(maxsize=256)
def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValidationFailed(
            f"timezone: {name[:60]!r} is not a time zone; write for example Europe/Berlin"
        ) from None
