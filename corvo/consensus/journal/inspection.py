"""Inspection: looking at a journal without touching it, as `corvo doctor` does to a stopped node."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corvo.consensus.errors import RefusedToStart
from corvo.consensus.journal.recovery import Damage, recover
from corvo.consensus.roster import ROSTER, Roster


@dataclass(frozen=True, slots=True)
class JournalReport:
    """What is in a journal, and what is wrong with it."""

    first_index: int
    last_index: int
    #: The reason for which a node would refuse to start with it.
    problem: str | None = None
    #: The tail a node would drop at start: it was never acknowledged.
    damage: Damage | None = None
    #: The last roster in the journal, if it has any.
    roster: Roster | None = None


def inspect(directory: Path) -> JournalReport:
    try:
        recovered = recover(_LookedAt(directory))
    except RefusedToStart as refusal:
        return JournalReport(0, 0, problem=str(refusal))
    if not recovered.entries:
        return JournalReport(0, 0, damage=recovered.damage)
    rosters = (command[1:] for command, _, _ in reversed(recovered.entries) if command[:1] == ROSTER)
    last = next(rosters, None)
    return JournalReport(
        recovered.entries[0][1],
        recovered.entries[-1][1],
        damage=recovered.damage,
        roster=None if last is None else Roster.decode(last),
    )


class _LookedAt:
    """A Disk on which nothing is ever changed: what recovery would repair it only notes."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def names(self) -> list[str]:
        return sorted(path.name for path in self._directory.iterdir())

    def create(self, name: str) -> "_Image":
        raise AssertionError(f"looking at a journal does not create {name}")

    def open(self, name: str) -> "_Image":
        return _Image((self._directory / name).read_bytes())

    def unlink(self, name: str) -> None:
        """The file stays."""

    def sync_directory(self) -> None:
        """Nothing was changed."""

    def bytes_total(self) -> int:
        return 0

    def close(self) -> None:
        """Nothing is held open."""


class _Image:
    """A File as it was when it was read."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read(self) -> bytes:
        return self._data

    def write(self, pieces: Sequence[bytes], offset: int) -> None:
        """The repair is left to the node."""

    def preallocate(self, start: int, size: int) -> None:
        raise AssertionError("looking at a journal claims no space")

    def truncate(self, size: int) -> None:
        """The repair is left to the node."""

    def sync(self) -> None:
        """Nothing was written."""

    def close(self) -> None:
        """Nothing is held open."""
