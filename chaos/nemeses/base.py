"""What a nemesis is: one thing that goes wrong, for a moment, and is put right again."""

from abc import ABC, abstractmethod
from pathlib import Path

from chaos.trial import Trial


class Nemesis(ABC):
    """Made anew for every trial."""

    def missing(self) -> str | None:
        """Why it cannot be had on this machine, in a sentence; None if it can."""
        return None

    def ground(self, _folder: Path) -> tuple[str, ...]:
        """Called before a node whose data goes into this folder is started for the first time.

        What to put in front of its command.
        """
        return ()

    def clear(self) -> None:  # noqa: B027 - most leave nothing anyway
        """Called when all nodes have ended: leave nothing behind."""

    @abstractmethod
    def strike(self, trial: Trial, victim: str) -> str:
        """Do it, and undo it. What was done, as the end of a sentence that begins with the time."""
