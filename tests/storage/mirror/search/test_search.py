"""Searching a mirror: pages, orders, totals, and that no user text ever becomes SQL."""

import json

import pytest

from corvo.core.errors import ValidationFailed
from corvo.core.namespace import ANYWHERE, Reach, qualified
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.ops.job_admin import Action
from corvo.storage.mirror.search import clauses, plan, reached, search
from corvo.storage.mirror.search.query import Query, Range, Sort
from tests.storage.mirror.support import hold, plans

S = JobState


@pytest.fixture
def jobs(fsm):
    """Thirty jobs in three queues, the oldest first."""
    ids = [fsm.enqueue(f"q{n % 3}", b'{"n":%d}' % n, tags={"n": str(n % 5)}) for n in range(30)]
    for job_id in ids[:9]:
        fsm.lease(job_id, "q0", "q1", "q2")
    for job_id in ids[:6]:
        fsm.ack(job_id)
    return ids


def test_the_newest_come_first(mirrored, jobs):
    assert mirrored.ids(limit=5) == jobs[:-6:-1]
    assert mirrored.ids(limit=5, descending=False) == jobs[:5]


def test_a_hit_carries_the_whole_job_and_its_payload(mirrored, fsm, jobs):
    (hit,) = mirrored.search(job_id_prefix=jobs[3]).hits
    job = fsm.job(jobs[3])

    assert hit.payload == '{"n":3}'
    assert (hit.job.id, hit.job.state, hit.job.completed_ns) == (job.id, job.state, job.completed_ns)
    assert hit.job.tags == {"n": "3"}


def test_a_large_payload_comes_from_its_own_record(mirrored, fsm):
    payload = b'{"text":"' + b"x" * 5_000 + b'"}'
    fsm.enqueue(payload=payload)
    (hit,) = mirrored.search(payload_contains="xxxx").hits
    assert hit.payload.encode() == payload


# Pages


@pytest.mark.parametrize("sort", Sort)
@pytest.mark.parametrize("descending", [True, False])
def test_pages_meet_without_gap_or_overlap(mirrored, jobs, sort, descending):
    whole = mirrored.ids(sort=sort, descending=descending, limit=1_000)
    assert sorted(whole) == sorted(jobs)
    for limit in (1, 4, 7):
        assert mirrored.all_ids(sort=sort, descending=descending, limit=limit) == whole


@pytest.mark.parametrize("descending", [True, False])
def test_jobs_without_a_value_come_last_both_ways(mirrored, jobs, descending):
    found = mirrored.ids(sort=Sort.COMPLETED_AT, descending=descending)
    assert sorted(found[:6]) == sorted(jobs[:6])
    completed = [hit.job.completed_ns for hit in mirrored.search(sort=Sort.COMPLETED_AT).hits[:6]]
    assert completed == sorted(completed, reverse=True)


def test_jobs_of_one_priority_stay_in_order_of_creation(mirrored, fsm):
    ids = [fsm.enqueue(priority=Priority(n % 3)) for n in range(9)]
    assert mirrored.ids(sort=Sort.PRIORITY, descending=False) == ids[0::3] + ids[1::3] + ids[2::3]


def test_jobs_that_come_or_go_between_pages_shift_nothing(mirrored, fsm, jobs):
    first = mirrored.search(limit=10)
    fsm.enqueue()
    fsm.act(Action.DELETE, jobs[25])
    second = mirrored.search(limit=10, cursor=first.cursor)
    assert [hit.job.id for hit in second.hits] == jobs[19:9:-1]


def test_a_cursor_belongs_to_its_search(mirrored, jobs):
    cursor = mirrored.search(limit=10, queue="q1").cursor
    assert cursor is None  # There are exactly ten.
    cursor = mirrored.search(limit=9, queue="q1").cursor
    for other in (
        {"queue": "q2"},
        {"queue": "q1", "descending": False},
        {"queue": "q1", "sort": Sort.ATTEMPT},
    ):
        with pytest.raises(ValidationFailed, match="does not belong to this search"):
            mirrored.search(limit=9, cursor=cursor, **other)
    assert mirrored.ids(limit=2, queue="q1", cursor=cursor) == [jobs[1]]


@pytest.mark.parametrize(
    "cursor", ["", "x", "!!!!", "AAAA", "eyJvZmZzZXQiOjUwfQ==", "é", "A" * 300, "kwEBAQEBAQ"]
)
def test_a_bad_cursor_is_refused(mirrored, cursor):
    with pytest.raises(ValidationFailed, match="cursor"):
        mirrored.search(cursor=cursor)


# Totals


def test_few_matches_are_counted_exactly(mirrored, jobs):
    page = mirrored.search(limit=3)
    assert (page.total, page.total_is_estimate) == (30, False)


def test_later_pages_know_the_total_of_the_first(mirrored, fsm, jobs):
    page = mirrored.search(limit=3)
    fsm.enqueue()
    assert mirrored.search(limit=3, cursor=page.cursor).total == 30


def test_many_matches_are_counted_up_to_a_bound(mirrored, jobs, monkeypatch):
    monkeypatch.setattr(search, "TOTAL_EXACT_MAX", 20)
    page = mirrored.search(limit=3)
    assert (page.total, page.total_is_estimate) == (20, True)
    assert (mirrored.search(limit=3, cursor=page.cursor).total_is_estimate) is True
    assert mirrored.search(limit=3, queue="q1").total == 10


def test_a_total_the_caller_knows_is_not_counted(mirrored, jobs):
    assert mirrored.search(limit=3, known_total=123).total == 123


def test_a_total_that_takes_too_long_is_only_a_lower_bound(mirrored, jobs):
    mirrored.flush()
    query = Query(limit=3, tags={"n": "1"})
    page = hold(search.search(query), mirrored.db, out_of_budget={0})
    assert (len(page.hits), page.total, page.total_is_estimate) == (3, 4, True)


def test_counts_by_state(mirrored, jobs):
    mirrored.flush()
    assert hold(search.count_states(Query()), mirrored.db) == {S.PENDING: 21, S.ACTIVE: 3, S.COMPLETED: 6}
    assert hold(search.count_jobs(Query(queue="q0"), cap=100), mirrored.db) == 10
    assert hold(search.count_jobs(Query(), cap=5), mirrored.db) == 6
    assert hold(search.count_jobs(Query(worker_id="w1", states=(S.DEAD,)), cap=5), mirrored.db) == 0


# Ids for bulk operations


def test_all_ids_come_in_chunks_whatever_the_sort(mirrored, jobs):
    mirrored.flush()
    found, cursor = [], None
    while True:
        query = Query(states=(S.PENDING,), sort=Sort.ATTEMPT, limit=4, cursor=cursor)
        ids = hold(search.find_ids(query), mirrored.db)
        found += ids.ids
        cursor = ids.cursor
        if cursor is None:
            break
    assert found == jobs[9:]


# Filters that the property test cannot easily hit


def test_a_worker_is_found_by_what_it_works_on(mirrored, fsm, jobs):
    assert sorted(mirrored.ids(worker_id="w1")) == sorted(jobs[6:9])
    assert mirrored.ids(worker_id="w1", states=(S.PENDING,)) == []
    assert mirrored.ids(worker_id="w2") == []


def test_errors_are_searched_beyond_the_last_one(mirrored, fsm):
    bad, good = fsm.enqueue(max_retries=5), fsm.enqueue()
    for error in ("first 100% wrong", "second_try"):
        job = fsm.lease(bad)
        fsm.fail(bad, job.lease.token, error=error, retry_after_ms=0)

    assert mirrored.ids(has_errors=True) == [bad]
    assert mirrored.ids(has_errors=False) == [good]
    assert mirrored.ids(error_contains="FIRST 100%") == [bad]
    assert mirrored.ids(error_contains="second_") == [bad]
    assert mirrored.ids(error_contains="secondx") == []
    assert mirrored.ids(error_contains="100_") == []


ACME = Reach("acme")


def test_a_namespace_sees_its_own_queues_only(mirrored, fsm):
    ours = [fsm.enqueue(qualified("acme", "mail")), fsm.enqueue(qualified("acme", "sync"))]
    fsm.enqueue("acmeother")
    default = fsm.enqueue("mail")
    assert mirrored.all_ids(reach=ACME, descending=False) == ours
    assert mirrored.ids(reach=ACME, queue=qualified("acme", "mail")) == ours[:1]
    assert mirrored.ids(reach=ACME, queue="mail") == []
    assert mirrored.ids(reach=Reach("acme", ("s*",))) == ours[1:]
    assert mirrored.ids(queue="mail") == [default]
    assert mirrored.ids(queue=qualified("acme", "mail")) == []
    assert not set(mirrored.all_ids()) & set(ours)
    assert mirrored.ids(reach=Reach("nobody")) == []


def test_a_cursor_of_one_namespace_is_refused_in_another(mirrored, fsm):
    for queue in (qualified("acme", "mail"), qualified("bolt", "mail"), "mail"):
        for _ in range(3):
            fsm.enqueue(queue)
    cursor = mirrored.search(reach=ACME, limit=2).cursor
    assert len(mirrored.ids(reach=ACME, limit=2, cursor=cursor)) == 1
    for reach in (None, Reach("bolt"), ANYWHERE):
        with pytest.raises(ValidationFailed):
            mirrored.ids(reach=reach, limit=2, cursor=cursor)


@pytest.mark.parametrize(("side_by_side", "named"), [(50, 2_000), (1, 2_000), (1, 2), (0, 0)])
@pytest.mark.parametrize("sort", list(Sort))
def test_however_many_queues_a_namespace_has_its_jobs_come_in_order(
    mirrored, fsm, monkeypatch, side_by_side, named, sort
):
    monkeypatch.setattr(reached, "NAMED_MAX", named)
    monkeypatch.setattr(clauses, "SIDE_BY_SIDE_MAX", side_by_side)
    spaces = ("acme", "default", "bolt")
    ids = [[fsm.enqueue(qualified(space, name)) for space in spaces] for name in "abcabcab"]
    for place, space in enumerate(spaces):
        ours = [row[place] for row in ids]
        reach = Reach(space)
        assert mirrored.all_ids(reach=reach, sort=sort, descending=False) == ours
        assert (
            mirrored.all_ids(reach=reach, sort=sort, states=(JobState.PENDING, JobState.DEAD)) == ours[::-1]
        )
        assert mirrored.search(reach=reach, sort=sort, limit=2).total == len(ours)
        scoped = Reach(space, ("b", "c"))
        assert mirrored.all_ids(reach=scoped, sort=sort, descending=False) == [
            row[place] for row, name in zip(ids, "abcabcab", strict=True) if name != "a"
        ]


def test_a_small_namespace_does_not_walk_over_a_large_one(mirrored, fsm):
    fsm.enqueue(qualified("small", "mail"))
    fsm.enqueue("mail")
    fsm.enqueue(qualified("large", "mail"))
    mirrored.flush()
    for reach in (Reach("small"), None):
        for sort in Sort:
            for steps in plans(search.search(Query(reach=reach, sort=sort)), mirrored.db):
                assert not any(step.split()[:2] == ["SCAN", "j"] for step in steps), (sort, steps)


TRICKY = [
    {"a": 'x"y'},
    {'k"1': "v"},
    {"$": "1", "a.b": "2", "[0]": "3"},
    {"a": "x", ":": "zzz"},
    {"a": "x,", ":": "zzz"},
    {"%": "_"},
    {"é": "É"},
    {"'); DROP TABLE jobs; --": "' OR 1=1 --"},
    {"": ""},
    {"\\": "\\\\"},
    {"\n": "\t"},
]


@pytest.mark.parametrize("tags", TRICKY, ids=repr)
def test_tags_of_any_spelling_are_found_and_no_others(mirrored, fsm, tags):
    ids = {fsm.enqueue(tags=other): other for other in TRICKY}
    expected = [job_id for job_id, other in ids.items() if tags.items() <= other.items()]
    assert mirrored.all_ids(tags=tags, descending=False) == expected


def test_a_pair_that_is_only_spelled_like_a_tag_is_none(mirrored, fsm):
    fsm.enqueue(tags={"a": "x", ":": "zzz"})
    fsm.enqueue(tags={"a": "x,", ":": "zzz"})
    assert mirrored.ids(tags={",": ":"}) == []


@pytest.mark.parametrize("text", ["100%", "a_b", "\\", "'", '"', "Ä", "x' OR '1'='1", "\\u00e4"])
def test_payload_contains_takes_every_character_as_it_is(mirrored, fsm, text):
    with_it = fsm.enqueue(payload=json.dumps({"t": f"<{text}>"}, ensure_ascii=False).encode())
    fsm.enqueue(payload=b'{"t":"100 a-b other"}')
    spelled = json.dumps(text, ensure_ascii=False)[1:-1]
    assert mirrored.ids(payload_contains=spelled) == [with_it]


def test_payload_contains_does_not_mind_ascii_case(mirrored, fsm):
    job_id = fsm.enqueue(payload=b'{"Name":"MiXed"}')
    assert mirrored.ids(payload_contains='"NAME":"mixed"') == [job_id]


# Ways to the rows


@pytest.mark.parametrize(
    "members",
    [
        {"queue": "q1"},
        {"queue": "q1", "states": (S.PENDING,)},
        {"queue": "q1", "states": (S.PENDING, S.DEAD)},
        {"states": (S.DEAD,)},
        {"unique_key": "u"},
        {"batch_id": "b", "queue": "q1"},
        {"created": Range(5, 6)},
        *({"sort": sort} for sort in (Sort.PRIORITY, Sort.ATTEMPT, Sort.STARTED_AT, Sort.COMPLETED_AT)),
    ],
    ids=repr,
)
def test_common_searches_read_no_more_of_the_table_than_they_need(mirrored, jobs, members):
    mirrored.flush()
    for plan_ in plans(search.search(Query(**members, limit=5)), mirrored.db):
        for line in plan_:
            assert not line.startswith("SCAN j") or "USING" in line, plan_


def test_a_queue_with_all_its_states_is_one_walk_even_for_a_text(mirrored, jobs, monkeypatch):
    monkeypatch.setattr(plan, "FEW_ROWS", 2)
    mirrored.flush()
    query = Query(queue="q1", payload_jq=".nothing == 1")
    _, page = plans(search.search(query), mirrored.db)
    assert "SEARCH j USING COVERING INDEX jobs_queue (queue=?)" in page
    # It is the only way there is, so it is gone to its end.
    assert hold(search.search(query), mirrored.db, out_of_budget={0}).total == 0


def test_some_states_of_a_queue_are_merged_not_sorted(mirrored, jobs):
    mirrored.flush()
    states = (JobState.PENDING, JobState.ACTIVE, JobState.COMPLETED)
    page = plans(search.search(Query(queue="q1", states=states, limit=5)), mirrored.db)[1]
    assert sum("jobs_queue_state (queue=? AND state=?)" in line for line in page) == len(states)
    # The one sort left is that of the page itself.
    assert sum("TEMP B-TREE" in line for line in page) == 1


def test_a_walk_that_finds_nothing_is_given_up_for_the_narrowest_index(mirrored, jobs, monkeypatch):
    monkeypatch.setattr(plan, "FEW_ROWS", 2)
    mirrored.flush()
    for sort in (Sort.STARTED_AT, Sort.PRIORITY, Sort.COMPLETED_AT, Sort.CREATED_AT):
        for descending in (True, False):
            members = {"queue": "q1", "states": tuple(JobState)[:-1], "sort": sort, "descending": descending}
            query = Query(**members, limit=4)
            walked = hold(search.search(query), mirrored.db)
            gathered = hold(search.search(query), mirrored.db, out_of_budget={0})
            assert gathered == walked
            following = Query(**members, limit=4, cursor=walked.cursor)
            assert hold(search.search(following), mirrored.db, out_of_budget={0}) == hold(
                search.search(following), mirrored.db
            )


def test_if_every_index_is_too_wide_the_walk_goes_on_to_its_end(mirrored, jobs, monkeypatch):
    monkeypatch.setattr(plan, "FEW_ROWS", 2)
    monkeypatch.setattr(plan, "MANY_ROWS", 3)
    mirrored.flush()
    query = Query(queue="q1", sort=Sort.STARTED_AT, limit=4)
    assert hold(search.search(query), mirrored.db, out_of_budget={0}) == hold(
        search.search(query), mirrored.db
    )


def test_a_text_that_is_looked_for_in_payloads_is_short():
    """While SQLite compares it with one payload, nothing can interrupt that."""
    Query(payload_contains="x" * 256)
    with pytest.raises(ValidationFailed, match="payload_contains: longer than 256 characters"):
        Query(payload_contains="x" * 257)
