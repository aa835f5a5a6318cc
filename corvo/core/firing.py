"""Firing: which fire times of a schedule have passed, and which of them get a job.

Pure. Called before an op is proposed, never by the state machine.
"""

from functools import lru_cache
from itertools import islice, takewhile
from typing import Final

import msgspec

from corvo.core.clock import NS_PER_S
from corvo.core.cron import Cron
from corvo.core.errors import ValidationFailed
from corvo.core.schedule import Misfire, Schedule, Timing

#: Jobs that may be made at once for missed fire times.
CATCH_UP_MAX: Final = 100
#: A fire time found at most this late is on time, whatever the schedule's misfire policy says.
ON_TIME_NS: Final = 60 * NS_PER_S


class Firing(msgspec.Struct, frozen=True):
    """What a schedule is to do now."""

    #: Fire times that get a job, oldest first.
    slots: tuple[int, ...]
    #: The latest fire time that was missed and gets no job; None if there is none.
    missed_ns: int | None
    next_ns: int | None


@lru_cache(maxsize=4_096)
def cron_of(timing: Timing) -> Cron:
    return Cron(timing.cron, timing.timezone, timing.dst_gap, timing.dst_overlap)


@lru_cache(maxsize=1_024)  # Hundreds of schedules may share their midnight.
def next_ns(timing: Timing, after_ns: int) -> int | None:
    """The first fire time after this; None if there is none within fifty years."""
    cron = cron_of(timing)
    try:
        return cron.next_ns(after_ns)
    except ValidationFailed:
        return None


def first_ns(schedule: Schedule | None, timing: Timing, now_ns: int) -> int | None:
    """When a schedule that is new, changed or enabled again fires for the first time."""
    dealt_ns = 0 if schedule is None else schedule.dealt_ns
    # Another node's clock may be a little ahead of this one; what it has fired is not to be fired again.
    ahead = 0 < dealt_ns - now_ns <= ON_TIME_NS
    return next_ns(timing, dealt_ns if ahead else now_ns)


def firing(schedule: Schedule, now_ns: int) -> Firing:
    """What to do about a schedule whose time has come."""
    assert schedule.next_ns is not None
    assert schedule.next_ns <= now_ns
    timing, misfire = schedule.plan.timing, schedule.plan.misfire
    slots: tuple[int, ...] = (schedule.next_ns,)
    after_ns = next_ns(timing, schedule.next_ns)
    if after_ns is not None and after_ns <= now_ns:
        most = CATCH_UP_MAX if misfire is Misfire.ALL else 1
        slots = latest(cron_of(timing), schedule.next_ns, now_ns, most)
        after_ns = next_ns(timing, now_ns)
    if misfire is Misfire.SKIP and now_ns - slots[-1] > ON_TIME_NS:
        return Firing((), slots[-1], after_ns)
    return Firing(slots, None, after_ns)


def latest(cron: Cron, first_ns: int, now_ns: int, most: int) -> tuple[int, ...]:
    """Of the fire times from the first one up to now, the latest ones, oldest first.

    There may be millions of them, so they are not walked through: by halving, a start is found from which
    just as many follow as are wanted. At most one falls on each second, so there is such a start.
    """

    def following(start_ns: int) -> tuple[int, ...]:
        """Up to one more than is wanted."""
        upcoming = takewhile(lambda at_ns: at_ns <= now_ns, cron.upcoming_ns(start_ns))
        return tuple(islice(upcoming, most + 1))

    # The first one is due even if it is no fire time any more: its time zone's data may have changed since.
    found = (first_ns, *following(first_ns))
    if len(found) <= most:
        return found
    low_s, high_s = first_ns // NS_PER_S, now_ns // NS_PER_S
    probe_s = _regular_start_s(cron, first_ns, now_ns, most)
    while low_s < high_s:
        middle_s = probe_s if low_s <= probe_s < high_s else (low_s + high_s) // 2
        probe_s = -1
        found = following(middle_s * NS_PER_S)
        if len(found) == most:
            return found
        if len(found) > most:
            low_s = middle_s + 1
        else:
            high_s = middle_s
    return following(low_s * NS_PER_S)[:most]


def _regular_start_s(cron: Cron, first_ns: int, now_ns: int, most: int) -> int:
    """Where to start if all fire times are as far apart as the last: often right, which saves the halving."""
    if most == 1:
        return -1
    (last_ns,) = latest(cron, first_ns, now_ns, 1)
    return (last_ns - most * (cron.next_ns(now_ns) - last_ns)) // NS_PER_S
