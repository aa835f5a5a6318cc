"""Failed jobs by what their errors have in common: how many, since when, in which queues, and a few of them.

    failures(query) --Statement--> read connection --rows--> failures(query) --> Failures

By queue and state the groups are kept counted, so a million dead jobs cost no more than ten. Any other filter
walks over the jobs that failed, and is limited in time like every search.
"""

from collections.abc import Generator
from typing import Any, Final

import msgspec

from corvo.core.job import Job, decode_job
from corvo.core.states import JobState
from corvo.storage.mirror.rows import FAILED
from corvo.storage.mirror.search.binding import Statement
from corvo.storage.mirror.search.clauses import Clauses
from corvo.storage.mirror.search.page import walk
from corvo.storage.mirror.search.query import Query
from corvo.storage.mirror.search.reached import Reached, reached

LIMIT_MAX: Final = 200
#: Jobs, and queues, that are named for each group.
SAMPLES: Final = 5
QUEUES: Final = 10
#: Stretches of time in the outline of a group, and the shortest one: what `failures` in schema.sql counts by.
STRETCHES: Final = 40
STRETCH_NS: Final = 900_000_000_000

_WALK: Final = "INDEXED BY jobs_failure"


class Group(msgspec.Struct, frozen=True):
    failure: str
    jobs: int
    dead: int
    first_ns: int
    last_ns: int
    #: The queues with most of them.
    queues: dict[str, int]
    #: How many failed in each stretch.
    timeline: list[int]
    #: The last to fail, newest first.
    samples: list[Job]


class Failures(msgspec.Struct, frozen=True):
    #: Most jobs first.
    groups: list[Group]
    #: Of all groups, not only of these.
    group_count: int
    job_count: int
    #: What the timelines cover.
    from_ns: int
    to_ns: int


def failures(query: Query, limit: int, now_ns: int) -> Generator[Statement, Any, Failures]:
    states = tuple(state for state in query.states or FAILED if state in FAILED)
    if not states:
        return Failures([], 0, 0, now_ns, now_ns)
    within = yield from reached(query.reach, query.queue)
    if within.is_nothing:
        return Failures([], 0, 0, now_ns, now_ns)
    asking = _Asking(msgspec.structs.replace(query, states=states), within)
    heads = yield asking.heads(min(max(limit, 1), LIMIT_MAX))
    if not heads:
        return Failures([], 0, 0, now_ns, now_ns)
    names = [head[0] for head in heads]
    from_ns = min(now_ns - STRETCHES * STRETCH_NS, *(head[3] for head in heads))
    width_ns = (now_ns - from_ns) // STRETCHES + 1
    queues: dict[str, dict[str, int]] = {name: {} for name in names}
    for name, queue, jobs in (yield asking.queues(names)):
        queues[name][queue] = jobs
    timelines = {name: [0] * STRETCHES for name in names}
    for name, stretch, jobs in (yield asking.timelines(names, from_ns, width_ns)):
        timelines[name][min(max(stretch, 0), STRETCHES - 1)] += jobs
    samples: dict[str, list[Job]] = {name: [] for name in names}
    firsts = dict.fromkeys(names, now_ns)
    for number, failed_ns, document in (yield asking.samples(names)):
        if document is None:
            firsts[names[number]] = failed_ns
        else:
            samples[names[number]].append(decode_job(document))
    groups = [
        Group(
            name,
            jobs,
            dead,
            firsts[name],
            _last_ns(samples[name]),
            queues[name],
            timelines[name],
            samples[name],
        )
        for name, jobs, dead, *_ in heads
    ]
    return Failures(groups, heads[0][4], heads[0][5], from_ns, now_ns)


def _last_ns(samples: list[Job]) -> int:
    assert samples[0].failed_ns is not None
    return samples[0].failed_ns


class _Asking:
    """The statements for one filter. `f` has one row per failure, queue, state and stretch, or per job."""

    def __init__(self, query: Query, queues: Reached) -> None:
        self._clauses = clauses = Clauses(query, queues)
        present = ["j.failure IS NOT NULL", *clauses.queue_and_states()]
        if query.is_counted():
            where = " AND ".join(["true", *clauses.queue_and_states()])
            self._source = f"SELECT failure, queue, state, since_ns, jobs FROM failures j WHERE {where}"  # noqa: S608 - our names
        else:
            self._source = (
                f"SELECT j.failure, j.queue, j.state, j.failed_ns - j.failed_ns % {STRETCH_NS} AS since_ns,"  # noqa: S608 - our names
                f" 1 AS jobs FROM {walk(clauses, _WALK, present).sql}"
            )

    def heads(self, limit: int) -> Statement:
        """Name, jobs, dead ones, first stretch; and in each row how many groups and jobs there are in all."""
        return self._clauses.bind.statement(
            "SELECT f.failure, sum(f.jobs) AS n,"  # noqa: S608 - our names
            f" sum(CASE f.state WHEN {int(JobState.DEAD)} THEN f.jobs ELSE 0 END), min(f.since_ns),"
            f" count(*) OVER (), sum(sum(f.jobs)) OVER () FROM ({self._source}) f"
            f" GROUP BY f.failure ORDER BY n DESC, max(f.since_ns) DESC, f.failure LIMIT {limit}"
        )

    def queues(self, names: list[str]) -> Statement:
        return self._clauses.bind.statement(
            "SELECT failure, queue, n FROM (SELECT f.failure, f.queue, sum(f.jobs) AS n,"  # noqa: S608 - our names
            " row_number() OVER (PARTITION BY f.failure ORDER BY sum(f.jobs) DESC, f.queue) AS rank"
            f" FROM ({self._source}) f WHERE {self._among(names)} GROUP BY f.failure, f.queue)"
            f" WHERE rank <= {QUEUES} ORDER BY failure, rank"
        )

    def timelines(self, names: list[str], from_ns: int, width_ns: int) -> Statement:
        return self._clauses.bind.statement(
            f"SELECT f.failure, (f.since_ns - {from_ns}) / {width_ns} AS stretch, sum(f.jobs)"  # noqa: S608 - our names
            f" FROM ({self._source}) f WHERE {self._among(names)} GROUP BY f.failure, stretch"
        )

    def samples(self, names: list[str]) -> Statement:
        """The newest of each group, and when the oldest failed: from both ends of its index."""
        parts = []
        for number, name in enumerate(names):
            one = [f"j.failure = {self._clauses.bind(name)}", *self._clauses.queue_and_states()]
            rows = walk(self._clauses, _WALK, one).sql
            parts += [
                f"SELECT {number}, j.failed_ns, j.document FROM {rows}"  # noqa: S608 - our names
                f" ORDER BY j.failed_ns DESC LIMIT {SAMPLES}",
                f"SELECT {number}, j.failed_ns, NULL FROM {rows} ORDER BY j.failed_ns LIMIT 1",  # noqa: S608 - our names
            ]
        return self._clauses.bind.statement(
            " UNION ALL ".join(f"SELECT * FROM ({part})" for part in parts)  # noqa: S608 - our names
        )

    def _among(self, names: list[str]) -> str:
        asked = self._clauses.bind(msgspec.json.encode(names).decode())
        return f"f.failure IN (SELECT value FROM json_each({asked}))"  # noqa: S608 - our names
