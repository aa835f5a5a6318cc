"""Failure groups: the message of a failure without what differs from one failure to the next.

    "timeout after 30s connecting to 10.0.0.7:25"  -->  "timeout after …s connecting to …"

Failures whose messages are then equal are one group. The mirror keeps the result for every job that failed,
so a change here needs a new SCHEMA_VERSION (storage/mirror/database.py).
"""

import re
from functools import lru_cache
from typing import Final

from corvo.core.sealing.form import group_of_text

HOLE: Final = "…"
NO_MESSAGE: Final = "(no message)"

#: What tells groups apart stands at the beginning of the first line.
_CHARS_MAX: Final = 300
#: Workers that fail do so again and again, with few different messages.
_REMEMBERED: Final = 4_096

#: The longest things first: an address is more than the numbers in it.
_DIFFERENT_EACH_TIME: Final = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b",
        r"\b(?:s\d+_)?(?:job|batch|sched|chn|bulk)_[0-9A-Za-z]{6,}\b",
        r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b",
        r"\bhttps?://[^\s\"'<>)]+",
        r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?",
        r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b",
        r"\b0x[0-9A-Fa-f]+\b",
        r"\b(?=[A-Fa-f]*\d)(?=\d*[A-Fa-f])[0-9A-Fa-f]{8,}\b",
        r"\"[^\"]{1,80}\"|'[^']{1,80}'",
        r"(?<![A-Za-z_])-?\d+(?:[.,]\d+)*",
    )
)
_SPACES: Final = re.compile(r"\s+")
_HOLES: Final = re.compile(rf"(?:{HOLE}[\s,;:/.-]*)+{HOLE}")


#: What the groups of sealed messages begin with; what follows tells them apart and nothing more.
SEALED: Final = "sealed:"


def failure_of(error: str) -> str:
    """The group that a failure with this message belongs to. Who seals a message says which (ADR 20)."""
    group = group_of_text(error)
    return _failure_of(error) if group is None else SEALED + group


@lru_cache(_REMEMBERED)
def _failure_of(error: str) -> str:
    text = error.split("\n", 1)[0][:_CHARS_MAX]
    for different in _DIFFERENT_EACH_TIME:
        text = different.sub(HOLE, text)
    return _HOLES.sub(HOLE, _SPACES.sub(" ", text)).strip() or NO_MESSAGE
