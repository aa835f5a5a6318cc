"""Query plan: which way to the rows. SQLite's own planner would guess; here the choice is made by counting.

Counting an index up to a bound takes a millisecond. If some index holds only a few of the rows asked for,
they are read from there and sorted. Otherwise the rows are walked in the order asked for until the page is
full, which is quick exactly when there are many of them.
"""

from collections.abc import Generator
from typing import Any, Final

import msgspec

from corvo.storage.mirror.search.binding import Statement
from corvo.storage.mirror.search.clauses import Access, Clauses
from corvo.storage.mirror.search.query import Query, Sort

#: Up to so many rows it is always best to read them all.
FEW_ROWS: Final = 10_000
#: Up to so many, if it is not known how far a walk in another order would have to go.
MANY_ROWS: Final = 150_000

#: A search is a conversation with the database: statements out, rows in, at last an answer.
Rows = list[tuple[Any, ...]]


class SortKey(msgspec.Struct, frozen=True):
    column: str
    index: str | None
    may_be_missing: bool = True


SORT_KEYS: Final[dict[Sort, SortKey]] = {
    Sort.CREATED_AT: SortKey("place", None, may_be_missing=False),
    Sort.PRIORITY: SortKey("priority", "jobs_priority", may_be_missing=False),
    Sort.ATTEMPT: SortKey("attempt", "jobs_attempt", may_be_missing=False),
    Sort.STARTED_AT: SortKey("started_ns", "jobs_started"),
    Sort.COMPLETED_AT: SortKey("completed_ns", "jobs_completed"),
    Sort.FAILED_AT: SortKey("failed_ns", "jobs_failed"),
    Sort.SCHEDULED_AT: SortKey("scheduled_ns", "jobs_scheduled"),
}
assert SORT_KEYS.keys() == set(Sort), "every sort needs a column"


class QueryPlan(msgspec.Struct, frozen=True):
    #: The index with the fewest rows, if there is one to choose from.
    narrowest: Access | None
    #: Whether to read all of those and sort them, rather than to walk.
    gather: bool

    def has_other_way(self, query: Query, clauses: Clauses) -> bool:
        """Whether reading all rows of some index could be quicker than this. It is not if that index is the
        only one, and the rows come from it in the order asked for."""
        if self.gather or self.narrowest is None:
            return False
        in_order = query.sort is Sort.CREATED_AT and self.narrowest.ordered and not self.narrowest.is_in_runs
        return len(clauses.accesses) > 1 or not in_order


def choose(query: Query, clauses: Clauses) -> Generator[Statement, Rows, QueryPlan]:
    counts = yield from _count(clauses, FEW_ROWS)
    narrowest = min(counts, key=counts.__getitem__, default=None)
    if narrowest is None:
        return QueryPlan(None, gather=False)
    few = counts[narrowest] <= FEW_ROWS
    if query.sort is not Sort.CREATED_AT:
        if few or not clauses.is_selective:
            return QueryPlan(narrowest, gather=few)
        return (yield from choose_to_gather(clauses)) or QueryPlan(narrowest, gather=False)
    if not narrowest.ordered:
        return QueryPlan(narrowest, gather=few)
    # Rows in the order asked for are walked. But to find a rare text, one walk per state or queue goes
    # through all the texts again and again.
    is_split = narrowest.by_queue or (narrowest.by_state and len(clauses.states) > 1)
    if clauses.on_texts and is_split:
        return (yield from choose_to_gather(clauses)) or QueryPlan(narrowest, gather=False)
    return QueryPlan(narrowest, gather=False)


def choose_to_gather(clauses: Clauses) -> Generator[Statement, Rows, QueryPlan | None]:
    """The index to read all rows from, if any has not too many."""
    counts = yield from _count(clauses, MANY_ROWS)
    narrowest = min(counts, key=counts.__getitem__, default=None)
    if narrowest is None or counts[narrowest] > MANY_ROWS:
        return None
    return QueryPlan(narrowest, gather=True)


def _count(clauses: Clauses, bound: int) -> Generator[Statement, Rows, dict[Access, int]]:
    """How many rows each index has to offer, up to the bound and one more."""
    counts: dict[Access, int] = {}
    for access in clauses.accesses:
        rows = yield clauses.bind.statement(
            f"SELECT count(*) FROM (SELECT 1 FROM jobs j INDEXED BY {access.index}"  # noqa: S608 - our names
            f" WHERE {access.condition} LIMIT {bound + 1})"
        )
        counts[access] = rows[0][0]
        if counts[access] <= FEW_ROWS:
            break
    return counts
