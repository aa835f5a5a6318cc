"""How long the mirror is behind, and what that costs the others."""

import pytest

from corvo.actors.mirror.stats import MirrorPace
from corvo.core.clock import NS_PER_MS, ManualClock


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def pace(clock):
    return MirrorPace(clock)


def test_a_mirror_that_was_told_of_nothing_is_not_behind(pace, clock):
    clock.advance(s=3_600)
    assert (pace.behind_ns, pace.rest_us) == (0, 0)


def test_it_is_as_far_behind_as_the_oldest_entry_it_does_not_hold(pace, clock):
    for index in range(1, 21):
        pace.told(index)
        clock.advance(ms=100)
    assert pace.behind_ns == 2_000 * NS_PER_MS
    pace.wrote(15)
    assert pace.behind_ns == 500 * NS_PER_MS
    pace.wrote(20)
    assert pace.behind_ns == 0


def test_two_seconds_cost_nothing_and_from_then_on_the_rest_grows_up_to_a_limit(pace, clock):
    pace.told(1)
    rests = []
    for _ in range(10):
        clock.advance(ms=1_000)
        rests.append(pace.rest_us)
    assert rests == [0, 0, 5, 10, 15, 20, 20, 20, 20, 20]


def test_an_idle_hour_between_two_entries_is_not_time_behind(pace, clock):
    pace.told(1)
    pace.wrote(1)
    clock.advance(s=3_600)
    pace.told(2)
    clock.advance(ms=10)
    assert pace.behind_ns == 10 * NS_PER_MS


def test_what_is_noted_of_a_mirror_that_stands_still_is_bounded(pace, clock):
    for index in range(10_000):
        pace.told(index)
        clock.advance(ms=50)
    assert len(pace._notes) == 512
    assert pace.behind_ns == 500_000 * NS_PER_MS
