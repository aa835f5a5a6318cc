"""A trial under way: what a nemesis may use, and where it notes what should not have happened."""

import random
from dataclasses import dataclass, field

from chaos.group import Group
from chaos.history import History


@dataclass
class Trial:
    group: Group
    history: History
    #: Everything that is left to chance comes from here, so that a seed tells the same story again.
    chance: random.Random
    #: Sentences.
    problems: list[str] = field(default_factory=list)
