"""The filters of a query as SQL conditions, and the indexes that could serve them.

    query --> [clauses] --> plan --> statements

Column names come from this file, values through a Binder. `j` is jobs, `t` is texts.
"""

from typing import Final

import msgspec

from corvo.core.states import JobState
from corvo.storage.mirror.search import jq, jq_sql
from corvo.storage.mirror.search.binding import Binder, after_prefix, containing
from corvo.storage.mirror.search.query import Query, Range
from corvo.storage.mirror.search.reached import SIDE_BY_SIDE_MAX, Reached

#: The two indexes that have one run of jobs per state, each in order of creation.
RUNS_OF_ALL: Final = "jobs_state"
RUNS_OF_QUEUE: Final = "jobs_queue_state"
RUNS: Final = frozenset({RUNS_OF_ALL, RUNS_OF_QUEUE})

_encode_json: Final = msgspec.json.Encoder().encode

#: Filters on equality: the column of each, and its index.
_EQUAL: Final = {
    "unique_key": ("unique_key", "jobs_unique"),
    "batch_id": ("batch_id", "jobs_batch"),
    "parent_id": ("parent_id", "jobs_parent"),
    "group": ("group_label", "jobs_group"),
    "chain_id": ("chain_id", "jobs_chain"),
}
#: Filters on times, and the indexes that some of them have. Created is the place itself.
_TIMES: Final = {
    "scheduled": "jobs_scheduled",
    "started": "jobs_started",
    "completed": "jobs_completed",
    "expire": None,
}


class Access(msgspec.Struct, frozen=True):
    """A way to the rows: an index, and the condition it serves."""

    index: str
    condition: str
    #: Whether its rows come in order of creation, be it in one run or in one per queue and state.
    ordered: bool = False
    #: Whether there is one run for each of several queues.
    by_queue: bool = False

    @property
    def by_state(self) -> bool:
        """Whether there is one run for each state."""
        return self.index in RUNS

    @property
    def is_in_runs(self) -> bool:
        return self.by_queue or self.by_state


class Clauses:
    """What a query asks of a row."""

    def __init__(self, query: Query, queues: Reached) -> None:
        self.bind = Binder()
        self.on_jobs: list[str] = []
        self.on_texts: list[str] = []
        self.accesses: list[Access] = []
        self.states = _states(query)
        self._queues = queues
        #: What the queue of a row must fulfil.
        self.on_queue = queues.conditions(self.bind)
        names = queues.names or ()
        #: A condition for each queue, if they are few enough to be read side by side.
        self.each_queue = (
            [f"j.queue = {self.bind(name)}" for name in names] if len(names) <= SIDE_BY_SIDE_MAX else []
        )
        #: Whether there is more to the filter than queue and states: it is not known how many rows pass it.
        self.is_selective = not query.is_counted()
        self._add_equalities(query)
        self._add_numbers(query)
        self._add_times(query)
        self._add_errors(query)
        self._add_prefixes(query)
        self._add_texts(query)
        self._add_queue_and_states()

    @property
    def is_empty(self) -> bool:
        """Whether no job can match, because a worker is asked for among jobs that are not active, or because
        nothing is in reach."""
        return not self.states or self._queues.is_nothing

    def queue_and_states(self) -> list[str]:
        """Apart from the other conditions, because a way to the rows may have settled these."""
        found = list(self.on_queue)
        if len(self.states) < len(JobState):
            found.append(f"j.state IN ({', '.join(str(int(state)) for state in self.states)})")
        return found

    # Filters

    def _add_equalities(self, query: Query) -> None:
        for name, (column, index) in _EQUAL.items():
            value = getattr(query, name)
            if value is not None:
                condition = f"j.{column} = {self.bind(value)}"
                self.on_jobs.append(condition)
                self.accesses.append(Access(index, condition, ordered=True))
        if query.worker_id is not None:
            self.on_jobs.append(f"j.worker_id = {self.bind(query.worker_id)}")

    def _add_numbers(self, query: Query) -> None:
        if query.priority is not None:
            self.on_jobs.append(f"j.priority = {int(query.priority)}")
        if query.attempt_min is not None:
            self.on_jobs.append(f"j.attempt >= {self.bind(query.attempt_min)}")
        if query.attempt_max is not None:
            self.on_jobs.append(f"j.attempt <= {self.bind(query.attempt_max)}")

    def _add_times(self, query: Query) -> None:
        self.on_jobs += self._between("j.place", query.created)
        for name, index in _TIMES.items():
            times: Range = getattr(query, name)
            conditions = self._between(f"j.{name}_ns", times)
            self.on_jobs += conditions
            if conditions and index is not None:
                self.accesses.append(Access(index, " AND ".join(conditions)))

    def _between(self, column: str, times: Range) -> list[str]:
        found = []
        if times.after_ns is not None:
            found.append(f"{column} > {self.bind(times.after_ns)}")
        if times.before_ns is not None:
            found.append(f"{column} < {self.bind(times.before_ns)}")
        return found

    def _add_errors(self, query: Query) -> None:
        if query.has_errors is False:
            self.on_jobs.append("j.error_count = 0")
        if query.has_errors or query.error_contains is not None:
            self.on_jobs.append("j.error_count > 0")
            self.accesses.append(Access("jobs_erred", "j.error_count > 0"))
        if query.failure is not None:
            condition = f"j.failure = {self.bind(query.failure)}"
            self.on_jobs.append(condition)
            self.accesses.append(Access("jobs_failure", condition))
        if query.error_contains is not None:
            pattern = self.bind(containing(query.error_contains))
            self.on_jobs.append(
                "EXISTS (SELECT 1 FROM errors e"  # noqa: S608 - our names
                f" WHERE e.job_id = j.id AND e.error LIKE {pattern} ESCAPE '\\'"
                " AND coalesce(unicode(e.error), 3) >= 3)"
            )

    def _add_prefixes(self, query: Query) -> None:
        if query.job_id_prefix is not None:
            start, end = self.bind(query.job_id_prefix), self.bind(after_prefix(query.job_id_prefix))
            condition = f"j.id >= {start} AND j.id < {end}"
            self.on_jobs.append(condition)
            self.accesses.append(Access("jobs_id", condition))
        if query.job_id_suffix is not None:
            # No index has it; people ask for it, one job at a time, and ids are short.
            suffix = self.bind(query.job_id_suffix)
            self.on_jobs.append(f"substr(j.id, -{len(query.job_id_suffix)}) = {suffix}")

    def _add_texts(self, query: Query) -> None:
        for key, value in query.tags.items():
            # The pair as it is spelled in the column weeds out nearly all others; the second look is exact.
            pair = f"{_encode_json(key).decode()}:{_encode_json(value).decode()}"
            self.on_texts.append(
                f"instr(t.tags, {self.bind(pair)}) > 0"  # noqa: S608 - our names
                " AND EXISTS (SELECT 1 FROM json_each(t.tags) AS p"
                f" WHERE p.key = {self.bind(key)} AND p.atom = {self.bind(value)})"
            )
        if query.payload_contains is not None:
            pattern = self.bind(containing(query.payload_contains))
            # Not in what is sealed, where any letters may stand next to each other.
            self.on_texts.append(f"t.payload LIKE {pattern} ESCAPE '\\' AND unicode(t.payload) >= 3")
        if query.payload_jq is not None:
            self.on_texts.append(jq_sql.condition(jq.parse(query.payload_jq), "t.payload", self.bind))

    def _add_queue_and_states(self) -> None:
        conditions = self.queue_and_states()
        if not conditions:
            return
        every_state = len(self.states) == len(JobState)
        if self.each_queue:
            index = "jobs_queue" if every_state else RUNS_OF_QUEUE
            by_queue = len(self.each_queue) > 1
            self.accesses.append(Access(index, " AND ".join(conditions), ordered=True, by_queue=by_queue))
            return
        if self.on_queue:
            index = "jobs_queue" if every_state else RUNS_OF_QUEUE
            self.accesses.append(Access(index, " AND ".join(conditions)))
        if not every_state:
            in_states = conditions[len(self.on_queue) :]
            self.accesses.append(Access(RUNS_OF_ALL, " AND ".join(in_states), ordered=True))


def _states(query: Query) -> tuple[JobState, ...]:
    states = query.states or tuple(JobState)
    if query.worker_id is not None:
        # A job has a worker while it is active, so there is no need for an index of workers.
        states = tuple(state for state in states if state is JobState.ACTIVE)
    return states
