"""Fire times across both changes of the clock, in zones that do it differently."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from corvo.core.cron import Cron, DstGap, DstOverlap
from corvo.core.errors import ValidationFailed


def ns(text):
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000_000


def fires(cron, after, count):
    found = []
    at = ns(after)
    for _ in range(count):
        at = cron.next_ns(at)
        found.append(datetime.fromtimestamp(at // 1_000_000_000, UTC).strftime("%m-%d %H:%M:%S"))
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("*/15 * * * *", ["01-01 00:15:00", "01-01 00:30:00"]),
        ("0 9 * * 1-5", ["01-01 09:00:00", "01-02 09:00:00"]),
        ("0 0 1 */2 *", ["03-01 00:00:00", "05-01 00:00:00"]),
        ("30 6 * JAN,FEB SUN", ["01-04 06:30:00", "01-11 06:30:00"]),
        ("0 0 * * 7", ["01-04 00:00:00", "01-11 00:00:00"]),
        ("0 0 13 * 5", ["01-02 00:00:00", "01-09 00:00:00"]),
        ("@hourly", ["01-01 01:00:00", "01-01 02:00:00"]),
        ("@weekly", ["01-04 00:00:00", "01-11 00:00:00"]),
        ("*/20 * * * * *", ["01-01 00:00:20", "01-01 00:00:40"]),
        ("30 0 12 * * *", ["01-01 12:00:30", "01-02 12:00:30"]),
        ("0 0 29 2 *", ["02-29 00:00:00", "02-29 00:00:00"]),
    ],
)
def test_expressions(expression, expected):
    assert fires(Cron(expression), "2026-01-01T00:00:00+00:00", 2) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "* * * *",
        "* * * * * * *",
        "61 * * * *",
        "* 25 * * *",
        "a b c d e",
        "R * * * *",
        "H H * * *",
        "@reboot",
        "* * L * *",
        "*/0 * * * *",
        "x" * 300,
        "0 0 30 2 *",
    ],
)
def test_what_is_no_cron_expression_is_refused(expression):
    with pytest.raises(ValidationFailed, match="cron"):
        Cron(expression).next_ns(0)


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "Europe/"])
def test_unknown_zones_are_refused(zone):
    with pytest.raises(ValidationFailed, match="timezone"):
        Cron("* * * * *", zone)


# New York: forward on 2026-03-08 at 02:00 EST (07:00 UTC), back on 2026-11-01 at 02:00 EDT (06:00 UTC)


def test_a_time_in_the_gap_is_the_first_instant_after_it():
    cron = Cron("30 2 * * *", "America/New_York")
    assert fires(cron, "2026-03-07T00:00:00+00:00", 3) == [
        "03-07 07:30:00",
        "03-08 07:00:00",
        "03-09 06:30:00",
    ]


def test_a_time_in_the_gap_can_be_skipped():
    cron = Cron("30 2 * * *", "America/New_York", gap=DstGap.SKIP)
    assert fires(cron, "2026-03-07T00:00:00+00:00", 2) == ["03-07 07:30:00", "03-09 06:30:00"]


def test_many_times_in_the_gap_are_one():
    cron = Cron("*/20 * * * *", "America/New_York")
    expected = ["03-08 06:40:00", "03-08 07:00:00", "03-08 07:20:00"]
    assert fires(cron, "2026-03-08T06:20:00+00:00", 3) == expected


@pytest.mark.parametrize(
    ("overlap", "expected"),
    [
        (DstOverlap.FIRST, ["11-01 05:30:00", "11-02 06:30:00"]),
        (DstOverlap.LAST, ["11-01 06:30:00", "11-02 06:30:00"]),
        (DstOverlap.BOTH, ["11-01 05:30:00", "11-01 06:30:00"]),
    ],
)
def test_a_time_that_comes_twice(overlap, expected):
    cron = Cron("30 1 * * *", "America/New_York", overlap=overlap)
    assert fires(cron, "2026-11-01T00:00:00+00:00", 2) == expected


@pytest.mark.parametrize(
    ("overlap", "minutes"),
    [(DstOverlap.FIRST, [30, 150, 180]), (DstOverlap.LAST, [90, 120, 150]), (DstOverlap.BOTH, [30, 60, 90])],
)
def test_every_half_hour_through_the_overlap(overlap, minutes):
    # From 01:00 EDT on: in FIRST the repeated hour is silent, in LAST the first hour is.
    cron = Cron("*/30 * * * *", "America/New_York", overlap=overlap)
    start = "2026-11-01T05:00:00+00:00"
    found = fires(cron, start, 3)
    expected = [
        datetime.fromtimestamp(ns(start) // 10**9 + minute * 60, UTC).strftime("%m-%d %H:%M:%S")
        for minute in minutes
    ]
    if overlap is DstOverlap.FIRST:
        expected = ["11-01 05:30:00", "11-01 07:00:00", "11-01 07:30:00"]
    elif overlap is DstOverlap.LAST:
        expected = ["11-01 06:00:00", "11-01 06:30:00", "11-01 07:00:00"]
    assert found == expected


# Berlin: forward on 2026-03-29 at 02:00 (01:00 UTC), back on 2026-10-25 at 03:00 (01:00 UTC)


def test_berlin_keeps_its_local_time_over_both_changes():
    cron = Cron("0 8 * * *", "Europe/Berlin")
    assert fires(cron, "2026-03-28T00:00:00+00:00", 3) == [
        "03-28 07:00:00",
        "03-29 06:00:00",
        "03-30 06:00:00",
    ]
    assert fires(cron, "2026-10-24T00:00:00+00:00", 3) == [
        "10-24 06:00:00",
        "10-25 07:00:00",
        "10-26 07:00:00",
    ]


def test_berlin_gap_and_overlap():
    assert fires(Cron("15 2 * * *", "Europe/Berlin"), "2026-03-28T12:00:00+00:00", 2) == [
        "03-29 01:00:00",
        "03-30 00:15:00",
    ]
    assert fires(Cron("15 2 * * *", "Europe/Berlin"), "2026-10-24T12:00:00+00:00", 2) == [
        "10-25 00:15:00",
        "10-26 01:15:00",
    ]


# Lord Howe: half an hour only; back on 2026-04-05 at 02:00 (15:00 UTC the day before), forward on 2026-10-04


def test_lord_howe_changes_by_half_an_hour():
    zone = "Australia/Lord_Howe"
    twice = Cron("45 1 * * *", zone, overlap=DstOverlap.BOTH)
    assert fires(twice, "2026-04-04T12:00:00+00:00", 3) == [
        "04-04 14:45:00",
        "04-04 15:15:00",
        "04-05 15:15:00",
    ]
    assert fires(Cron("45 1 * * *", zone), "2026-04-04T12:00:00+00:00", 2) == [
        "04-04 14:45:00",
        "04-05 15:15:00",
    ]
    gap = Cron("10 2 * * *", zone)
    assert fires(gap, "2026-10-03T12:00:00+00:00", 2) == ["10-03 15:30:00", "10-04 15:10:00"]


@pytest.mark.parametrize(
    "zone", ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]
)
@pytest.mark.slow
@pytest.mark.parametrize("expression", ["*/7 * * * *", "0 */3 * * *", "30 1,2 * * *", "0 0 1 * *"])
def test_over_a_year_each_fire_time_is_a_match_and_time_only_moves_forward(zone, expression):
    cron = Cron(expression, zone)
    info = ZoneInfo(zone)
    at = ns("2026-01-01T00:00:00+00:00")
    end = ns("2026-01-10T00:00:00+00:00") if expression.startswith("*/7") else ns("2027-01-01T00:00:00+00:00")
    seen = []
    while at < end:
        after = cron.next_ns(at)
        assert after > at
        at = after
        seen.append(datetime.fromtimestamp(at // 10**9, UTC).astimezone(info))
    locals_ = [moment.replace(tzinfo=None) for moment in seen]
    assert len(locals_) == len(set(locals_)), "no local time fires twice by default"
    if expression == "0 0 1 * *":
        assert len(seen) in (12, 13)


def test_seconds_near_a_change_are_quick_to_find():
    cron = Cron("* * * * * *", "America/New_York")
    assert fires(cron, "2026-03-08T06:59:58+00:00", 3) == [
        "03-08 06:59:59",
        "03-08 07:00:00",
        "03-08 07:00:01",
    ]
