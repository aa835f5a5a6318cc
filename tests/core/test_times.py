import pytest

from corvo.core.errors import ValidationFailed
from corvo.core.times import format_duration, format_time_ns, parse_duration_ms, parse_time_ns


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("0", 0),
        ("0s", 0),
        ("30s", 30_000),
        ("1.5s", 1_500),
        ("1h30m", 5_400_000),
        ("1h0m0s", 3_600_000),
        ("250ms", 250),
        ("2d", 172_800_000),
        ("1us", 1),
        ("1µs", 1),
        ("1500000ns", 2),
    ],
)
def test_a_duration_is_read_in_milliseconds_rounded_up(text, ms):
    assert parse_duration_ms(text, "delay") == ms


@pytest.mark.parametrize(
    "text", ["", "5", "-1s", "1 s", "s", "1.s", "1x", "1s1", "+1s", "9" * 30 + "h", "5000d", "1e3s"]
)
def test_what_is_no_duration_is_refused_with_the_field_named(text):
    with pytest.raises(ValidationFailed, match="delay"):
        parse_duration_ms(text, "delay")


@pytest.mark.parametrize("ms", [0, 1, 999, 1_000, 61_001, 5_400_000, 90_061_001])
def test_a_printed_duration_reads_back(ms):
    assert parse_duration_ms(format_duration(ms), "x") == ms


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:30:00-00:30", 0),
        ("2026-02-03T04:05:06.5Z", 1_770_091_506_500_000_000),
        ("2026-02-03T04:05:06.123456789999Z", 1_770_091_506_123_456_789),
        ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
        ("2026-02-03t04:05:06z", 1_770_091_506_000_000_000),
    ],
)
def test_a_time_is_read_with_any_offset_and_fraction(text, ns):
    assert parse_time_ns(text, "at") == ns


@pytest.mark.parametrize(
    "text",
    [
        "",
        "tomorrow",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01",
        "2026-01-01T00:00:00",
        "1960-01-01T00:00:00Z",
        "2300-01-01T00:00:00Z",
        "2026-01-01T00:00:00+25:00",
        "2026-01-01T00:00:00+00:99",
        "0001-01-01T00:00:00+10:00",
    ],
)
def test_what_is_no_time_is_refused_with_the_field_named(text):
    with pytest.raises(ValidationFailed, match="at"):
        parse_time_ns(text, "at")


def test_times_print_in_utc_without_trailing_zeros():
    assert format_time_ns(1_770_091_506_500_000_000) == "2026-02-03T04:05:06.5Z"
    assert format_time_ns(1_770_091_506_000_000_000) == "2026-02-03T04:05:06Z"
    assert format_time_ns(1_770_091_506_000_000_001) == "2026-02-03T04:05:06.000000001Z"
