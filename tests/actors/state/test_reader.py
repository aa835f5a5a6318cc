"""Answers stay small, however much there is to tell."""

from corvo.actors.state.reader import StateReader
from corvo.core.limits import (
    BACKTRACE_BYTES_MAX,
    BULK_GET_IDS_MAX,
    JOB_ERRORS_SHOWN_BYTES_MAX,
    JOB_ERRORS_SHOWN_MAX,
)
from tests.support.fsm import Fsm

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
