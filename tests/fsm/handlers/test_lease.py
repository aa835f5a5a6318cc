import pytest

from corvo.core.states import JobState
from corvo.ops.lease import Beat, Heartbeat


def test_a_heartbeat_extends_by_the_length_that_was_granted(fsm, clock):
    job_id = fsm.enqueue()
    job = fsm.lease(job_id, lease_ms=5_000)
    clock.advance(s=3)

    pulse = fsm.beat(job_id, job.lease.token, progress=b"40", checkpoint=b'{"page":4}')

    assert pulse.expires_ns == fsm.job(job_id).lease.expires_ns
    assert pulse.expires_ns - clock.now_ns() == pytest.approx(5_000_000_000, abs=1_000)
    assert fsm.job(job_id).progress == b"40"
    assert fsm.events(job_id)[-1] == "progress"
    clock.advance(s=4)
    fsm.reclaim()
    assert fsm.state(job_id) == "active"


def test_a_heartbeat_without_progress_makes_no_event_but_is_in_the_feed(fsm):
    job_id = fsm.enqueue()
    fsm.lease(job_id)

    fsm.beat(job_id, checkpoint=b"1")

    record = fsm.applied[-1].record
    assert record.events == []
    assert record.touched == [job_id]


def test_one_heartbeat_tells_of_each_job(fsm):
    active = fsm.enqueue()
    fsm.lease(active)
    waiting = fsm.enqueue()

    (beaten,) = fsm.apply(Heartbeat([Beat(active, None), Beat(waiting, None), Beat("job_x", None)]))

    assert [pulse.lost for pulse in beaten.pulses] == [None, "pending", "not_found"]


def test_a_released_job_is_pending_at_its_old_place_and_the_attempt_does_not_count(fsm):
    first = fsm.enqueue()
    second = fsm.enqueue()
    fsm.lease(first)

    answer = fsm.release(first, checkpoint=b'{"at":1}')

    assert answer.state is JobState.PENDING
    job = fsm.job(first)
    assert job.attempt == 0
    assert job.checkpoint == b'{"at":1}'
    assert job.lease_version == 1
    assert [c.job.id for c in fsm.fetch(count=2)] == [first, second]


def test_a_release_with_a_delay_schedules_the_job(fsm, clock):
    job_id = fsm.enqueue()
    fsm.lease(job_id)

    fsm.release(job_id, delay_ms=10_000)

    assert fsm.state(job_id) == "scheduled"
    clock.advance(s=11)
    fsm.promote()
    assert fsm.state(job_id) == "pending"


def test_a_lost_lease_makes_the_job_pending_and_keeps_the_attempt(fsm, clock):
    job_id = fsm.enqueue()
    fsm.lease(job_id, lease_ms=1_000)
    fsm.beat(job_id, checkpoint=b"7")
    clock.advance(s=2)

    assert fsm.reclaim().count == 1

    job = fsm.job(job_id)
    assert job.state is JobState.PENDING
    assert job.attempt == 1
    assert job.checkpoint == b"7"
    assert job.error_count == 0
    assert fsm.queue().active == 0
    assert fsm.events(job_id)[-1] == "reclaimed"


def test_reclaiming_stops_at_its_limit_and_goes_on_from_there(fsm, clock):
    for _ in range(7):
        fsm.enqueue()
    fsm.fetch(count=7, lease_ms=1_000)
    clock.advance(s=2)

    rounds = [(r.count, r.more) for r in (fsm.reclaim(limit=3) for _ in range(4))]

    assert rounds == [(3, True), (3, True), (1, False), (0, False)]


def test_a_job_that_kills_its_workers_is_given_up_as_poison(fsm, clock):
    job_id = fsm.enqueue(max_retries=100)
    for _ in range(3):
        fsm.lease(job_id, lease_ms=1_000)
        clock.advance(s=2)
        fsm.reclaim(losses_max=3)

    assert fsm.state(job_id) == "dead"
    assert fsm.job(job_id).last_error.startswith("lease_expired")
    assert fsm.events(job_id)[-2:] == ["reclaimed", "dead"]


def test_only_losses_in_a_row_make_poison(fsm, clock):
    job_id = fsm.enqueue(max_retries=100)
    for _ in range(4):
        fsm.lease(job_id, lease_ms=1_000)
        clock.advance(s=2)
        fsm.reclaim(losses_max=2)
        fsm.lease(job_id)
        fsm.release(job_id)
    assert fsm.state(job_id) == "pending"


def test_an_expired_job_is_not_handed_out_again_after_its_lease_was_lost(fsm, clock):
    job_id = fsm.enqueue(expire_after_ms=5_000)
    fsm.lease(job_id, lease_ms=1_000)
    clock.advance(s=10)
    fsm.reclaim()
    assert fsm.state(job_id) == "dead"
