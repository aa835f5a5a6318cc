import pytest

from corvo.core.job import UniqueUntil
from corvo.ops.job_admin import Action
from corvo.ops.upkeep import CleanUnique
from corvo.storage.invariants import check


def test_a_second_job_with_the_key_is_the_first_one(fsm):
    first = fsm.enqueue(unique_key="k")

    assert fsm.enqueue(unique_key="k") == first
    assert fsm.queue().pending == 1
    assert fsm.events() == ["enqueued"]


def test_the_lock_belongs_to_a_queue(fsm):
    assert fsm.enqueue("a", unique_key="k") != fsm.enqueue("b", unique_key="k")


def test_within_one_batch_the_second_is_a_duplicate_of_the_first(fsm):
    first, second, third = fsm.enqueue_many(
        fsm.new_job(unique_key="k"), fsm.new_job(unique_key="k"), fsm.new_job(unique_key="other")
    )
    assert first == second != third
    assert fsm.queue().pending == 2


@pytest.mark.parametrize("end", ["ack", "dead", "expire"])
def test_until_success_the_lock_lasts_until_the_job_has_ended(fsm, clock, end):
    first = fsm.enqueue(unique_key="k", expire_after_ms=60_000)
    if end == "expire":
        clock.advance(s=61)
        fsm.expire()
    else:
        fsm.lease(first)
        assert fsm.enqueue(unique_key="k") == first
        fsm.ack(first) if end == "ack" else fsm.fail(first, retry=False)

    assert fsm.enqueue(unique_key="k") != first


def test_a_retrying_job_keeps_its_lock(fsm):
    first = fsm.enqueue(unique_key="k")
    fsm.lease(first)
    fsm.fail(first)
    assert fsm.enqueue(unique_key="k") == first


def test_until_start_the_lock_is_gone_once_the_job_is_claimed(fsm):
    first = fsm.enqueue(unique_key="k", unique_until=UniqueUntil.START)
    fsm.lease(first)
    assert fsm.enqueue(unique_key="k") != first


def test_until_ttl_the_lock_outlives_the_job_and_even_its_document(fsm, clock):
    first = fsm.enqueue(unique_key="k", unique_period_s=100, unique_until=UniqueUntil.TTL)
    fsm.lease(first)
    fsm.ack(first)
    clock.advance(s=50)
    fsm.purge()
    assert fsm.job(first) is None

    assert fsm.enqueue(unique_key="k") == first
    assert fsm.enqueue_many(fsm.new_job(unique_key="k")) == [first]
    clock.advance(s=51)
    assert fsm.enqueue(unique_key="k") != first


def test_a_lock_never_outlives_its_period_even_while_the_job_runs(fsm, clock):
    first = fsm.enqueue(unique_key="k", unique_period_s=10)
    fsm.lease(first)
    clock.advance(s=11)

    second = fsm.enqueue(unique_key="k", unique_period_s=10)

    assert second != first
    fsm.ack(first)
    assert fsm.enqueue(unique_key="k") == second, "the end of the first must not free the lock of the second"


def test_expired_locks_are_swept(fsm, clock):
    for number in range(5):
        fsm.enqueue(unique_key=f"k{number}", unique_period_s=10)
    clock.advance(s=11)

    first = fsm.one(CleanUnique(limit=3))
    second = fsm.one(CleanUnique(limit=3))

    assert (first.count, first.more) == (3, True)
    assert (second.count, second.more) == (2, False)
    assert not [key for key in fsm.dump() if key.startswith((b"u|", b"v|"))]


def test_a_lock_until_start_is_taken_again_by_a_retry_and_held_until_the_next_claim(fsm):
    job_id = fsm.enqueue(unique_key="k", unique_until=UniqueUntil.START)
    fsm.end(job_id, "ack")
    fsm.act(Action.RETRY, job_id)

    assert list(check(fsm.kv)) == []
    assert fsm.enqueue(unique_key="k") == job_id
    fsm.lease(job_id)
    assert fsm.enqueue(unique_key="k") != job_id
