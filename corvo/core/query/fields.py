"""The fields of the query language: which operators each takes, and what it says about a search."""

import re
from collections.abc import Callable
from typing import Any, Final

from corvo.core import priority
from corvo.core.errors import ValidationFailed
from corvo.core.states import LABELS
from corvo.core.times import TIME_NS_MAX, format_time_ns, parse_duration_ms, parse_time_ns

_NS_PER_MS: Final = 1_000_000

#: A word that is the beginning of a job's id, or a whole one; or, as tables show it, its beginning and end.
JOB_ID: Final = re.compile(r"((?:s\d+_)?job_[0-9A-Za-z]*)(?:(?:…|\.\.\.)([0-9A-Za-z]+))?$")

#: Fields whose value is passed on as it is.
_SAME: Final = {
    "queue": "queue",
    "unique": "unique_key",
    "unique_key": "unique_key",
    "batch": "batch_id",
    "batch_id": "batch_id",
    "worker": "worker_id",
    "worker_id": "worker_id",
    "parent": "parent_id",
    "parent_id": "parent_id",
    "group": "group",
    "chain": "chain_id",
    "chain_id": "chain_id",
    "failure": "failure",
}
#: Times, as a query names them and as the filter does.
_TIMES: Final = {
    "created": "created",
    "scheduled": "scheduled",
    "started": "started",
    "completed": "completed",
    "expires": "expire",
}
_SORTS: Final = (
    "created_at",
    "priority",
    "started_at",
    "completed_at",
    "attempt",
    "failed_at",
    "scheduled_at",
)

_IS: Final = (":", "=", "==")
_HOLDS: Final = ("~", ":")
_ORDER: Final = (">", "<")
_NUMBERS: Final = (":", "=", "==", ">", ">=", "<", "<=")

_RELATIVE: Final = re.compile(r"([+-])(\S+)")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_INTEGER: Final = re.compile(r"\d{1,9}")


def read(name: str, operator: str, values: list[str], now_ns: int, *, negated: bool) -> dict[str, Any]:
    """Members of the filter. Raises ValidationFailed."""
    if name == "state":
        return {"state": _states(values, negated=negated != (operator == "!="))}
    value = values[0]
    if name in _SAME:
        return {_SAME[name]: value}
    if name == "id":
        return job_id(value)
    if name in _TIMES:
        return _time(_TIMES[name], operator, moment(value, now_ns))
    if name == "age":
        return _age(operator, value, now_ns)
    if name == "attempt":
        return _attempt(operator, value)
    return _PLAIN[name](value)


def job_id(text: str) -> dict[str, Any]:
    """A whole id, its beginning, or its beginning and end as tables show them."""
    parts = JOB_ID.match(text)
    if parts is None or parts[2] is None:
        return {"job_id_prefix": text}
    return {"job_id_prefix": parts[1], "job_id_suffix": parts[2]}


def operators_of(name: str) -> tuple[str, ...]:
    if name in _TIMES or name == "age":
        return _ORDER
    if name == "attempt":
        return _NUMBERS
    if name == "state":
        return (*_IS, "!=")
    return _HOLDS if name in ("error", "payload") else _IS


def twice(member: str) -> str:
    if member == "state":
        return "state is given twice; write state:dead,held for either"
    if member == "payload_contains":
        return "text is looked for twice; put the words in double quotes if they stand together"
    return f"{member} is given twice"


def _states(values: list[str], *, negated: bool) -> list[str]:
    for value in values:
        _one_of("state", value, LABELS)
    return [label for label in LABELS if (label in values) != negated]


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ValidationFailed(f"{name} is one of {', '.join(allowed)}")
    return value


# Times


def _time(member: str, operator: str, time_ns: int) -> dict[str, str]:
    return {f"{member}_{'after' if operator == '>' else 'before'}": format_time_ns(time_ns)}


def moment(text: str, now_ns: int) -> int:
    """`now`, `-2h` for two hours ago, `+10m` for in ten minutes, a date in UTC, or an RFC 3339 time."""
    if text == "now":
        return now_ns
    relative = _RELATIVE.fullmatch(text)
    if relative is not None:
        ms = parse_duration_ms(relative[2], "after the sign")
        moment_ns = now_ns + (ms if relative[1] == "+" else -ms) * _NS_PER_MS
        return min(max(moment_ns, 0), TIME_NS_MAX)
    if _DATE.fullmatch(text):
        text += "T00:00:00Z"
    try:
        return parse_time_ns(text, "time")
    except ValidationFailed:
        problem = f"{text[:40]} is no time; write -2h, +10m, now, 2026-01-31 or 2026-01-31T08:00:00Z"
        raise ValidationFailed(problem) from None


def _age(operator: str, value: str, now_ns: int) -> dict[str, Any]:
    created_ns = now_ns - parse_duration_ms(value, "age") * _NS_PER_MS
    # Older means created earlier.
    return _time("created", "<" if operator == ">" else ">", max(created_ns, 0))


# The rest


def _attempt(operator: str, value: str) -> dict[str, Any]:
    if not _INTEGER.fullmatch(value):
        raise ValidationFailed("attempt is compared with a whole number")
    number = int(value)
    match operator:
        case ">":
            return {"attempt_min": number + 1}
        case ">=":
            return {"attempt_min": number}
        case "<":
            return {"attempt_max": number - 1}
        case "<=":
            return {"attempt_max": number}
        case _:
            return {"attempt_min": number, "attempt_max": number}


def _limit(value: str) -> dict[str, Any]:
    if not _INTEGER.fullmatch(value) or not 1 <= int(value) <= 1_000:
        raise ValidationFailed("limit is a number from 1 to 1000")
    return {"limit": int(value)}


def _choice(name: str, allowed: tuple[str, ...]) -> Callable[[str], dict[str, Any]]:
    return lambda value: {name: _one_of(name, value, allowed)}


def _errors(name: str, *, wanted: bool) -> Callable[[str], dict[str, Any]]:
    def read_errors(value: str) -> dict[str, Any]:
        _one_of(name, value, ("errors",))
        return {"has_errors": wanted}

    return read_errors


#: Fields whose operator says nothing more.
_PLAIN: Final[dict[str, Callable[[str], dict[str, Any]]]] = {
    "error": lambda value: {"error_contains": value},
    "has": _errors("has", wanted=True),
    "limit": _limit,
    "no": _errors("no", wanted=False),
    "order": _choice("order", ("asc", "desc")),
    "payload": lambda value: {"payload_contains": value},
    "priority": _choice("priority", priority.LABELS),
    "sort": _choice("sort", _SORTS),
}

#: Every field there is, except fields with a path (`payload.a`, `tag.b`).
NAMES: Final = frozenset({"state", "tag", "age", "attempt", "id", *_SAME, *_TIMES, *_PLAIN})
