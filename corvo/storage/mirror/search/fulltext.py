"""Full-text search: jobs that have all of some words, the newest first.

    newest jobs --read--> enough? --no--> FTS5, for all older ones

FTS5 finds a rare word among millions at once, but the beginning of a word that every job has costs it a walk
over all of them. Such a word is found in the first few jobs anyway, so the newest are read first. That also
covers jobs that are not in the index yet: it is brought up to date in the background. Ids have an index of
their own and need no words.
"""

from collections.abc import Generator
from typing import Any, Final

import msgspec

from corvo.core.namespace import Reach
from corvo.storage.mirror.search.binding import Binder, Statement, after_prefix
from corvo.storage.mirror.search.plan import FEW_ROWS
from corvo.storage.mirror.search.reached import Reached, reached
from corvo.storage.mirror.search.search import Hit, hit
from corvo.storage.mirror.tokenizer import is_indexed_whole, terms

LIMIT_DEFAULT: Final = 50
LIMIT_MAX: Final = 500
#: Jobs that are read before the index is asked, and up to how many if they are not in the index yet.
_NEWEST: Final = 4_000
_UNWORDED_MAX: Final = 20_000
#: A shorter text is the beginning of too many ids.
_ID_CHARS_MIN: Final = 8

#: The plus keeps SQLite from gathering all rows of these queues first: it is to look at the next best jobs.
_QUALIFIED: Final = "+j.qualified"

_ROWS: Final = """
SELECT NULL, j.place, j.id, j.document, t.payload
  FROM jobs j JOIN texts t ON t.place = j.place
 WHERE j.place IN (SELECT value FROM json_each(:places))
 ORDER BY j.place DESC"""

_HORIZON: Final = """
SELECT (SELECT worded_place FROM mirror),
       (SELECT count(*) FROM sqlite_master WHERE name = 'fulltext'),
       (SELECT min(place) FROM (SELECT place FROM texts ORDER BY place DESC LIMIT :newest)),
       (SELECT min(place) FROM (SELECT place FROM texts ORDER BY place DESC LIMIT :unworded))"""


class FullTextHits(msgspec.Struct, frozen=True):
    hits: list[Hit]
    #: Whether some jobs were left out because the index has yet to see them.
    is_partial: bool


def full_text(asked: str, limit: int, reach: Reach | None = None) -> Generator[Statement, Any, FullTextHits]:
    limit = min(max(limit, 1), LIMIT_MAX)
    wanted = terms(asked)
    queues = yield from reached(reach, None)
    if queues.is_nothing:
        return FullTextHits([], is_partial=False)
    places: list[int] = yield from _by_id(asked.strip(), limit, queues)
    is_partial = False
    if wanted and (yield from _are_few(queues)):
        places += _first(limit, (yield _Search(wanted, queues).reading_all(limit)))
    elif wanted:
        search = _Search(wanted, queues)
        start, has_index, is_partial = yield from _horizon()
        places += _first(limit, (yield search.reading(start, None, limit)))
        if len(places) < limit and start is not None:
            below = search.asking_index(start, limit) if has_index else None
            places += _first(limit, (yield below or search.reading(None, start, limit)))
    unique = list(dict.fromkeys(places))[:limit]
    rows = yield Statement(_ROWS, {"places": msgspec.json.encode(unique).decode()})
    by_place = {row[1]: hit(row) for row in rows}
    return FullTextHits([by_place[place] for place in unique if place in by_place], is_partial)


def _horizon() -> Generator[Statement, Any, tuple[int | None, bool, bool]]:
    """From which place on jobs are read; whether there is an index for the rest; whether jobs are missed."""
    rows = yield Statement(_HORIZON, {"newest": _NEWEST, "unworded": _UNWORDED_MAX})
    worded, has_index, newest, unworded = rows[0]
    if newest is None or not has_index:
        return newest, False, False
    # All that is not indexed yet, but no more than `_UNWORDED_MAX` jobs.
    start = max(min(newest, worded + 1), unworded)
    return start, True, start > worded + 1


def _are_few(queues: Reached) -> Generator[Statement, Any, bool]:
    """Whether these queues have so few jobs that their texts are best read one by one. The index would have
    to go through the jobs of all other queues."""
    if not queues.is_confined:
        return False
    bind = Binder()
    where = " AND ".join(queues.conditions(bind))
    rows = yield bind.statement(
        "SELECT count(*) FROM (SELECT 1 FROM jobs j INDEXED BY jobs_queue"  # noqa: S608 - our names
        f" WHERE {where} LIMIT {FEW_ROWS + 1})"
    )
    found: int = rows[0][0]
    return found <= FEW_ROWS


def _by_id(asked: str, limit: int, queues: Reached) -> Generator[Statement, Any, list[int]]:
    """A pasted id, or its beginning, or its random part alone."""
    head, _, tail = asked.rpartition("_")
    if len(tail) < _ID_CHARS_MIN or not asked.replace("_", "").isalnum():
        return []
    bind = Binder()
    prefix = f"{head or 'job'}_{tail.upper()}"
    conditions = [
        f"j.id >= {bind(prefix)}",
        f"j.id < {bind(after_prefix(prefix))}",
        *queues.conditions(bind, "+j.queue"),
    ]
    where = " AND ".join(conditions)
    sql = f"SELECT j.place FROM jobs j WHERE {where} ORDER BY j.id DESC LIMIT {limit}"  # noqa: S608 - our names
    rows = yield bind.statement(sql)
    return _first(limit, rows)


class _Search:
    """Statements that find the places of jobs with these words."""

    def __init__(self, wanted: list[str], queues: Reached) -> None:
        self._terms = wanted
        self._queues = queues

    def reading_all(self, limit: int) -> Statement:
        """Look into the texts of these queues, and of no others."""
        bind = Binder()
        inside = " AND ".join(self._queues.conditions(bind))
        places = f"SELECT j.place FROM jobs j INDEXED BY jobs_queue WHERE {inside}"  # noqa: S608 - our names
        where = " AND ".join([f"j.place IN ({places})", *self._in_text(bind)])
        sql = f"SELECT j.place FROM words j WHERE {where} ORDER BY j.place DESC LIMIT {limit}"  # noqa: S608 - our names
        return bind.statement(sql)

    def reading(self, start: int | None, end: int | None, limit: int) -> Statement:
        """Look into the texts themselves, newest first."""
        bind = Binder()
        conditions = [*self._queues.conditions(bind, _QUALIFIED), *self._in_text(bind)]
        if start is not None:
            conditions.append(f"j.place >= {bind(start)}")
        if end is not None:
            conditions.append(f"j.place < {bind(end)}")
        where = " AND ".join(conditions)
        sql = f"SELECT j.place FROM words j WHERE {where} ORDER BY j.place DESC LIMIT {limit}"  # noqa: S608 - our names
        return bind.statement(sql)

    def asking_index(self, end: int, limit: int) -> Statement | None:
        """Ask FTS5 about all jobs before this place; None if it knows none of the words."""
        known = [term for term in self._terms if is_indexed_whole(term)]
        if not known:
            return None
        bind = Binder()
        # Made of letters and digits only, so there is nothing in them that FTS5 could mistake for syntax.
        question = " ".join(f'"{term}"*' for term in known)
        conditions = [f"f.fulltext MATCH {bind(question)}", f"f.rowid < {bind(end)}"]
        conditions += self._queues.conditions(bind, _QUALIFIED)
        if len(known) < len(self._terms):
            conditions += self._in_text(bind)
        where = " AND ".join(conditions)
        return bind.statement(
            "SELECT f.rowid FROM fulltext f CROSS JOIN words j ON j.place = f.rowid"  # noqa: S608 - our names
            f" WHERE {where} ORDER BY f.rowid DESC LIMIT {limit}"
        )

    def _in_text(self, bind: Binder) -> list[str]:
        """LIKE weeds out most; but it knows the case of ASCII letters only, so other texts are looked at."""
        hints = [
            f"(j.payload LIKE {pattern} OR j.tags LIKE {pattern} OR j.queue LIKE {pattern}"
            " OR length(CAST(j.payload AS BLOB)) <> length(j.payload)"
            " OR length(CAST(j.tags AS BLOB)) <> length(j.tags))"
            for pattern in (bind(f"%{term}%") for term in self._terms if term.isascii())
        ]
        return [*hints, f"has_words({bind(' '.join(self._terms))}, j.queue, j.payload, j.tags)"]


def _first(limit: int, rows: list[tuple[int]]) -> list[int]:
    return [row[0] for row in rows[:limit]]
