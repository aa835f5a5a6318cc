"""Groups of failures: counted as jobs come and go, and the same as counting them all."""

import pytest

from corvo.core.states import JobState
from corvo.ops.job_admin import Action
from corvo.storage.mirror.search.failures import LIMIT_MAX, STRETCH_NS, STRETCHES, failures
from corvo.storage.mirror.search.query import Query, Range
from tests.storage.mirror.support import hold, plans

S = JobState
HOUR_S = 3_600
#: True of every job, and not among what is kept counted: makes the groups by a walk over the jobs.
ANY_TIME = Range(after_ns=0)


def fail(fsm, queue, error, *, retries=1):
    job_id = fsm.enqueue(queue, max_retries=retries)
    fsm.fail(job_id, fsm.lease(job_id, queue).lease.token, error=error)
    return job_id


@pytest.fixture
def failed(fsm):
    """Three hours of trouble."""
    ids = [fail(fsm, "mail", f"user {n} not found") for n in range(4)]
    fsm.clock.advance(s=HOUR_S)
    ids += [fail(fsm, "reports", f"user {n} not found", retries=3) for n in range(2)]
    fsm.clock.advance(s=HOUR_S)
    ids.append(fail(fsm, "mail", "disk full"))
    fsm.clock.advance(s=HOUR_S)
    fsm.enqueue("mail")
    return ids


def groups(mirrored, limit=50, **members):
    mirrored.flush()
    return hold(failures(Query(**members), limit, mirrored.fsm.clock.now_ns()), mirrored.db)


def test_most_come_first_with_their_queues_states_and_times(mirrored, fsm, failed):
    found = groups(mirrored)

    assert (found.group_count, found.job_count) == (2, 7)
    users, disk = found.groups
    assert (users.failure, users.jobs, users.dead) == ("user … not found", 6, 4)
    assert users.queues == {"mail": 4, "reports": 2}
    assert (users.first_ns, users.last_ns) == (fsm.job(failed[0]).failed_ns, fsm.job(failed[5]).failed_ns)
    assert [job.id for job in users.samples] == [failed[5], failed[4], failed[3], failed[2], failed[1]]
    assert (disk.failure, disk.jobs, disk.dead) == ("disk full", 1, 1)
    (retrying,) = groups(mirrored, queue="reports").groups
    assert (retrying.jobs, retrying.dead) == (2, 0)


def test_the_outline_says_when(mirrored, fsm, failed):
    found = groups(mirrored)
    users, disk = found.groups
    assert found.to_ns - found.from_ns == STRETCHES * STRETCH_NS
    assert [count for count in users.timeline if count] == [4, 2]
    assert sum(disk.timeline) == 1
    assert users.timeline.index(4) < users.timeline.index(2) < disk.timeline.index(1) < STRETCHES


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"queue": "mail"},
        {"states": (S.DEAD,)},
        {"states": (S.RETRYING, S.ACTIVE)},
        {"states": (S.PENDING,)},
    ],
)
def test_what_is_kept_counted_is_what_counting_comes_to(mirrored, failed, members):
    assert groups(mirrored, **members) == groups(mirrored, created=ANY_TIME, **members)


def test_any_filter_narrows_them_down(mirrored, fsm, failed):
    (only,) = groups(mirrored, created=Range(before_ns=fsm.job(failed[2]).created_ns)).groups
    assert (only.failure, only.jobs, only.queues) == ("user … not found", 2, {"mail": 2})
    assert only.last_ns == fsm.job(failed[1]).failed_ns
    assert groups(mirrored, payload_contains="nowhere").groups == []


def test_a_limit_leaves_the_totals_alone(mirrored, failed):
    found = groups(mirrored, limit=1)
    assert [group.failure for group in found.groups] == ["user … not found"]
    assert (found.group_count, found.job_count) == (2, 7)


def test_two_hundred_groups_are_one_answer(mirrored, fsm):
    for number in range(LIMIT_MAX + 5):
        # Letters, because numbers do not count.
        fail(fsm, "mail", "".join(chr(ord("a") + int(digit)) for digit in str(number)) + " is broken")
    found = groups(mirrored, limit=LIMIT_MAX)
    assert (len(found.groups), found.group_count) == (LIMIT_MAX, LIMIT_MAX + 5)


def test_jobs_that_are_retried_moved_or_deleted_leave_their_group(mirrored, fsm, failed):
    assert groups(mirrored).job_count == 7
    fsm.act(Action.RETRY, failed[0])
    fsm.act(Action.DELETE, failed[1])
    fsm.act(Action.MOVE, failed[4], queue="mail")
    users, _ = groups(mirrored).groups
    assert (users.jobs, users.queues) == (4, {"mail": 3, "reports": 1})


def test_a_search_for_a_failure_finds_its_jobs(mirrored, failed):
    assert mirrored.ids(failure="user … not found", descending=False) == failed[:6]
    assert mirrored.ids(failure="user … not found", states=(S.RETRYING,), descending=False) == failed[4:6]
    assert mirrored.ids(failure="user") == []


def test_counted_groups_read_no_jobs_but_their_samples(mirrored, failed):
    mirrored.flush()
    for steps in plans(failures(Query(queue="mail"), 50, mirrored.fsm.clock.now_ns()), mirrored.db)[:3]:
        assert not any("jobs" in step for step in steps), steps
    for step in plans(failures(Query(), 50, mirrored.fsm.clock.now_ns()), mirrored.db)[4]:
        assert "SCAN j" not in step, step
