"""Searches as clients write them."""

import msgspec
import pytest

from corvo.core.errors import ValidationFailed
from corvo.core.namespace import Reach, qualified
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.storage.mirror.search.query import Query, Range, Sort
from corvo.storage.mirror.search.request import SearchRequest


def query(body: str, **arguments) -> Query:
    return msgspec.json.decode(body, type=SearchRequest).query(**arguments)


def test_nothing_asked_is_everything_newest_first():
    assert query("{}") == Query(limit=50, descending=True, sort=Sort.CREATED_AT)


def test_every_member_finds_its_way():
    asked = query(
        """{"queue": "q", "state": ["dead", "pending"], "priority": "high", "tags": {"a": "b"},
            "payload_contains": "x", "payload_jq": ".a == 1",
            "created_after": "1970-01-01T00:00:01Z", "created_before": "1970-01-01T00:00:02Z",
            "scheduled_after": "1970-01-01T00:00:03Z", "started_before": "1970-01-01T00:00:04Z",
            "completed_after": "1970-01-01T00:00:05Z", "expire_before": "1970-01-01T01:00:00.5+01:00",
            "attempt_min": 1, "attempt_max": 2, "unique_key": "u", "batch_id": "b", "worker_id": "w",
            "parent_id": "p", "group": "g", "chain_id": "c", "has_errors": false, "error_contains": "e",
            "job_id_prefix": "job_", "job_id_suffix": "9", "sort": "attempt", "order": "asc", "cursor": "abc",
            "limit": 7}""",
        reach=Reach("acme"),
    )
    s = 1_000_000_000
    assert asked == Query(
        queue=qualified("acme", "q"),
        reach=Reach("acme"),
        states=(JobState.PENDING, JobState.DEAD),
        priority=Priority.HIGH,
        tags={"a": "b"},
        payload_contains="x",
        payload_jq=".a == 1",
        created=Range(1 * s, 2 * s),
        scheduled=Range(3 * s, None),
        started=Range(None, 4 * s),
        completed=Range(5 * s, None),
        expire=Range(None, s // 2),
        attempt_min=1,
        attempt_max=2,
        unique_key="u",
        batch_id="b",
        worker_id=qualified("acme", "w"),
        parent_id="p",
        group="g",
        chain_id="c",
        has_errors=False,
        error_contains="e",
        job_id_prefix="job_",
        job_id_suffix="9",
        sort=Sort.ATTEMPT,
        descending=False,
        cursor="abc",
        limit=7,
    )


def test_a_single_state_needs_no_list():
    assert query('{"state": "held"}').states == (JobState.HELD,)


@pytest.mark.parametrize(
    ("given", "priority"),
    [('"critical"', 0), ('"normal"', 2), ('"low"', 3), ("1", 1), ('""', None), ("null", None)],
)
def test_priorities_have_names_and_numbers(given, priority):
    assert query(f'{{"priority": {given}}}').priority == priority


def test_what_a_form_leaves_empty_is_not_asked_for():
    assert query('{"queue": "", "state": [], "tags": {}, "created_after": "", "sort": ""}') == query("{}")


@pytest.mark.parametrize(("given", "size"), [(0, 1), (-5, 1), (1, 1), (1_000, 1_000), (5_000, 1_000)])
def test_the_limit_is_brought_into_its_bounds(given, size):
    assert query(f'{{"limit": {given}}}').page_size == size


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('{"state": ["nope"]}', "state: 'nope' is none of scheduled, pending"),
        ('{"priority": "urgent"}', "priority: 'urgent'"),
        ('{"priority": 4}', "priority: '4'"),
        ('{"priority": "LOW"}', "priority: 'LOW'"),
        ('{"sort": "name"}', "sort: 'name' is none of created_at"),
        ('{"created_after": "yesterday"}', "created_after: 'yesterday' is not an RFC 3339 time"),
        ('{"payload_jq": "nope"}', "payload_jq: expected"),
        ('{"payload_contains": "a\\u0000b"}', "payload_contains: holds a character"),
        ('{"tags": {"a": "\\u0000"}}', "tags: holds a character"),
        ('{"attempt_min": 99999999999999999999}', "attempt_min: .* out of range"),
        (f'{{"queue": "{"x" * 5_000}"}}', "queue: longer than 4096"),
        (msgspec.json.encode({"tags": {str(n): "" for n in range(65)}}).decode(), "tags: more than 64"),
    ],
)
def test_nonsense_is_refused_by_name(body, problem):
    with pytest.raises(ValidationFailed, match=problem):
        query(body)


def test_half_a_character_is_refused():
    with pytest.raises(ValidationFailed, match="queue: holds a character"):
        Query(queue="\ud800")


def test_only_queue_and_states_are_counted_by_the_queues():
    assert Query(queue="q", states=(JobState.DEAD,), sort=Sort.FAILED_AT, limit=3).is_counted()
    assert Query().is_counted()
    assert not Query(queue="q", attempt_min=1).is_counted()
    assert Query(reach=Reach("acme")).is_counted()
