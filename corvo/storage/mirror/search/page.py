"""The statements of one page: which rows, in which order, after which one."""

from collections.abc import Sequence
from typing import Final

import msgspec

from corvo.storage.mirror.search.binding import Statement
from corvo.storage.mirror.search.clauses import RUNS_OF_QUEUE, Access, Clauses
from corvo.storage.mirror.search.plan import SORT_KEYS, QueryPlan
from corvo.storage.mirror.search.query import Query

_ROWS: Final = """
SELECT p.value, p.place, j.id, j.document, t.payload
  FROM ({places}) p CROSS JOIN jobs j ON j.place = p.place LEFT JOIN texts t ON t.place = p.place
 ORDER BY {order}"""

_IDS: Final = """
SELECT p.value, p.place, j.id FROM ({places}) p CROSS JOIN jobs j ON j.place = p.place ORDER BY {order}"""


class After(msgspec.Struct, frozen=True):
    """The row before the first one wanted."""

    value: int | None
    place: int


class Source(msgspec.Struct, frozen=True):
    """What follows FROM, and whose place says where a row belongs."""

    sql: str
    place: str = "j.place"


class Stage(msgspec.Struct, frozen=True):
    """Rows in the order asked for. Its sources are each in that order, and are merged by SQLite."""

    sources: list[Source]
    #: What rows are sorted by before their place, if anything.
    value: str = "NULL"


class PageStatements:
    """Writes the statements for one query, once it is planned."""

    def __init__(self, query: Query, clauses: Clauses, plan: QueryPlan) -> None:
        self._clauses = clauses
        self._plan = plan
        self._key = SORT_KEYS[query.sort]
        self._column = f"j.{self._key.column}"
        self._way, self._beyond = ("DESC", "<") if query.descending else ("ASC", ">")

    def stages(self, after: After | None) -> list[Stage]:
        """To be read one after the other until there are enough rows. Rows without a value to sort by come
        last, in order of creation, whichever way the sort goes."""
        if self._key.column == "place":
            return [self._by_place(self._past_place(after))]
        if self._plan.gather:
            return [self._gathered(after)]
        valued = [] if after is not None and after.value is None else [self._by_value(after)]
        if not self._key.may_be_missing:
            return valued
        past = self._past_place(None if valued else after)
        return [*valued, self._by_place([*past, f"{self._column} IS NULL"])]

    def statement(
        self, stage: Stage, limit: int, *, ids_only: bool = False, budget_ms: int | None = None
    ) -> Statement:
        selects = " UNION ALL ".join(
            f"SELECT {stage.value} AS value, {source.place} AS place FROM {source.sql}"  # noqa: S608 - our names
            for source in stage.sources
        )
        way = self._way
        # Values that are missing are last both ways, which is not what SQLite would do by itself.
        nulls = "" if way == "DESC" else " NULLS LAST"
        order = f"place {way}" if stage.value == "NULL" else f"value {way}{nulls}, place {way}"
        shape = _IDS if ids_only else _ROWS
        places = f"{selects} ORDER BY {order} LIMIT {limit}"
        outer = order.replace("place", "p.place")
        return self._clauses.bind.statement(shape.format(places=places, order=outer), budget_ms=budget_ms)

    # Stages

    def _by_place(self, rest: Sequence[str]) -> Stage:
        clauses, plan = self._clauses, self._plan
        access = plan.narrowest
        if access is not None and plan.gather:
            return Stage([_all_of(clauses, access, rest)])
        if access is None or not access.ordered:
            access = next((other for other in clauses.accesses if other.ordered), None)
        if access is None:
            return Stage([walk(clauses, "NOT INDEXED", [*clauses.queue_and_states(), *rest])])
        hint = f"INDEXED BY {access.index}"
        if not access.is_in_runs:
            return Stage([walk(clauses, hint, [*clauses.queue_and_states(), *rest])])
        queues = [[one] for one in clauses.each_queue] or [clauses.on_queue]
        states = [[f"j.state = {int(state)}"] for state in clauses.states] if access.by_state else [[]]
        return Stage([walk(clauses, hint, [*queue, *state, *rest]) for queue in queues for state in states])

    def _by_value(self, after: After | None) -> Stage:
        clauses, column = self._clauses, self._column
        hint, shared = f"INDEXED BY {self._key.index}", clauses.queue_and_states()
        if after is None:
            present = [f"{column} IS NOT NULL"] if self._key.may_be_missing else []
            return Stage([walk(clauses, hint, [*present, *shared])], column)
        assert after.value is not None
        # In two parts, because the many rows that share a value are then skipped by a seek as well.
        value, place = clauses.bind(after.value), clauses.bind(after.place)
        same = [f"{column} = {value}", f"j.place {self._beyond} {place}"]
        return Stage(
            [
                walk(clauses, hint, [*same, *shared]),
                walk(clauses, hint, [f"{column} {self._beyond} {value}", *shared]),
            ],
            column,
        )

    def _gathered(self, after: After | None) -> Stage:
        clauses, column = self._clauses, self._column
        assert self._plan.narrowest is not None
        past: list[str] = []
        if after is not None and after.value is None:
            past = [*self._past_place(after), f"{column} IS NULL"]
        elif after is not None and after.value is not None:
            value, place = clauses.bind(after.value), clauses.bind(after.place)
            past = [f"({column} IS NULL OR ({column}, j.place) {self._beyond} ({value}, {place}))"]
        return Stage([_all_of(clauses, self._plan.narrowest, past)], column)

    def _past_place(self, after: After | None) -> list[str]:
        return [] if after is None else [f"j.place {self._beyond} {self._clauses.bind(after.place)}"]


def count(clauses: Clauses, plan: QueryPlan, cap: int, *, budget_ms: int | None = None) -> Statement:
    """How many rows match, up to the cap and one more."""
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {_matching(clauses, plan).sql} LIMIT {cap + 1})"  # noqa: S608 - our names
    return clauses.bind.statement(sql, budget_ms=budget_ms)


def count_by_state(clauses: Clauses, plan: QueryPlan) -> Statement:
    rows = _matching(clauses, plan)
    if clauses.on_queue and not clauses.is_selective:
        # This index has all that is asked for, so that no row is read.
        rows = walk(clauses, f"INDEXED BY {RUNS_OF_QUEUE}", clauses.queue_and_states())
    sql = f"SELECT j.state, count(*) FROM {rows.sql} GROUP BY j.state"  # noqa: S608 - our names
    return clauses.bind.statement(sql)


# Ways to the rows


def walk(clauses: Clauses, hint: str, conditions: Sequence[str]) -> Source:
    """Along an index, in its order, until there are enough rows. CROSS JOIN keeps SQLite from turning the
    tables around, and with them the order of the rows."""
    texts = " CROSS JOIN texts t ON t.place = j.place" if clauses.on_texts else ""
    return Source(f"jobs j {hint}{texts} WHERE {_all(conditions, clauses.on_jobs, clauses.on_texts)}")


def _all_of(clauses: Clauses, access: Access, conditions: Sequence[str]) -> Source:
    """Every row of one index. If texts decide, they are read first and in the order they lie in the file; the
    job's own row is looked at only where the text fits."""
    hint = f"INDEXED BY {access.index}"
    rest = [*clauses.queue_and_states(), *conditions]
    if not clauses.on_texts:
        return walk(clauses, hint, rest)
    places = f"SELECT j.place FROM jobs j {hint} WHERE {access.condition}"  # noqa: S608 - our names
    # The two places are one and the same, but only conditions on the first can spare reading a text.
    on_jobs = [condition.replace("j.place", "t.place") for condition in (*clauses.on_jobs, *rest)]
    where = _all([f"t.place IN ({places})"], clauses.on_texts, on_jobs)
    return Source(f"texts t CROSS JOIN jobs j ON j.place = t.place WHERE {where}", "t.place")


def _matching(clauses: Clauses, plan: QueryPlan) -> Source:
    if plan.narrowest is None:
        return walk(clauses, "", clauses.queue_and_states())
    if plan.gather:
        return _all_of(clauses, plan.narrowest, [])
    return walk(clauses, f"INDEXED BY {plan.narrowest.index}", clauses.queue_and_states())


def _all(*groups: Sequence[str]) -> str:
    return " AND ".join(condition for group in groups for condition in group) or "true"
