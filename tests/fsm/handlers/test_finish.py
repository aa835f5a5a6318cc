import pytest

from corvo.core import job as job_document
from corvo.core.backoff import Backoff
from corvo.core.limits import ERRORS_KEPT_MAX
from corvo.core.states import JobState
from corvo.ops.finish import Ack
from corvo.ops.job_admin import Action
from corvo.storage import keys
from corvo.storage.invariants import check


def test_ack_completes_the_job_and_keeps_its_result(fsm, clock):
    job_id = fsm.enqueue()
    fsm.lease(job_id)
    clock.advance(ms=250)

    fsm.ack(job_id, result=b'{"ok":true}', checkpoint=b'"end"')

    job = fsm.job(job_id)
    assert job.state is JobState.COMPLETED
    assert job.result == b'{"ok":true}'
    assert job.checkpoint == b'"end"'
    assert job.lease is None
    assert job.completed_ns - job.started_ns == pytest.approx(250_000_000, abs=1_000)
    assert fsm.queue().completed_total == 1
    assert fsm.events(job_id) == ["enqueued", "started", "completed"]


def test_the_same_job_twice_in_one_entry_is_acknowledged_once(fsm):
    job_id = fsm.enqueue()
    token = fsm.lease(job_id).lease.token

    first, second = fsm.apply(Ack(job_id, token), Ack(job_id, token))

    assert (first.duplicate, second.duplicate) == (False, True)
    assert fsm.queue().completed_total == 1
    assert fsm.queue().active == 0


def test_ack_may_ask_for_a_human(fsm):
    job_id = fsm.enqueue()
    fsm.lease(job_id)

    answer = fsm.ack(job_id, hold=True, hold_reason="too expensive")

    assert answer.state is JobState.HELD
    assert fsm.job(job_id).hold_reason == "too expensive"
    assert fsm.events(job_id)[-1] == "held"


def test_failures_wait_longer_each_time_and_the_last_is_final(fsm, clock):
    job_id = fsm.enqueue(max_retries=3)
    waits = []
    for _ in range(2):
        fsm.lease(job_id)
        answer = fsm.fail(job_id)
        waits.append((answer.next_attempt_ns - clock.now_ns()) // 1_000_000_000)
        clock.advance(s=60)
        fsm.promote()
    fsm.lease(job_id)

    last = fsm.fail(job_id, error="the end", backtrace="line 1")

    assert waits == [5, 10]
    assert last.state is JobState.DEAD
    assert last.next_attempt_ns is None
    job = fsm.job(job_id)
    assert job.error_count == 3
    assert job.last_error == "the end"
    assert fsm.queue().failed_total == 3
    assert fsm.events(job_id)[-2:] == ["failed", "dead"]


def test_of_very_many_errors_the_newest_are_kept(fsm):
    job_id = fsm.enqueue(max_retries=65_535)
    for number in range(ERRORS_KEPT_MAX + 7):
        fsm.lease(job_id)
        fsm.fail(job_id, error=f"e{number}", retry_after_ms=0)

    job = fsm.job(job_id)
    assert (job.error_count, job.first_error) == (ERRORS_KEPT_MAX + 7, 7)
    stored = {keys.parse_error(key)[1] for key, _ in fsm.kv.scan(keys.ERROR, keys.after(keys.ERROR))}
    assert stored == set(range(7, ERRORS_KEPT_MAX + 7))
    fsm.act(Action.DELETE, job_id)
    assert not list(fsm.kv.scan(keys.ERROR, keys.after(keys.ERROR)))


@pytest.mark.parametrize("fails_again", [False, True])
def test_errors_from_before_there_was_a_limit_are_sound_and_go_with_their_job(fsm, monkeypatch, fails_again):
    monkeypatch.setattr(job_document, "ERRORS_KEPT_MAX", 1_000_000)
    job_id = fsm.enqueue(max_retries=100)
    for _ in range(20):
        fsm.lease(job_id)
        fsm.fail(job_id, retry_after_ms=0)
    monkeypatch.setattr(job_document, "ERRORS_KEPT_MAX", 5)
    if fails_again:
        fsm.lease(job_id)
        fsm.fail(job_id, retry_after_ms=0)
    assert list(check(fsm.kv)) == []
    fsm.act(Action.DELETE, job_id)
    assert not list(fsm.kv.scan(keys.ERROR, keys.after(keys.ERROR)))


@pytest.mark.parametrize("max_retries", [0, 1])
def test_with_no_attempts_to_spare_the_first_failure_is_final(fsm, max_retries):
    job_id = fsm.enqueue(max_retries=max_retries)
    fsm.lease(job_id)
    assert fsm.fail(job_id).state is JobState.DEAD


def test_a_verdict_of_no_retry_is_final_whatever_attempts_are_left(fsm):
    job_id = fsm.enqueue(max_retries=10)
    fsm.lease(job_id)
    assert fsm.fail(job_id, retry=False).state is JobState.DEAD


def test_a_given_delay_replaces_the_backoff(fsm, clock):
    job_id = fsm.enqueue()
    fsm.lease(job_id)
    answer = fsm.fail(job_id, retry_after_ms=600_000)
    assert answer.next_attempt_ns - clock.now_ns() == pytest.approx(600_000_000_000, abs=10_000)


def test_the_leaders_draw_counts_as_much_as_the_job_allows(fsm, clock):
    waits = []
    for jitter, drawn in ((0.0, 1.0), (0.5, 1.0), (0.5, -1.0), (1.0, -1.0)):
        job_id = fsm.enqueue(retry_jitter=jitter, backoff=Backoff.FIXED)
        fsm.lease(job_id)
        answer = fsm.fail(job_id, jitter=drawn)
        waits.append(round((answer.next_attempt_ns - clock.now_ns()) / 1e9, 3))
        if fsm.state(job_id) == "pending":
            fsm.ack(fsm.lease(job_id).id)
    assert waits == [5.0, 7.5, 2.5, 0.0]


def test_without_backoff_the_job_is_pending_again_at_once(fsm):
    job_id = fsm.enqueue(backoff=Backoff.NONE)
    fsm.lease(job_id)

    answer = fsm.fail(job_id)

    assert answer.state is JobState.RETRYING
    assert fsm.state(job_id) == "pending"
    assert fsm.events(job_id)[-2:] == ["failed", "promoted"]


def test_a_retried_job_keeps_its_place_before_younger_ones(fsm):
    first = fsm.enqueue(backoff=Backoff.NONE)
    second = fsm.enqueue()
    fsm.lease(first)
    fsm.fail(first)
    assert [c.job.id for c in fsm.fetch(count=2)] == [first, second]


def test_a_job_that_fails_after_it_expired_is_not_tried_again(fsm, clock):
    job_id = fsm.enqueue(expire_after_ms=1_000)
    fsm.lease(job_id)
    clock.advance(s=2)

    assert fsm.fail(job_id).state is JobState.DEAD
    assert fsm.events(job_id)[-3:] == ["failed", "expired", "dead"]


def test_an_ack_after_expiry_still_counts(fsm, clock):
    job_id = fsm.enqueue(expire_after_ms=1_000)
    fsm.lease(job_id)
    clock.advance(s=2)
    fsm.expire()
    assert fsm.ack(job_id).state is JobState.COMPLETED
