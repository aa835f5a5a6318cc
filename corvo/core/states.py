"""The life cycle of a job, as data.

    scheduled --> pending --> active --> completed
                   ^  ^         |-----> retrying --> pending
                   |  |         |-----> dead
                   |  +---------+       (lease lost, released)
                  held

`TRANSITIONS` is the only list of what may follow what: the state machine checks every change
against it, and the documentation and the UI's buttons are drawn from it.
"""

import enum
from typing import Final


class JobState(enum.IntEnum):
    """Stored as the number, shown as the lower-case name. Numbers are never reused."""

    SCHEDULED = 0
    PENDING = 1
    ACTIVE = 2
    HELD = 3
    RETRYING = 4
    COMPLETED = 5
    DEAD = 6
    CANCELLED = 7

    @property
    def label(self) -> str:
        return LABELS[self]


S = JobState

LABELS: Final[tuple[str, ...]] = tuple(state.name.lower() for state in JobState)
BY_LABEL: Final[dict[str, JobState]] = {state.name.lower(): state for state in JobState}

TERMINAL: Final = frozenset({S.COMPLETED, S.DEAD, S.CANCELLED})

TRANSITIONS: Final[dict[JobState, frozenset[JobState]]] = {
    S.SCHEDULED: frozenset({S.PENDING, S.HELD, S.CANCELLED, S.DEAD}),
    S.PENDING: frozenset({S.ACTIVE, S.HELD, S.CANCELLED, S.DEAD}),
    S.ACTIVE: frozenset({S.COMPLETED, S.RETRYING, S.DEAD, S.CANCELLED, S.PENDING, S.SCHEDULED, S.HELD}),
    S.HELD: frozenset({S.PENDING, S.DEAD, S.CANCELLED}),
    S.RETRYING: frozenset({S.PENDING, S.HELD, S.CANCELLED, S.DEAD}),
    S.COMPLETED: frozenset({S.PENDING}),
    S.DEAD: frozenset({S.PENDING}),
    S.CANCELLED: frozenset({S.PENDING}),
}
assert TRANSITIONS.keys() == set(JobState), "every state needs a row"


def check(old: JobState, new: JobState) -> None:
    """An illegal change of state is a bug in the state machine, not a refusal."""
    assert new in TRANSITIONS[old], f"illegal transition {old.label} -> {new.label}"
