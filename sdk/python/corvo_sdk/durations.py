"""Durations and times as people write them, and as the server reads them."""

from datetime import UTC, datetime, timedelta

#: "10m", "1h30m", a number of seconds, or a timedelta.
Duration = str | float | timedelta


def as_text(given: Duration) -> str:
    """As the server reads it. Text is passed on: the server knows the grammar and names what is wrong."""
    if isinstance(given, str):
        return given
    seconds = given.total_seconds() if isinstance(given, timedelta) else given
    if seconds < 0:
        raise ValueError(f"a duration cannot be negative: {given}")
    return f"{round(seconds * 1_000)}ms"


_UNIT_S = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}


def as_seconds(given: Duration) -> float:
    """For what is timed on this side."""
    if isinstance(given, timedelta):
        return given.total_seconds()
    if not isinstance(given, str):
        return float(given)
    rest, seconds = given.strip(), 0.0
    if not rest:
        raise ValueError("a duration cannot be empty")
    while rest:
        number = rest[: len(rest) - len(rest.lstrip("0123456789."))]
        rest = rest[len(number) :]
        unit = rest[: len(rest) - len(rest.lstrip("nuµmshd"))]
        rest = rest[len(unit) :]
        if unit not in _UNIT_S or not number:
            raise ValueError(f"{given!r} is not a duration; write it like 500ms, 30s or 1h30m")
        seconds += float(number) * _UNIT_S[unit]
    return seconds


def as_time(given: datetime | str) -> str:
    """RFC 3339. A datetime without a time zone would mean another moment on every machine."""
    if isinstance(given, str):
        return given
    if given.tzinfo is None:
        raise ValueError("the datetime has no time zone; use datetime.now(UTC) or give it one")
    return given.astimezone(UTC).isoformat().replace("+00:00", "Z")
