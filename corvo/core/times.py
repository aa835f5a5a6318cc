"""Durations and timestamps as clients write and read them.

In:  "1h30m", "1.5s", "250ms", "2d"; RFC 3339 with any offset.
Out: RFC 3339 in UTC with `Z`, as many digits of the second as are needed.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from corvo.core.clock import NS_PER_S
from corvo.core.errors import ValidationFailed
from corvo.core.limits import DURATION_MS_MAX

_UNIT_NS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}
_PART = re.compile(r"(\d{1,18}(?:\.\d{1,9})?)(ns|us|µs|μs|ms|s|m|h|d)")
_DURATION_CHARS_MAX = 64

_RFC3339 = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d{2}:\d{2})"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The largest time a key can hold and a client may name: the year 2262.
TIME_NS_MAX = (1 << 63) - 1


def parse_duration_ms(text: str, field: str) -> int:
    """Milliseconds, rounded up so that a positive duration never becomes zero."""
    refusal = ValidationFailed(
        f"{field}: {text[:40]!r} is not a duration; write for example 30s, 5m or 1h30m"
    )
    if not text or len(text) > _DURATION_CHARS_MAX:
        raise refusal
    total_ns = 0
    position = 0
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            # A zero needs no unit: people write "0".
            if text == "0":
                return 0
            raise refusal
        whole, _, fraction = part[1].partition(".")
        unit_ns = _UNIT_NS[part[2]]
        total_ns += int(whole) * unit_ns
        if fraction:
            total_ns += int(fraction) * unit_ns // 10 ** len(fraction)
        position = part.end()
    ms = -(-total_ns // 1_000_000)
    if ms > DURATION_MS_MAX:
        raise ValidationFailed(f"{field}: {text!r} is longer than ten years")
    return ms


@lru_cache(maxsize=1_024)
def format_duration(ms: int) -> str:
    """The shortest exact spelling with the units of the parser."""
    if ms == 0:
        return "0s"
    parts = []
    for unit, size in (("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)):
        count, ms = divmod(ms, size)
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts)


def parse_time_ns(text: str, field: str) -> int:
    """Nanoseconds since the epoch from an RFC 3339 text."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        raise ValidationFailed(
            f"{field}: {text[:40]!r} is not an RFC 3339 time; write for example 2026-01-31T08:00:00Z"
        )
    since = _moment(match, text, field) - _EPOCH
    fraction_ns = int((match[7] or "").ljust(9, "0"))
    leap = match[6] == "60"
    total_ns = (since.days * 86_400 + since.seconds + leap) * NS_PER_S + fraction_ns
    if not 0 <= total_ns <= TIME_NS_MAX:
        raise ValidationFailed(f"{field}: {text!r} is outside 1970 to 2262")
    return total_ns


def _moment(match: re.Match[str], text: str, field: str) -> datetime:
    """The moment without its fraction; a leap second counts as the one before it."""
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    try:
        # Far-off years are refused by the caller, with a message; here they must only not overflow.
        moment = datetime(
            min(max(year, 1900), 2300), month, day, hour, minute, 59 if second == 60 else second, tzinfo=UTC
        )
    except ValueError as error:
        raise ValidationFailed(f"{field}: {text!r} is not a time: {error}") from None
    zone = match[8]
    if zone in "Zz":
        return moment
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        raise ValidationFailed(f"{field}: {text!r} has an offset that does not exist")
    offset = timedelta(hours=hours, minutes=minutes)
    return moment - offset if zone[0] == "+" else moment + offset


# Rendering a time is on the path of every answer, and neighbouring times share their second. The cache
# is one slot holding a pair, replaced as a whole, so that threads never see half of it.
_second_rendered: tuple[int, str] = (-1, "")


def format_time_ns(time_ns: int) -> str:
    """RFC 3339 in UTC; trailing zeros of the fraction are left out."""
    global _second_rendered  # noqa: PLW0603 - a one-slot cache of a pure function
    second, fraction = divmod(time_ns, NS_PER_S)
    known, text = _second_rendered
    if second != known:
        text = (_EPOCH + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%S")
        _second_rendered = (second, text)
    if not fraction:
        return text + "Z"
    return f"{text}.{fraction:09d}".rstrip("0") + "Z"
