"""Reached queues: what a caller may see, as a condition on the queues of a search.

    reach --> which queues are there? --> their names, if they are few; else a range and a pattern

A search of one namespace must not walk over the jobs of another, so the namespace is turned into its queues:
then it is a search of these queues, by their indexes, however much lies between them. The names are found by
hopping along the index of queues, one step for each.
"""

from collections.abc import Generator
from typing import Any, Final

import msgspec

from corvo.core.namespace import (
    ALL,
    DEFAULT,
    SEPARATOR,
    Qualified,
    Reach,
    covers,
    namespace_in,
    qualified,
)
from corvo.storage.mirror.search.binding import Binder, Statement

#: Up to so many queues are read side by side, each in its own order. With eight states each that is as many
#: SELECTs as SQLite puts together.
SIDE_BY_SIDE_MAX: Final = 50
#: Up to so many are named one by one.
NAMED_MAX: Final = 2_000

_HAS_OTHERS: Final = (
    "SELECT EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_namespaced WHERE instr(queue, char(31)) > 0)"
)
#: From the first queue to the next that is behind it, and so on.
_NAMES: Final = """
WITH RECURSIVE names (queue) AS (
    SELECT min(queue) FROM jobs WHERE queue >= :start AND queue < :stop
    UNION ALL
    SELECT (SELECT min(queue) FROM jobs WHERE queue > names.queue AND queue < :stop)
      FROM names WHERE names.queue IS NOT NULL
     LIMIT :most
) SELECT queue FROM names WHERE queue IS NOT NULL"""
#: A name without its namespace.
_NAME: Final = "substr(j.queue, instr(j.queue, char(31)) + 1)"
_LAST: Final = "\U0010ffff"


class Reached(msgspec.Struct, frozen=True):
    """The queues that a search is confined to."""

    #: By name; None if they are too many to name, or if it is not confined.
    names: tuple[Qualified, ...] | None = None
    #: Set if they are too many.
    reach: Reach | None = None
    is_confined: bool = True

    @property
    def is_nothing(self) -> bool:
        return self.names == ()

    def conditions(self, bind: Binder, column: str = "j.queue") -> list[str]:
        """What the queue of a row must fulfil."""
        if not self.is_confined:
            return []
        if self.names is None:
            return [text.replace("j.queue", column) for text in _pattern(self.reach, bind)]
        if len(self.names) == 1:
            return [f"{column} = {bind(self.names[0])}"]
        asked = bind(msgspec.json.encode(self.names).decode())
        return [f"{column} IN (SELECT value FROM json_each({asked}))"]  # noqa: S608 - our names


EVERYTHING: Final = Reached(is_confined=False)
NOTHING: Final = Reached(())


def reached(reach: Reach | None, queue: Qualified | None) -> Generator[Statement, Any, Reached]:
    """The queues in reach, or this one if it is."""
    if queue is not None:
        return Reached((queue,)) if covers(reach, queue) else NOTHING
    if reach is not None and reach.namespace == ALL and not reach.scope:
        return EVERYTHING
    if reach is None or (reach.namespace == DEFAULT and not reach.scope):
        has_others = yield Statement(_HAS_OTHERS, {})
        if not has_others[0][0]:
            return EVERYTHING
    start, stop = _range(reach)
    rows = yield Statement(_NAMES, {"start": start, "stop": stop, "most": NAMED_MAX + 1})
    if len(rows) > NAMED_MAX:
        return Reached(None, reach)
    return Reached(tuple(name for (name,) in rows if covers(reach, name)))


def _range(reach: Reach | None) -> tuple[str, str]:
    """Where the queues of a namespace lie among all others."""
    if reach is None or reach.namespace in (ALL, DEFAULT):
        return "", _LAST
    prefix = qualified(reach.namespace, "")
    return prefix, prefix + _LAST


def _pattern(reach: Reach | None, bind: Binder) -> list[str]:
    found = []
    if reach is None or reach.namespace != ALL:
        start, stop = _range(reach)
        if namespace_in(reach) == DEFAULT:
            found.append("instr(j.queue, char(31)) = 0")
        else:
            found.append(f"j.queue >= {bind(start)} AND j.queue < {bind(stop)}")
    if reach is not None and reach.scope:
        globs = [f"{_NAME} GLOB {bind(_glob(glob))}" for glob in reach.scope]
        found.append(f"({' OR '.join(globs)})")
    return found


def _glob(glob: str) -> str:
    """SQLite's patterns know more than the star."""
    return glob.replace("[", "[[]").replace("?", "[?]")


assert chr(31) == SEPARATOR, "the statements name it by its number"
