"""Fire times against a walk through every minute: what the calendar says, in the plainest words."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corvo.core.cron import Cron, DstGap, DstOverlap
from tests.support.schedules import DAY, MINUTE, ns

#: Midnight UTC of the day before the clocks change, for several years of several zones.
CHANGES = [
    ("America/New_York", "2026-03-07", "2026-10-31", "2027-03-13", "2027-11-06"),
    ("Europe/Berlin", "2026-03-28", "2026-10-24", "2028-03-25", "2028-10-28"),
    ("Australia/Lord_Howe", "2026-04-04", "2026-10-03", "2027-04-03", "2027-10-02"),
    ("America/Sao_Paulo", "2018-11-03", "2019-02-16"),  # changed at midnight
    ("Pacific/Apia", "2011-12-29"),  # left out a whole day
    ("Asia/Kolkata", "2026-03-28"),
]
PLACES = [(zone, day) for zone, *days in CHANGES for day in days]

minutes = st.sampled_from(["0", "30", "*/7", "15,45", "59", "0-9"])
hours = st.sampled_from(["*", "0", "1", "2", "3", "1-3", "*/2", "23"])


def values(field, size):
    """The numbers a field of the kinds above stands for."""
    found = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        low, high = (0, size - 1) if first == "*" else (int(first), int(last or first))
        found |= set(range(low, high + 1, int(step or 1)))
    return found


def walk(minute, hour, zone, gap, overlap, start_ns, days):
    """All fire times of these days, minute by minute."""
    at = datetime.fromtimestamp(start_ns // 10**9, UTC)
    end = at + timedelta(days=days)
    minute_values, hour_values = values(minute, 60), values(hour, 24)

    def matches(local):
        return local.minute in minute_values and local.hour in hour_values

    def local_of(moment):
        return moment.astimezone(zone).replace(tzinfo=None)

    fired = []
    local = local_of(at)
    while (at := at + timedelta(minutes=1)) <= end:
        local, before = local_of(at), local
        hit = matches(local) and _counts(at, local, zone, overlap)
        if local - before > timedelta(minutes=1) and gap is DstGap.SHIFT:
            # Clocks went forward: what was left out comes now.
            missing = before + timedelta(minutes=1)
            while missing < local:
                hit = hit or matches(missing)
                missing += timedelta(minutes=1)
        if hit:
            fired.append(int(at.timestamp()) * 10**9)
    return fired


def _counts(at, local, zone, overlap):
    """Whether this instant is the one that counts among those with the same local time."""
    earlier, later = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    if earlier == later or overlap is DstOverlap.BOTH or earlier > later:
        return True
    return at == (earlier if overlap is DstOverlap.FIRST else later)


#: Each example walks through a thousand minutes, so a few go a long way.
@settings(max_examples=min(settings.default.max_examples, 150))
@given(
    place=st.sampled_from(PLACES),
    minute=minutes,
    hour=hours,
    gap=st.sampled_from(DstGap),
    overlap=st.sampled_from(DstOverlap),
    start_m=st.integers(10 * 60, 20 * 60),
)
def test_fire_times_around_a_change_are_those_of_a_walk(place, minute, hour, gap, overlap, start_m):
    zone, day = place
    start_ns = ns(f"{day}T00:00:00") + start_m * MINUTE
    expected = walk(minute, hour, ZoneInfo(zone), gap, overlap, start_ns, days=1)
    cron = Cron(f"{minute} {hour} * * *", zone, gap, overlap)

    found = []
    for at_ns in cron.upcoming_ns(start_ns):
        if at_ns > start_ns + DAY:
            break
        found.append(at_ns)

    assert found == expected


@pytest.mark.parametrize(("zone", "day"), PLACES)
def test_each_start_finds_the_same_fire_times(zone, day):
    cron = Cron("*/20 0-3 * * *", zone)
    start_ns = ns(f"{day}T00:00:00")
    whole = []
    for at_ns in cron.upcoming_ns(start_ns):
        if at_ns > start_ns + 2 * DAY:
            break
        whole.append(at_ns)
    for hours_later in range(48):
        after_ns = start_ns + hours_later * 60 * MINUTE
        upcoming = [at_ns for at_ns in whole if at_ns > after_ns]
        if upcoming:
            assert cron.next_ns(after_ns) == upcoming[0]
