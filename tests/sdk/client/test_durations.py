"""Durations and times as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from corvo.core.times import parse_duration_ms
from corvo_sdk.durations import as_seconds, as_text, as_time


@pytest.mark.parametrize(
    ("given", "seconds"),
    [("1h30m", 5_400), ("250ms", 0.25), ("1.5s", 1.5), (2, 2), (timedelta(minutes=1), 60), ("2d", 172_800)],
)
def test_client_and_server_read_the_same(given, seconds):
    assert as_seconds(given) == pytest.approx(seconds)
    assert parse_duration_ms(as_text(given), "x") == pytest.approx(seconds * 1_000)


@pytest.mark.parametrize("given", ["", "10", "m", "5 minutes", "1h-2m", "1.2.3s"])
def test_nonsense_is_refused(given):
    with pytest.raises(ValueError, match=r"duration|float"):
        as_seconds(given)


def test_a_negative_duration_is_refused():
    with pytest.raises(ValueError, match="negative"):
        as_text(-1)


def test_times_are_utc():
    assert as_time(datetime(2026, 1, 2, 3, 4, tzinfo=UTC)) == "2026-01-02T03:04:00Z"
