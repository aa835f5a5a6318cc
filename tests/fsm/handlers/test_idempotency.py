import pytest

from corvo.core.errors import IdempotencyMismatch, NotFound
from corvo.ops.enqueue import Enqueue
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.finish import Ack
from corvo.ops.idempotency import Once
from corvo.ops.results import Recalled
from corvo.ops.upkeep import CleanIdempotency


def once(key="key-1", digest=b"d1", count=1):
    return Once(key, digest, count)


def test_a_repeated_request_gets_the_first_answer_and_has_no_effect(fsm):
    _, first = fsm.apply(once(), Enqueue(fsm.new_job()))
    fsm.lease(first.job_id)

    recalled, again = fsm.apply(once(), Enqueue(fsm.new_job()))

    assert recalled == Recalled(replayed=True)
    assert again == first
    assert again.job.state.label == "pending", "the answer of then, not the state of now"
    assert fsm.queue().enqueued_total == 1


def test_the_same_key_for_something_else_is_refused_and_has_no_effect(fsm):
    fsm.apply(once(), Enqueue(fsm.new_job()))

    outcomes = fsm.apply(once(digest=b"d2"), Enqueue(fsm.new_job()))

    assert [type(outcome) for outcome in outcomes] == [IdempotencyMismatch, IdempotencyMismatch]
    assert fsm.queue().enqueued_total == 1


def test_a_refusal_is_an_answer_too(fsm):
    ack = Ack("job_unknown", None)
    fsm.apply(once(), ack)
    _, again = fsm.apply(once(), ack)
    assert isinstance(again, NotFound)
    assert again.message == "job job_unknown does not exist"


def test_it_covers_as_many_ops_as_it_says(fsm):
    outcomes = fsm.apply(
        once(count=2), Enqueue(fsm.new_job()), Enqueue(fsm.new_job()), Enqueue(fsm.new_job())
    )
    assert len(outcomes) == 4
    fsm.apply(once(count=2), Enqueue(fsm.new_job()), Enqueue(fsm.new_job()), Enqueue(fsm.new_job()))
    assert fsm.queue().enqueued_total == 4


def test_twice_in_one_entry_counts_once(fsm):
    outcomes = fsm.apply(once(), Enqueue(fsm.new_job()), once(), Enqueue(fsm.new_job()))
    assert outcomes[2].replayed
    assert outcomes[1] == outcomes[3]
    assert fsm.queue().enqueued_total == 1


@pytest.mark.parametrize("swept", [False, True])
def test_after_a_day_the_key_is_free_again(fsm, clock, swept):
    _, first = fsm.apply(once(), Enqueue(fsm.new_job()))
    clock.advance(s=24 * 3_600 + 1)
    if swept:
        assert fsm.one(CleanIdempotency(limit=10)).count == 1
        assert not [key for key in fsm.dump() if key.startswith((b"i|", b"k|"))]

    recalled, second = fsm.apply(once(), Enqueue(fsm.new_job()))

    assert not recalled.replayed
    assert second.job_id != first.job_id


def test_the_answer_survives_a_restart(fsm):
    _, first = fsm.apply(once(), Enqueue(fsm.new_job()))
    fsm.restart()
    _, again = fsm.apply(once(), Enqueue(fsm.new_job()))
    assert again == first


# Fetches


def claim(count=1):
    return Fetch([Claim(("q",), "w1", "host", 60_000, count)])


def taken(outcomes):
    recalled, fetched = outcomes
    return recalled.replayed, [(whole.job.id, whole.job.lease.token) for whole in fetched.claims[0]]


def test_a_repeated_fetch_gets_the_same_jobs_while_they_are_its_own(fsm):
    ids = [fsm.enqueue(payload=b"x" * size) for size in (10, 10_000)]
    first = fsm.apply(once(), claim(2))
    replayed, leases = taken(first)
    assert (replayed, [job_id for job_id, _ in leases]) == (False, ids)
    fsm.enqueue()

    fsm.beat(ids[0], progress=b"50")
    again = fsm.apply(once(), claim(2))
    assert taken(again) == (True, leases)
    assert [whole.payload for whole in again[1].claims[0]] == [b"x" * 10, b"x" * 10_000]
    assert again[1].claims[0][0].job.progress == b"50", "as the job is now"
    assert fsm.queue().active == 2

    fsm.ack(ids[0])
    fsm.restart()
    assert taken(fsm.apply(once(), claim(2))) == (True, leases[1:])


def test_a_fetch_whose_leases_are_all_over_is_done_anew_and_remembered_anew(fsm):
    first = fsm.enqueue()
    _, leases = taken(fsm.apply(once(), claim()))
    fsm.release(first)
    replayed, other = taken(fsm.apply(once(), claim()))
    assert (replayed, other[0][0]) == (False, first)
    assert other != leases
    assert taken(fsm.apply(once(), claim())) == (True, other)
    assert len([key for key in fsm.dump() if key.startswith(b"k|")]) == 1


def test_a_fetch_that_brought_nothing_is_not_remembered(fsm):
    assert taken(fsm.apply(once(), claim())) == (False, [])
    assert not [key for key in fsm.dump() if key.startswith((b"i|", b"k|"))]
    job_id = fsm.enqueue()
    replayed, leases = taken(fsm.apply(once(), claim()))
    assert (replayed, [lease[0] for lease in leases]) == (False, [job_id])
