"""Which fire times have passed, against a walk through all of them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corvo.core.cron import Cron
from corvo.core.firing import CATCH_UP_MAX, firing, first_ns, latest, next_ns
from corvo.core.schedule import Misfire, Schedule, Timing
from tests.support.schedules import DAY, HOUR, MINUTE, ns, plan

SECOND = 1_000_000_000


def due(cron, start, misfire, **fields):
    """A schedule that was last looked at then."""
    wanted = plan(cron=cron, misfire=misfire, **fields)
    return Schedule("sched_1", wanted, 0, 0, next_ns=next_ns(wanted.timing, ns(start)))


def every(cron, first_ns, now_ns):
    found = [first_ns]
    while (after_ns := cron.next_ns(found[-1])) <= now_ns:
        found.append(after_ns)
    return tuple(found)


#: Each with a time in which it fires some dozens of times.
EXPRESSIONS = {
    "* * * * *": 60,
    "*/7 * * * *": 7 * 60,
    "0 9 * * 1-5": 60 * 24 * 60,
    "0,7 9-17 * * *": 4 * 24 * 60,
    "*/15 * 1-3 * * *": 30,
    "30 1,2 * * *": 30 * 24 * 60,
}


#: Each example walks through many times, so a few go a long way.
@settings(max_examples=min(settings.default.max_examples, 150))
@given(
    expression=st.sampled_from(sorted(EXPRESSIONS)),
    zone=st.sampled_from(["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe"]),
    start_h=st.integers(0, 24 * 365),
    share=st.floats(0, 1),
    most=st.integers(1, 20),
)
def test_the_latest_are_the_end_of_all_of_them(expression, zone, start_h, share, most):
    cron = Cron(expression, zone)
    first_ns = cron.next_ns(ns("2026-01-01T00:00:00") + start_h * HOUR)
    now_ns = first_ns + int(share * EXPRESSIONS[expression]) * MINUTE
    assert latest(cron, first_ns, now_ns, most) == every(cron, first_ns, now_ns)[-most:]


def test_a_fire_time_that_is_no_longer_one_is_due_all_the_same():
    # As after an update of the time zone's data: half past is what was computed then.
    cron = Cron("0 * * * *")
    first_ns = ns("2026-01-01T00:30:00")
    assert latest(cron, first_ns, ns("2026-01-01T00:40:00"), 1) == (first_ns,)
    assert latest(cron, first_ns, ns("2026-01-01T01:40:00"), 1) == (ns("2026-01-01T01:00:00"),)


@pytest.mark.parametrize("misfire", Misfire)
def test_what_is_on_time_fires_whatever_is_wanted_of_missed_ones(misfire):
    schedule = due("0 8 * * *", "2026-01-01T00:00:00", misfire)
    now = firing(schedule, ns("2026-01-01T08:00:59"))
    assert now.slots == (ns("2026-01-01T08:00:00"),)
    assert now.next_ns == ns("2026-01-02T08:00:00")


def test_once_makes_up_for_two_weeks_with_the_latest():
    schedule = due("0 8 * * *", "2026-01-01T00:00:00", Misfire.ONCE)
    now = firing(schedule, ns("2026-01-15T10:00:00"))
    assert (now.slots, now.missed_ns) == ((ns("2026-01-15T08:00:00"),), None)
    assert now.next_ns == ns("2026-01-16T08:00:00")


def test_skip_leaves_out_what_is_late_but_not_the_one_that_has_just_come():
    schedule = due("0 * * * *", "2026-01-01T00:00:00", Misfire.SKIP)
    late = firing(schedule, ns("2026-01-15T10:30:00"))
    assert (late.slots, late.missed_ns) == ((), ns("2026-01-15T10:00:00"))
    on_time = firing(schedule, ns("2026-01-15T10:00:30"))
    assert (on_time.slots, on_time.missed_ns) == ((ns("2026-01-15T10:00:00"),), None)


def test_all_makes_up_for_each_but_for_no_more_than_the_latest_hundred():
    few = firing(due("0 8 * * *", "2026-01-01T00:00:00", Misfire.ALL), ns("2026-01-15T10:00:00"))
    assert few.slots == tuple(ns("2026-01-01T08:00:00") + n * DAY for n in range(15))
    many = firing(due("* * * * * *", "2026-01-01T00:00:00", Misfire.ALL), ns("2026-01-15T00:00:00"))
    assert len(many.slots) == CATCH_UP_MAX
    assert many.slots[-1] == ns("2026-01-15T00:00:00")
    assert many.slots[0] == many.slots[-1] - 99 * SECOND


def test_after_the_last_fire_time_there_is_none():
    assert next_ns(Timing("0 0 30 2 *"), 0) is None


def test_a_plan_that_changes_does_not_fire_again_what_another_nodes_clock_has_fired():
    fired = ns("2026-01-01T00:10:00")
    schedule = Schedule("sched_1", plan(), 0, 0, dealt_ns=fired)
    assert first_ns(schedule, Timing("*/10 * * * *"), fired - SECOND) == fired + 10 * MINUTE
    # But a clock that once was days ahead does not hold up a schedule for days.
    assert first_ns(schedule, Timing("*/10 * * * *"), fired - DAY) == fired - DAY + 10 * MINUTE
    assert first_ns(None, Timing("*/10 * * * *"), fired - SECOND) == fired
