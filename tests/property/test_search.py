"""Search against a plain loop over all jobs: every filter and sort, page by page, whichever way is taken."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.core.job import Flow, Job
from corvo.core.namespace import covers
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.storage.mirror import database
from corvo.storage.mirror.batch import RowBatch
from corvo.storage.mirror.search import jq, plan, search
from corvo.storage.mirror.search.query import Query, Sort
from corvo.storage.mirror.write import write
from tests.storage.mirror.random_jobs import Draw
from tests.storage.mirror.search.jq_oracle import matches as jq_matches
from tests.storage.mirror.support import build_empty, hold

# The plain loop


def lowered(text):
    """As SQL's LIKE sees it: only ASCII letters have a case."""
    return "".join(c.lower() if c.isascii() else c for c in text)


def within(value, times):
    if value is None:
        return not times
    after, before = times.after_ns, times.before_ns
    return (after is None or value > after) and (before is None or value < before)


def wanted(job, errors, query):
    flow = job.flow or Flow()
    text = json.dumps(json.loads(job.payload), ensure_ascii=False)
    return all(
        (
            query.queue in (None, job.queue),
            covers(query.reach, job.queue),
            not query.states or job.state in query.states,
            query.priority in (None, job.priority),
            query.tags.items() <= (job.tags or {}).items(),
            query.payload_contains is None or lowered(query.payload_contains) in lowered(text),
            query.payload_jq is None or jq_matches(jq.parse(query.payload_jq), json.loads(job.payload)),
            within(job.created_ns, query.created),
            within(job.scheduled_ns, query.scheduled),
            within(job.started_ns, query.started),
            within(job.completed_ns, query.completed),
            within(job.expire_ns, query.expire),
            query.attempt_min is None or job.attempt >= query.attempt_min,
            query.attempt_max is None or job.attempt <= query.attempt_max,
            query.unique_key is None or (job.unique is not None and job.unique.key == query.unique_key),
            query.batch_id in (None, flow.batch_id),
            query.chain_id in (None, flow.chain_id),
            query.worker_id is None or (job.lease is not None and job.lease.worker_id == query.worker_id),
            query.parent_id in (None, job.parent_id),
            query.group in (None, job.group),
            query.has_errors is None or query.has_errors == bool(errors),
            query.error_contains is None
            or any(lowered(query.error_contains) in lowered(error) for error in errors),
            query.job_id_prefix is None or job.id.startswith(query.job_id_prefix),
            query.job_id_suffix is None or job.id.endswith(query.job_id_suffix),
        )
    )


COLUMNS = {
    Sort.CREATED_AT: "created_ns",
    Sort.PRIORITY: "priority",
    Sort.STARTED_AT: "started_ns",
    Sort.COMPLETED_AT: "completed_ns",
    Sort.ATTEMPT: "attempt",
    Sort.FAILED_AT: "failed_ns",
    Sort.SCHEDULED_AT: "scheduled_ns",
}


def expected(population, query):
    found = [job for job, errors in population if wanted(job, errors, query)]
    found.sort(key=lambda job: job.created_ns, reverse=query.descending)
    column = COLUMNS[query.sort]
    valued = [job for job in found if getattr(job, column) is not None]
    valued.sort(key=lambda job: getattr(job, column), reverse=query.descending)
    return [job.id for job in [*valued, *(job for job in found if getattr(job, column) is None)]]


# The real one


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mirror")
    build_empty(folder)
    db, _ = database.open_writer(folder / "mirror-1.db")
    yield db
    db.close()


def fill(db, population):
    db.execute("DELETE FROM jobs")
    batch = RowBatch(2, 0)
    for job, errors in population:
        batch.put(job.id, job, None, dict(enumerate(errors)))
    write(db, batch)


def walk(db, members, limit, lost):
    """All pages of a search, and the totals each of them told."""
    ids, totals, cursor = [], [], None
    while True:
        query = Query(**members, cursor=cursor, limit=limit)
        page = hold(search.search(query), db, out_of_budget=lost)
        assert len(page.hits) <= limit
        ids += [hit.job.id for hit in page.hits]
        totals.append((page.total, page.total_is_estimate))
        cursor = page.cursor
        if cursor is None:
            return ids, totals


@given(
    seed=st.integers(0, 1 << 32),
    limit=st.sampled_from([1, 3, 50]),
    few=st.sampled_from([0, 2, 10_000]),
    many=st.sampled_from([0, 4, 150_000]),
    lost=st.sets(st.integers(0, 2)),
)
def test_search_finds_what_a_plain_loop_finds(db, seed, limit, few, many, lost):
    draw = Draw(seed)
    population = draw.jobs()
    fill(db, population)
    with pytest.MonkeyPatch.context() as patch:
        # However few rows count as few, and whatever takes too long, the answer is the same.
        patch.setattr(plan, "FEW_ROWS", few)
        patch.setattr(plan, "MANY_ROWS", max(few, many))
        for _ in range(12):
            members = draw.search(population)
            query = Query(**members)
            right = expected(population, query)
            ids, totals = walk(db, members, limit, lost)
            assert ids == right, members
            for total, is_estimate in totals:
                assert total <= len(right) if is_estimate else total == len(right)

            assert hold(search.count_jobs(query, cap=100), db) == len(right)
            by_state = hold(search.count_states(query), db)
            assert sum(by_state.values()) == len(right)
            oldest_first = expected(
                population, Query(**members | {"sort": Sort.CREATED_AT, "descending": False})
            )
            assert hold(search.find_ids(query), db).ids == oldest_first


@given(seed=st.integers(0, 1 << 32))
def test_jq_means_the_same_in_sql_as_in_python(db, seed):
    draw = Draw(seed)
    payloads = [draw.payload() for _ in range(8)]
    population = [
        (Job(f"job_{n}", "q", JobState.PENDING, Priority.NORMAL, payload, n + 1, n + 1), [])
        for n, payload in enumerate(payloads)
    ]
    fill(db, population)
    for payload in payloads:
        expression = draw.expression(json.loads(payload))
        query = Query(payload_jq=expression, descending=False)
        assert hold(search.find_ids(query), db).ids == expected(population, query), expression
