"""Every key builder has an inverse, and byte order is the order people expect."""

from hypothesis import given
from hypothesis import strategies as st

from corvo.core.states import JobState
from corvo.storage import audit_keys, keys

queues = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs", "Cc")), min_size=1)
job_ids = st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=26, max_size=26).map("job_{}".format)
times = st.integers(0, 2**63 - 1)
priorities = st.integers(0, 2)


@given(queues, priorities, times, job_ids)
def test_a_pending_key_reads_back(queue, priority, order_ns, job_id):
    key = keys.pending(queue, priority, order_ns, job_id)
    assert keys.parse_pending(key) == (queue, priority, order_ns, job_id)
    assert key.startswith(keys.pending_prefix(queue))


@given(queues, st.lists(st.tuples(priorities, times, job_ids), unique=True))
def test_pending_keys_sort_by_priority_then_age_then_id(queue, places):
    by_bytes = sorted(keys.pending(queue, *place) for place in places)
    assert [keys.parse_pending(key)[1:] for key in by_bytes] == sorted(places)


@given(queues, queues, job_ids)
def test_no_queue_sees_the_keys_of_another(queue, other, job_id):
    key = keys.pending(other, 2, 1, job_id)
    prefix = keys.pending_prefix(queue)
    assert (prefix <= key < keys.after(prefix)) == (queue == other)


@given(queues, st.sampled_from(JobState), job_ids)
def test_a_member_key_reads_back(queue, state, job_id):
    assert keys.parse_member(keys.member(queue, state, job_id)) == (queue, state, job_id)


@given(st.sampled_from(keys.TIMED), st.lists(st.tuples(times, job_ids), unique=True))
def test_timed_keys_sort_by_time_and_read_back(family, items):
    by_bytes = sorted(keys.timed(family, at_ns, name) for at_ns, name in items)
    assert [keys.parse_timed(family, key) for key in by_bytes] == sorted(items)


@given(st.sampled_from(keys.TIMED), times, times, job_ids)
def test_the_start_of_a_time_separates_before_from_after(family, at_ns, start_ns, name):
    assert (keys.timed(family, at_ns, name) >= keys.timed_start(family, start_ns)) == (at_ns >= start_ns)


@given(queues, st.text(st.characters(blacklist_categories=("Cs",))))
def test_a_unique_key_reads_back_whatever_the_client_put_into_it(queue, unique_key):
    assert keys.parse_unique(keys.unique(queue, unique_key)) == (queue, unique_key)


@given(job_ids, st.integers(0, 2**32 - 1))
def test_an_error_key_reads_back(job_id, number):
    assert keys.parse_error(keys.error(job_id, number)) == (job_id, number)


@given(queues, st.lists(queues, min_size=1))
def test_names_of_schedules_read_back_and_lie_beside_their_documents(name, others):
    assert keys.parse_schedule_name(keys.schedule_name(name)) == name
    assert keys.parse_schedule(keys.schedule(name)) == name
    by_bytes = sorted(map(keys.schedule_name, others))
    assert [keys.parse_schedule_name(key) for key in by_bytes] == sorted(others, key=str.encode)
    assert not {keys.schedule(other) for other in others} & set(by_bytes)


@given(st.integers(0, 2**64 - 1))
def test_an_event_key_reads_back(index):
    assert keys.parse_events(keys.events(index)) == index


@given(st.text(st.characters(blacklist_categories=("Cs",)), min_size=1), job_ids)
def test_a_relative_key_reads_back_whatever_the_client_called_the_relative(named_id, job_id):
    key = keys.relative(named_id, job_id)
    assert keys.parse_relative(key) == (named_id, job_id)
    assert key.startswith(keys.relatives_prefix(named_id))


@given(job_ids)
def test_a_webhook_key_reads_back_and_is_no_worker(webhook_id):
    key = keys.webhook(webhook_id)
    assert keys.parse_webhook(key) == webhook_id
    assert not keys.WORKER <= key < keys.after(keys.WORKER)
    assert not keys.EVENTS <= key < keys.after(keys.EVENTS)


namespaces = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?|\*", fullmatch=True)


@given(namespaces, namespaces, st.lists(times, unique=True))
def test_audit_keys_sort_by_number_and_stay_in_their_namespace(namespace, other, numbers):
    by_bytes = sorted(audit_keys.record(namespace, number) for number in numbers)
    assert [audit_keys.parse_record(key) for key in by_bytes] == [
        (namespace, number) for number in sorted(numbers)
    ]
    prefix = audit_keys.prefix(other)
    assert all((prefix <= key < keys.after(prefix)) == (namespace == other) for key in by_bytes)


@given(st.lists(times, unique=True))
def test_audit_records_are_listed_newest_first(moments):
    by_bytes = sorted(audit_keys.time(at_ns) for at_ns in moments)
    assert [audit_keys.parse_time(key) for key in by_bytes] == sorted(moments, reverse=True)
