"""Priorities: which of two pending jobs goes first (docs/reference/jobs.md)."""

import enum
from typing import Final

from corvo.core.errors import ValidationFailed


class Priority(enum.IntEnum):
    """Lower is sooner."""

    CRITICAL = 0
    HIGH = 1
    NORMAL = 2
    LOW = 3

    @property
    def label(self) -> str:
        return self.name.lower()


#: As clients write them, the most urgent first.
LABELS: Final = tuple(priority.label for priority in Priority)
_BY_LABEL: Final[dict[str | int, Priority]] = {priority.label: priority for priority in Priority}
_KNOWN: Final = _BY_LABEL | {int(priority): priority for priority in Priority}


def priority_of(given: str | int) -> Priority:
    """By its name or its number. Raises ValidationFailed: an unknown name must never mean another one."""
    found = _KNOWN.get(given)
    if found is None:
        raise ValidationFailed(f"priority: {str(given)[:40]!r} is not one of {', '.join(LABELS)}")
    return found
