import pytest

from corvo.core.errors import ValidationFailed
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.fsm.rules import new_job
from corvo.ops.enqueue import Enqueue


def test_a_new_job_is_pending_and_counted(fsm):
    job_id = fsm.enqueue(payload=b'{"n":1}', tags={"a": "b"})

    job = fsm.job(job_id)
    assert job.state is JobState.PENDING
    assert job.payload == b'{"n":1}'
    assert job.tags == {"a": "b"}
    assert job.attempt == 0
    assert fsm.queue().counts[JobState.PENDING] == 1
    assert fsm.queue().enqueued_total == 1
    assert fsm.events(job_id) == ["enqueued"]


def test_a_job_for_later_is_scheduled_and_one_for_earlier_is_pending(fsm, clock):
    later = fsm.enqueue(scheduled_ns=clock.now_ns() + 10_000_000_000)
    earlier = fsm.enqueue(scheduled_ns=clock.now_ns() - 1)

    assert fsm.state(later) == "scheduled"
    assert fsm.state(earlier) == "pending"
    assert fsm.job(earlier).scheduled_ns is None


def test_jobs_born_in_one_entry_keep_their_order(fsm):
    jobs = [fsm.new_job() for _ in range(20)]
    fsm.apply(*(Enqueue(job) for job in reversed(jobs)))

    handed_out = [claimed.job.id for claimed in fsm.fetch(count=20)]

    assert handed_out == [job.job_id for job in reversed(jobs)]


def test_time_never_runs_backwards_when_the_leaders_clock_does(fsm, clock):
    first = fsm.enqueue()
    clock.advance(s=-3_600)
    second = fsm.enqueue()

    assert fsm.job(second).created_ns > fsm.job(first).created_ns
    assert [claimed.job.id for claimed in fsm.fetch(count=2)] == [first, second]


def test_a_large_payload_has_its_own_record_and_goes_with_the_job(fsm, clock):
    payload = b'"' + b"x" * 5_000 + b'"'
    job_id = fsm.enqueue(payload=payload)

    assert fsm.job(job_id).payload is None
    (claimed,) = fsm.fetch()
    assert claimed.payload == payload

    fsm.ack(job_id)
    clock.advance(s=10)
    fsm.purge()
    assert b"y|" + job_id.encode() not in fsm.dump()


def test_a_batch_answers_in_order_and_is_one_unit(fsm):
    jobs = [fsm.new_job(queue) for queue in ("a", "b", "a")]
    assert fsm.enqueue_many(*jobs) == [job.job_id for job in jobs]
    assert fsm.queue("a").pending == 2


def test_a_batch_that_is_refused_half_way_leaves_no_trace(fsm, monkeypatch):
    monkeypatch.setattr(new_job, "QUEUES_MAX", 2)
    before = fsm.dump()

    with pytest.raises(ValidationFailed, match="queues already"):
        fsm.enqueue_many(fsm.new_job("a"), fsm.new_job("b", unique_key="k"), fsm.new_job("c"))

    after = fsm.dump()
    after.pop(b"m|")
    before.pop(b"m|", None)
    assert after == before
    assert fsm.machine.state.queues == {}
    assert fsm.fetch("a", "b", "c") == []


def test_a_refused_op_does_not_disturb_its_neighbours(fsm, monkeypatch):
    monkeypatch.setattr(new_job, "QUEUES_MAX", 1)
    outcomes = fsm.apply(
        Enqueue(fsm.new_job("a")),
        Enqueue(fsm.new_job("b")),
        Enqueue(fsm.new_job("a", priority=Priority.HIGH)),
    )

    assert isinstance(outcomes[1], ValidationFailed)
    assert fsm.queue("a").pending == 2
    assert [claimed.job.priority for claimed in fsm.fetch("a", count=5)] == [Priority.HIGH, Priority.NORMAL]


def test_a_job_that_expires_before_anyone_wants_it_is_given_the_time(fsm, clock):
    job_id = fsm.enqueue(expire_after_ms=1_000)
    job = fsm.job(job_id)
    assert job.expire_ns == job.created_ns + 1_000_000_000
