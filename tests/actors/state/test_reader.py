"""Answers stay small, however much there is to tell."""

from corvo.actors.state.reader import StateReader
from corvo.core.limits import (
    BACKTRACE_BYTES_MAX,
    BULK_GET_IDS_MAX,
    JOB_ERRORS_SHOWN_BYTES_MAX,
    JOB_ERRORS_SHOWN_MAX,
)
from corvo.core.namespace import ANYWHERE, Quotas, Reach, qualified
from corvo.ops.cron import SetSchedule
from corvo.ops.flow import OpenBatch
from corvo.ops.namespaces import SetNamespace
from tests.support.fsm import Fsm
from tests.support.schedules import plan

LARGE = "x" * BACKTRACE_BYTES_MAX


def failed_often(fsm, times=JOB_ERRORS_SHOWN_MAX + 10):
    job_id = fsm.enqueue(max_retries=1_000)
    for number in range(times):
        fsm.lease(job_id)
        fsm.fail(job_id, error=f"e{number}", backtrace=LARGE, retry_after_ms=0)
        fsm.promote()
    return job_id


def size(found):
    return sum(len(error.backtrace) for error in found.errors)


def test_large_errors_of_a_job_are_shown_as_far_as_there_is_room():
    fsm = Fsm()
    job_id = failed_often(fsm)
    found = StateReader(fsm.machine.state).job(job_id, None)
    assert JOB_ERRORS_SHOWN_BYTES_MAX * 0.9 < size(found) <= JOB_ERRORS_SHOWN_BYTES_MAX
    assert found.errors[-1].error == f"e{JOB_ERRORS_SHOWN_MAX + 9}"


def test_many_jobs_share_the_room_and_each_shows_its_last_error():
    fsm = Fsm()
    job_id = failed_often(fsm)
    jobs = StateReader(fsm.machine.state).jobs([job_id] * BULK_GET_IDS_MAX, None).jobs
    shown = [len(found.errors) for found in jobs]
    assert sum(map(size, jobs)) <= 4 * JOB_ERRORS_SHOWN_BYTES_MAX + BULK_GET_IDS_MAX * BACKTRACE_BYTES_MAX
    assert (shown[0] > 10, shown[-1]) == (True, 1)
    assert jobs[-1].errors == jobs[0].errors[-1:]


def test_every_error_can_be_read_page_by_page_however_large():
    fsm = Fsm()
    job_id = failed_often(fsm)
    reader, before, errors = StateReader(fsm.machine.state), None, []
    while before != 0:
        found = reader.errors(job_id, before, 1_000, None)
        assert found.errors
        errors, before = found.errors + errors, found.first
    assert [error.error for error in errors] == [f"e{n}" for n in range(JOB_ERRORS_SHOWN_MAX + 10)]


def test_lists_are_of_one_namespace_however_many_others_there_are(fsm):
    """Page by page, in order, and in no more pages than there would be without the others."""
    reader = StateReader(fsm.machine.state)
    for number in range(7):
        for name in ("acme", "default", "a", "zz"):
            queue = qualified(name, f"q{number}")
            fsm.enqueue(queue)
            fsm.one(OpenBatch(fsm.ids.new("batch"), None, None, name))
            schedule = plan(name=qualified(name, f"s{number}"), queue=queue)
            fsm.one(SetSchedule(f"sched_{name}_{number}", None, schedule, 5))
    for name in ("acme", "default", "a", "zz"):
        reach = Reach(name)
        assert [info.queue.name for info in reader.queues(None, reach).queues] == [
            qualified(name, f"q{number}") for number in range(7)
        ]
        page = reader.schedules("", 3, reach)
        assert page.more
        rest = reader.schedules("s2", 10, reach)
        assert not rest.more
        assert [each.plan.name for each in (*page.schedules, *rest.schedules)] == [
            qualified(name, f"s{number}") for number in range(7)
        ]
        first = reader.batches(None, 4, reach)
        second = reader.batches(first.batches[-1].id, 4, reach)
        found = [*first.batches, *second.batches]
        assert (first.has_more, second.has_more, len(found)) == (True, False, 7)
        assert {batch.namespace for batch in found} == {name}
        assert reader.schedule("s3", reach).schedule.id == f"sched_{name}_3"
        assert reader.schedule("sched_zz_3", reach) is None or name == "zz"
        assert reader.schedules("", 9, Reach(name, ("q3",))).schedules == [
            reader.schedule("s3", reach).schedule
        ]
    assert (
        len(reader.queues(None, ANYWHERE).queues) == len(reader.schedules("", 99, ANYWHERE).schedules) == 28
    )


def test_namespaces_are_listed_with_what_they_hold_whether_set_up_or_not(fsm):
    reader = StateReader(fsm.machine.state)
    fsm.enqueue(qualified("used", "q"), b'"12345678"')
    fsm.one(SetNamespace("made", Quotas(max_jobs=3), is_new=True))
    found = {each.namespace.name: each for each in reader.namespaces().namespaces}
    assert list(found) == ["default", "made", "used"]
    assert (found["used"].queues, found["used"].jobs, found["used"].payload_bytes) == (1, 1, 10)
    assert [each.is_set_up for each in found.values()] == [False, True, False]
    assert found["made"].namespace.quotas.max_jobs == 3
    assert reader.namespace("nobody") is None


def test_events_are_read_on_from_where_the_last_one_was_that_others_have(fsm):
    reader = StateReader(fsm.machine.state)
    for number in range(10):
        fsm.enqueue(qualified("acme", "q") if number == 9 else "q")
    found = reader.events(0, 4, Reach("acme"))
    assert (found.events, found.read_seq) == ([], 4)
    found = reader.events(8, 4, Reach("acme"))
    assert ([event.seq for event in found.events], found.read_seq) == ([10], 10)
