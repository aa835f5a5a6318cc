"""From applied to on disk: the store writer, its lag, and a full disk."""

import pytest

from corvo.actors.messages import AwaitIndex, FindJob, GetStatus
from corvo.core.errors import NotFound, Stale, StorageFull
from corvo.ops.enqueue import Enqueue
from corvo.storage import keys


def test_an_answer_does_not_wait_for_the_store_but_a_read_sees_the_write(path):
    pending = path.submit(Enqueue(path.new_job()))
    answer = pending.answer()
    job_id = answer.outcomes[0].job_id

    found = path.system.ask(path.fsm, FindJob(job_id)).result()

    assert found.job.id == job_id
    path.settle()
    assert path.kv.get(keys.job(job_id)) is not None


def test_the_log_may_be_cut_behind_what_has_landed(path):
    path.do(Enqueue(path.new_job()))
    path.settle()
    assert path.consensus.stored_index == path.consensus.index


def test_a_missing_job_is_not_found(path):
    with pytest.raises(NotFound):
        path.system.ask(path.fsm, FindJob("job_x")).result()


def test_a_full_store_refuses_writes_keeps_reading_and_recovers_without_losing_anything(path):
    (first,) = path.do(Enqueue(path.new_job()))
    path.settle()
    path.kv.full = True
    (second,) = path.do(Enqueue(path.new_job()))  # The journal has it, so it is a promise.
    path.settle()

    with pytest.raises(StorageFull):
        path.submit(Enqueue(path.new_job())).answer()
    for job_id in (first.job_id, second.job_id):
        assert path.system.ask(path.fsm, FindJob(job_id)).result().job.id == job_id
    assert path.system.ask(path.fsm, GetStatus()).result().figures["full"]

    path.advance(3)
    assert path.kv.get(keys.job(second.job_id)) is None
    path.kv.full = False
    path.advance(2)

    assert path.kv.reopened == 1
    assert path.kv.get(keys.job(second.job_id)) is not None
    assert path.do(Enqueue(path.new_job()))


def test_a_read_can_wait_for_an_index(path):
    path.do(Enqueue(path.new_job()))
    now = path.machine.index
    assert path.system.ask(path.fsm, AwaitIndex(now, 1_000)).result().index >= now

    waiting = path.system.ask(path.fsm, AwaitIndex(now + 1, 1_000))
    path.settle()
    assert not waiting.done()
    path.do(Enqueue(path.new_job()))
    assert waiting.result().index == now + 1


def test_a_read_that_waits_too_long_is_told_so(path):
    waiting = path.system.ask(path.fsm, AwaitIndex(999, 1_000))
    path.advance(1.1)
    with pytest.raises(Stale, match="999"):
        waiting.result()
