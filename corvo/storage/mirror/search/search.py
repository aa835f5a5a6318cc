"""Search: a query in, a page of jobs out. It does no I/O of its own.

    search(query) --Statement--> read connection --rows--> search(query) --> ResultPage

The reader actor runs the statements on aiosqlite, tests run them on sqlite3; this file decides which ones.
"""

from collections.abc import Generator
from typing import Any, Final, TypeAlias

import msgspec

from corvo.core.job import Job, decode_job
from corvo.core.states import JobState
from corvo.storage.mirror.search import cursor as cursors
from corvo.storage.mirror.search.binding import Statement
from corvo.storage.mirror.search.clauses import Clauses
from corvo.storage.mirror.search.page import After, PageStatements, count, count_by_state
from corvo.storage.mirror.search.plan import QueryPlan, Rows, choose, choose_to_gather
from corvo.storage.mirror.search.query import Query, Sort
from corvo.storage.mirror.search.reached import reached

#: Matches are counted up to here; beyond, the total is only known to be larger.
TOTAL_EXACT_MAX: Final = 10_000
#: How long an answer that is complete but for its total may wait for it.
_COUNT_BUDGET_MS: Final = 500
#: How long rows are walked in the order asked for before the other way is tried.
_WALK_BUDGET_MS: Final = 200

#: Runs statements and sends back their rows; None for a statement that ran out of its budget.
Conversation: TypeAlias = Generator[Statement, Rows | None, Any]


class Hit(msgspec.Struct, frozen=True):
    """A job as the mirror has it. The document's own payload is left out."""

    job: Job
    #: The payload as JSON text, in the mirror's spelling: the same value, maybe with fewer escapes.
    payload: str


class ResultPage(msgspec.Struct, frozen=True):
    hits: list[Hit]
    total: int
    #: There are at least `total`, maybe more.
    total_is_estimate: bool
    #: For the next page; None on the last.
    cursor: str | None


class Ids(msgspec.Struct, frozen=True):
    """Ids of jobs in the order of their creation."""

    ids: list[str]
    #: For the next chunk; None if this was the last.
    cursor: str | None


def search(query: Query, known_total: int | None = None) -> Generator[Statement, Any, ResultPage]:
    """One page. The total may be known already: queues count their jobs by state."""
    cursor = cursors.decode(query)
    clauses = Clauses(query, (yield from reached(query.reach, query.queue)))
    if clauses.is_empty:
        return ResultPage([], 0, total_is_estimate=False, cursor=None)
    plan = yield from choose(query, clauses)
    rows = yield from _page(query, clauses, plan, cursor)
    shown = rows[: query.page_size]
    has_more = len(rows) > len(shown)

    if known_total is not None:
        total, is_estimate = known_total, False
    elif cursor is not None:
        total, is_estimate = cursor.total, cursor.total_is_estimate
    elif not has_more:
        total, is_estimate = len(shown), False
    else:
        counted = yield count(clauses, plan, TOTAL_EXACT_MAX, budget_ms=_COUNT_BUDGET_MS)
        found = len(rows) if counted is None else counted[0][0]
        total, is_estimate = min(found, TOTAL_EXACT_MAX), counted is None or found > TOTAL_EXACT_MAX

    following = None
    if has_more:
        value, place = shown[-1][0], shown[-1][1]
        following = cursors.encode(query, value, place, total=total, is_estimate=is_estimate)
    return ResultPage([hit(row) for row in shown], total, is_estimate, following)


def _page(
    query: Query, clauses: Clauses, plan: QueryPlan, cursor: cursors.Cursor | None
) -> Generator[Statement, Any, Rows]:
    """The rows of the page and, if there is one, the first of the next."""
    wanted = query.page_size + 1
    after = None if cursor is None else After(cursor.value, cursor.place)
    statements = PageStatements(query, clauses, plan)
    # A walk that takes longer than this is given up for the other way, if there is one.
    budget_ms = _WALK_BUDGET_MS if plan.has_other_way(query, clauses) else None
    rows: Rows = []
    for stage in statements.stages(after):
        found = yield statements.statement(stage, wanted - len(rows), budget_ms=budget_ms)
        if found is None:
            other = yield from choose_to_gather(clauses)
            return (yield from _page(query, clauses, other or QueryPlan(None, gather=False), cursor))
        rows += found
        if len(rows) == wanted:
            break
    return rows


def find_ids(query: Query) -> Generator[Statement, Any, Ids]:
    """The next chunk of all ids that match; sort and order of the query do not count."""
    query = msgspec.structs.replace(query, sort=Sort.CREATED_AT, descending=False)
    cursor = cursors.decode(query)
    clauses = Clauses(query, (yield from reached(query.reach, query.queue)))
    if clauses.is_empty:
        return Ids([], None)
    plan = yield from choose(query, clauses)
    statements = PageStatements(query, clauses, plan)
    (stage,) = statements.stages(None if cursor is None else After(cursor.value, cursor.place))
    rows = yield statements.statement(stage, query.page_size + 1, ids_only=True)
    shown = rows[: query.page_size]
    following = None
    if len(rows) > len(shown):
        value, place = shown[-1][0], shown[-1][1]
        following = cursors.encode(query, value, place, total=0, is_estimate=True)
    return Ids([row[2] for row in shown], following)


def count_jobs(query: Query, cap: int) -> Generator[Statement, Any, int]:
    """How many match, counted no further than the cap and one more."""
    clauses = Clauses(query, (yield from reached(query.reach, query.queue)))
    if clauses.is_empty:
        return 0
    plan = yield from choose(query, clauses)
    rows = yield count(clauses, plan, cap)
    found: int = rows[0][0]
    return found


def count_states(query: Query) -> Generator[Statement, Any, dict[JobState, int]]:
    """How many match, by state."""
    clauses = Clauses(query, (yield from reached(query.reach, query.queue)))
    if clauses.is_empty:
        return {}
    plan = yield from choose(query, clauses)
    rows = yield count_by_state(clauses, plan)
    return {JobState(state): found for state, found in rows}


def hit(row: tuple[Any, ...]) -> Hit:
    """From a row of value, place, id, document and payload."""
    document, payload = row[3:]
    return Hit(decode_job(document), "null" if payload is None else payload)
