import json

import pytest

from corvo.core.batch import decode_batch
from corvo.core.errors import NotFound, ValidationFailed
from corvo.ops.enqueue import EnqueueMany, NewBatch
from corvo.ops.finish import Ack
from corvo.ops.flow import OpenBatch, PurgeBatches, SealBatch
from corvo.ops.job_admin import Action
from corvo.storage import keys


def make_batch(fsm, count, callback="done", payload=b'{"note":"x"}', **fields):
    jobs = [fsm.new_job("work", **fields) for _ in range(count)]
    result = fsm.one(EnqueueMany(jobs, NewBatch("batch_1", callback, payload)))
    assert result.batch_id == "batch_1"
    return [item.job_id for item in result.items]


def batch(fsm, batch_id="batch_1"):
    stored = fsm.kv.get(keys.batch(batch_id))
    return None if stored is None else decode_batch(stored)


def callbacks(fsm, queue="done"):
    """Payloads of all callback jobs ever made."""
    return [json.loads(whole.payload) for whole in fsm.fetch(queue, count=100)]


WAYS = ["ack", "fail", "cancel", "expire", "delete"]


@pytest.mark.parametrize("how", WAYS)
def test_the_callback_comes_once_with_the_counts_however_the_jobs_end(fsm, how):
    jobs = make_batch(fsm, 10, expire_after_ms=60_000)
    for number, job_id in enumerate(jobs):
        assert "done" not in fsm.machine.state.queues
        if how != "expire" or number == 9:
            fsm.end(job_id, how)

    succeeded = 10 if how == "ack" else 0
    counts = {"id": "batch_1", "total": 10, "succeeded": succeeded, "failed": 10 - succeeded}
    assert callbacks(fsm) == [{"note": "x", "batch": counts}]
    assert "batch.completed" in fsm.events()


def test_jobs_that_end_in_different_ways_are_counted_each(fsm):
    jobs = make_batch(fsm, 4, expire_after_ms=60_000)
    for job_id, how in zip(jobs, ["ack", "fail", "cancel", "delete"], strict=True):
        fsm.end(job_id, how)
    ((callback,)) = callbacks(fsm)
    assert callback["batch"] == {"id": "batch_1", "total": 4, "succeeded": 1, "failed": 3}


def test_ten_acks_in_one_entry_make_one_callback(fsm):
    jobs = make_batch(fsm, 10)
    tokens = {w.job.id: w.job.lease.token for w in fsm.fetch("work", count=10)}
    fsm.apply(*(Ack(job_id, tokens[job_id]) for job_id in [*jobs, *jobs]))
    assert len(callbacks(fsm)) == 1
    assert batch(fsm).succeeded == 10


def test_a_callback_payload_that_is_no_object_is_put_under_a_name(fsm):
    (job_id,) = make_batch(fsm, 1, payload=b"[1,2]")
    fsm.end(job_id, "ack")
    ((callback,)) = callbacks(fsm)
    assert callback["payload"] == [1, 2]


def test_a_batch_without_a_callback_only_counts(fsm):
    (job_id,) = make_batch(fsm, 1, callback=None)
    fsm.end(job_id, "ack")
    assert batch(fsm).ended_ns is not None
    assert list(fsm.machine.state.queues) == ["work"]


def test_duplicates_are_not_part_of_the_batch(fsm):
    fsm.enqueue("work", unique_key="k")
    new = [fsm.new_job("work", unique_key="k"), fsm.new_job("work")]
    items = fsm.one(EnqueueMany(new, NewBatch("batch_1", "done", None))).items
    assert batch(fsm).total == 1
    fsm.end(items[1].job_id, "cancel")
    assert len(callbacks(fsm)) == 1


def test_a_batch_of_nothing_but_duplicates_is_done_at_once(fsm):
    fsm.enqueue("work", unique_key="k")
    fsm.one(EnqueueMany([fsm.new_job("work", unique_key="k")], NewBatch("batch_1", "done", None)))
    assert [c["batch"]["total"] for c in callbacks(fsm)] == [0]


# Open batches


def test_an_open_batch_takes_jobs_until_it_is_sealed(fsm):
    fsm.one(OpenBatch("batch_1", "done", None))
    first = fsm.enqueue("work", batch_id="batch_1")
    fsm.end(first, "ack")
    assert "done" not in fsm.machine.state.queues, "the callback never comes while the batch is open"
    second = fsm.enqueue("work", batch_id="batch_1")

    sealed = fsm.one(SealBatch("batch_1"))
    assert sealed.callback is None
    with pytest.raises(ValidationFailed, match="sealed"):
        fsm.enqueue("work", batch_id="batch_1")
    fsm.end(second, "ack")
    assert len(callbacks(fsm)) == 1


def test_sealing_a_batch_whose_jobs_have_all_ended_makes_the_callback_now(fsm):
    fsm.one(OpenBatch("batch_1", "done", b'{"a":1}'))
    fsm.end(fsm.enqueue("work", batch_id="batch_1"), "ack")
    sealed = fsm.one(SealBatch("batch_1"))
    assert json.loads(sealed.callback.payload)["batch"]["total"] == 1
    again = fsm.one(SealBatch("batch_1"))
    assert again.callback is None
    assert len(callbacks(fsm)) == 1


def test_unknown_batches_are_refused(fsm):
    with pytest.raises(ValidationFailed, match="does not exist"):
        fsm.enqueue("work", batch_id="batch_none")
    with pytest.raises(NotFound):
        fsm.one(SealBatch("batch_none"))


def test_an_open_batch_that_nobody_uses_is_forgotten_like_one_that_has_ended(fsm, clock):
    fsm.one(OpenBatch("batch_1", "done", None))
    fsm.one(OpenBatch("batch_2", "done", None))
    clock.advance(s=100)
    job_id = fsm.enqueue("work", batch_id="batch_2")
    assert fsm.one(PurgeBatches(clock.now_ns(), 10)).count == 1
    assert (batch(fsm), batch(fsm, "batch_2").pending) == (None, 1), "it is kept for the job in it"
    fsm.end(job_id, "ack")
    ended_ns = clock.now_ns()
    clock.advance(s=100)
    assert fsm.one(PurgeBatches(ended_ns - 1, 10)).count == 0
    fsm.purge()
    assert fsm.one(PurgeBatches(clock.now_ns(), 10)).count == 1
    assert batch(fsm, "batch_2") is None
    assert "done" not in fsm.machine.state.queues, "the callback never comes while the batch is open"
    with pytest.raises(ValidationFailed, match="does not exist"):
        fsm.enqueue("work", batch_id="batch_2")


@pytest.mark.parametrize("how", ["join", "retry", "seal"])
def test_an_open_batch_that_is_used_again_is_kept(fsm, clock, how):
    fsm.one(OpenBatch("batch_1", "done", None))
    job_id = fsm.enqueue("work", batch_id="batch_1")
    fsm.end(job_id, "fail")
    clock.advance(s=100)
    before_ns = clock.now_ns()
    if how == "join":
        fsm.enqueue("work", batch_id="batch_1")
    elif how == "retry":
        fsm.act(Action.RETRY, job_id)
    else:
        fsm.one(SealBatch("batch_1"))
    assert fsm.one(PurgeBatches(before_ns, 10)).count == 0
    assert batch(fsm) is not None


# Going on


def test_a_retried_job_is_waited_for_again_unless_the_callback_is_out(fsm):
    first, second = make_batch(fsm, 2)
    fsm.end(first, "fail")
    fsm.act(Action.RETRY, first)
    assert (batch(fsm).pending, batch(fsm).failed) == (2, 0)
    fsm.end(second, "ack")
    assert "done" not in fsm.machine.state.queues
    fsm.end(first, "ack")
    assert batch(fsm).succeeded == 2

    fsm.act(Action.RETRY, first)
    assert batch(fsm).pending == 0
    fsm.end(first, "fail")
    assert (batch(fsm).succeeded, batch(fsm).failed) == (2, 0)
    assert len(callbacks(fsm)) == 1


def test_a_batch_without_a_callback_can_be_reopened_by_a_retry(fsm):
    (job_id,) = make_batch(fsm, 1, callback=None)
    fsm.end(job_id, "fail")
    fsm.act(Action.RETRY, job_id)
    assert (batch(fsm).pending, batch(fsm).ended_ns) == (1, None)
    fsm.end(job_id, "ack")
    assert batch(fsm).ended_ns is not None


def test_old_batches_are_forgotten_and_their_jobs_live_on_without_them(fsm, clock):
    (job_id,) = make_batch(fsm, 1)
    fsm.end(job_id, "fail")
    clock.advance(s=100)
    assert fsm.one(PurgeBatches(clock.now_ns() - 200 * 1_000_000_000, 10)).count == 0
    assert fsm.one(PurgeBatches(clock.now_ns(), 10)).count == 1
    assert batch(fsm) is None
    fsm.act(Action.RETRY, job_id)
    fsm.end(job_id, "ack")
    assert len(callbacks(fsm)) == 1


def test_a_retrying_job_is_not_counted_before_it_ends(fsm):
    (job_id,) = make_batch(fsm, 1)
    fsm.lease(job_id, "work")
    fsm.fail(job_id)
    assert batch(fsm).pending == 1


def test_a_batch_that_exists_already_is_a_bug_and_stops_the_node(fsm):
    """No client can name the batch it opens, so nobody is refused."""
    fsm.one(OpenBatch("batch_1", "done", None))
    with pytest.raises(AssertionError, match="batch_1 exists already"):
        fsm.one(OpenBatch("batch_1", "done", None))
