import pytest

from corvo.core.states import JobState
from corvo.fsm.rules import workers
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.upkeep import CleanIdempotency, TrimEvents, TrimWorkers
from corvo.storage import keys
from tests.support.fsm import Fsm

SECOND = 1_000_000_000


def test_scheduled_jobs_become_pending_when_due_and_not_before(fsm, clock):
    soon = fsm.enqueue(scheduled_ns=clock.now_ns() + 5 * SECOND)
    late = fsm.enqueue(scheduled_ns=clock.now_ns() + 50 * SECOND)
    clock.advance(s=6)

    assert fsm.promote().count == 1

    assert fsm.state(soon) == "pending"
    assert fsm.job(soon).scheduled_ns is None
    assert fsm.state(late) == "scheduled"
    assert fsm.events(soon) == ["enqueued", "promoted"]


def test_promotion_is_bounded_and_soonest_first(fsm, clock):
    jobs = [fsm.enqueue(scheduled_ns=clock.now_ns() + n * SECOND) for n in range(9, 0, -1)]
    clock.advance(s=20)

    first = fsm.promote(limit=4)

    assert (first.count, first.more) == (4, True)
    assert [fsm.state(job_id) for job_id in jobs] == ["scheduled"] * 5 + ["pending"] * 4
    assert (fsm.promote(limit=4).count, fsm.promote(limit=4).count) == (4, 1)


def test_a_scheduled_job_that_expires_first_is_never_promoted(fsm, clock):
    job_id = fsm.enqueue(scheduled_ns=clock.now_ns() + 10 * SECOND, expire_after_ms=5_000)
    clock.advance(s=11)
    fsm.promote()
    assert fsm.state(job_id) == "dead"


@pytest.mark.parametrize("state", ["pending", "scheduled", "retrying", "held"])
def test_whatever_waits_can_expire(fsm, clock, state):
    wait = clock.now_ns() + 100 * SECOND if state == "scheduled" else None
    job_id = fsm.enqueue(expire_after_ms=5_000, scheduled_ns=wait)
    if state in ("retrying", "held"):
        fsm.lease(job_id)
        fsm.fail(job_id, retry_after_ms=90_000) if state == "retrying" else fsm.ack(job_id, hold=True)
    assert fsm.state(job_id) == state
    clock.advance(s=6)

    fsm.expire()

    assert fsm.state(job_id) == "dead"
    assert fsm.job(job_id).last_error == "job expired"
    assert fsm.events(job_id)[-2:] == ["expired", "dead"]


def test_what_is_running_is_not_interrupted_by_its_expiry(fsm, clock):
    job_id = fsm.enqueue(expire_after_ms=1_000)
    fsm.lease(job_id)
    clock.advance(s=2)
    assert fsm.expire().count == 0


def test_ended_jobs_are_removed_with_all_that_hung_on_them(fsm, clock):
    done = fsm.enqueue(payload=b'"' + b"x" * 3_000 + b'"')
    fsm.lease(done)
    fsm.fail(done, retry=False, backtrace="here")
    alive = fsm.enqueue()
    clock.advance(s=100)

    assert fsm.purge(age_ms=200_000).count == 0
    assert fsm.purge(age_ms=50_000).count == 1

    assert fsm.job(done) is None
    assert not [key for key in fsm.dump() if done.encode() in key]
    assert fsm.queue().counts[JobState.DEAD] == 0
    assert fsm.queue().failed_total == 1, "totals are for life"
    assert fsm.applied[-1].rows == {done: None}
    assert fsm.job(alive) is not None


def test_the_scheduler_is_told_when_something_becomes_due_earlier(fsm, clock):
    fsm.promote()
    at = clock.now_ns() + 30 * SECOND
    fsm.enqueue(scheduled_ns=at)
    assert fsm.applied[-1].due == {keys.DUE: at}
    fsm.enqueue(scheduled_ns=at + SECOND)
    assert fsm.applied[-1].due == {}, "later than what is already known"
    fsm.enqueue(scheduled_ns=at - SECOND)
    assert fsm.applied[-1].due == {keys.DUE: at - SECOND}


def test_looking_finds_the_true_next_time_even_when_earlier_keys_are_gone(fsm, clock):
    due = fsm.machine.state.due
    fsm.enqueue()
    fsm.enqueue()
    first = fsm.lease(lease_ms=1_000)
    second = fsm.lease(lease_ms=9_000)
    fsm.ack(first.id)

    assert due.look(keys.LEASE, fsm.machine.state.store) == second.lease.expires_ns
    fsm.ack(second.id)
    assert due.look(keys.LEASE, fsm.machine.state.store) is None
    fsm.restart()
    assert fsm.machine.state.due.look(keys.DUE, fsm.machine.state.store) is None


def test_events_are_trimmed_by_count_oldest_first(fsm):
    for _ in range(10):
        fsm.enqueue()

    result = fsm.one(TrimEvents(keep=4, at_before_ns=0, limit=100))

    assert (result.count, result.more) == (6, False)
    meta = fsm.machine.state.meta
    assert (meta.first_seq, meta.last_seq) == (7, 10)


def test_events_are_trimmed_by_age_and_bounded_per_op(fsm, clock):
    for _ in range(5):
        fsm.enqueue()
    clock.advance(s=100)
    fsm.enqueue()
    cutoff = clock.now_ns() - 50 * SECOND

    first = fsm.one(TrimEvents(keep=1_000, at_before_ns=cutoff, limit=3))
    second = fsm.one(TrimEvents(keep=1_000, at_before_ns=cutoff, limit=3))

    assert (first.count, first.more) == (3, True)
    assert (second.count, second.more) == (2, False)
    assert fsm.machine.state.meta.first_seq == 6


def test_trimming_everything_leaves_a_log_that_goes_on(fsm, clock):
    fsm.enqueue()
    clock.advance(s=10)
    fsm.one(TrimEvents(keep=0, at_before_ns=clock.now_ns(), limit=100))
    assert fsm.machine.state.meta.first_seq == 2
    fsm.enqueue()
    assert fsm.applied[-1].record.first_seq == 2


def test_silent_workers_are_forgotten(fsm, clock):
    for worker in ("w1", "w2", "w3"):
        fsm.enqueue()
        fsm.fetch(worker=worker)
        clock.advance(s=20)

    result = fsm.one(TrimWorkers(seen_before_ns=clock.now_ns() - 30 * SECOND, limit=10))

    assert result.count == 2
    assert list(fsm.machine.state.workers) == ["w3"]
    fsm.restart()
    assert list(fsm.machine.state.workers) == ["w3"]


def test_sweeping_answers_on_an_empty_store_does_nothing(fsm):
    assert fsm.one(CleanIdempotency(limit=10)).count == 0


def work_as(fsm, *names):
    """Have these claim a job each, all in one entry."""
    for _ in names:
        fsm.enqueue()
    fsm.apply(*(Fetch([Claim(("q",), name, "host", 60_000, 1)]) for name in names))


def test_a_client_that_is_another_worker_every_time_cannot_fill_the_book(monkeypatch, fsm, clock):
    monkeypatch.setattr(workers, "WORKERS_MAX", 20)
    names = [f"w{number:02}" for number in range(20)]
    for name in reversed(names):
        clock.advance(s=1)
        work_as(fsm, name)
    twin = Fsm(fsm.kv.snapshot(), clock)  # It was restarted, and came to its book in another order.
    assert list(twin.machine.state.workers) != list(fsm.machine.state.workers)

    clock.advance(s=1)
    for replica in (fsm, twin):
        work_as(replica, "one more")
        assert set(replica.machine.state.workers) == {*names[:18], "one more"}
        replica.restart()
        assert set(replica.machine.state.workers) == {*names[:18], "one more"}


def test_of_those_silent_for_as_long_the_first_by_name_is_forgotten(monkeypatch, fsm):
    """Time cannot tell those apart that came in one entry, and memory and disk have them in other orders."""
    monkeypatch.setattr(workers, "WORKERS_MAX", 10)
    work_as(fsm, "b", "c", "a", *"defghij")
    work_as(fsm, "k")
    assert set(fsm.machine.state.workers) == set("bcdefghijk")
