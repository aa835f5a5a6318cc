from datetime import timedelta

import pytest

from corvo.actors.state.messages import SlowDown
from corvo.actors.status import GetStatus
from corvo.actors.write.batcher import BatchSettings
from corvo.core.errors import CorvoError, NotLeader, OutcomeUnknown, Overloaded, StorageFull
from corvo.ops.enqueue import Enqueue
from corvo.ops.queue_admin import LimitQueue
from tests.support.write_path import WritePath


def enqueue(path):
    return path.submit(Enqueue(path.new_job()))


def test_when_nothing_is_under_way_a_write_leaves_at_once(path):
    pending = enqueue(path)
    path.settle()
    assert pending.done()
    assert path.entries == 1


def test_writes_that_come_together_share_an_entry(path):
    pending = [enqueue(path) for _ in range(50)]
    path.settle()
    assert all(p.done() for p in pending)
    assert path.entries <= 3
    assert {p.outcomes()[0].job.state.label for p in pending} == {"pending"}


def test_while_an_entry_is_under_way_writes_gather_and_leave_when_it_is_done(path):
    path.consensus.hold = True
    first = enqueue(path)
    path.settle()
    rest = [enqueue(path) for _ in range(40)]
    path.settle()
    assert not first.done()

    path.consensus.let_go()
    path.settle()

    assert first.done()
    assert all(p.done() for p in rest)
    assert path.entries <= 3


def test_a_small_batch_waits_the_minimum_behind_an_entry_under_way():
    path = WritePath(batching=BatchSettings(min_wait=timedelta(milliseconds=3), extend_at=32))
    path.consensus.hold = True
    enqueue(path)
    path.settle()
    enqueue(path)
    path.system.advance(timedelta(milliseconds=2))
    assert len(path.consensus.held) == 1
    path.system.advance(timedelta(milliseconds=2))
    assert len(path.consensus.held) == 2


def test_a_busy_batch_waits_up_to_the_window():
    settings = BatchSettings(
        min_wait=timedelta(milliseconds=1), extend_at=10, window=timedelta(milliseconds=8)
    )
    path = WritePath(batching=settings)
    path.consensus.hold = True
    enqueue(path)
    path.settle()
    for _ in range(20):
        enqueue(path)
    path.system.advance(timedelta(milliseconds=6))
    assert len(path.consensus.held) == 1
    path.system.advance(timedelta(milliseconds=3))
    assert len(path.consensus.held) == 2


def test_a_full_batch_leaves_without_waiting():
    path = WritePath(batching=BatchSettings(ops_max=10, min_wait=timedelta(seconds=1)))
    path.consensus.hold = True
    enqueue(path)
    path.settle()
    for _ in range(10):
        enqueue(path)
    path.settle()
    assert [len(ticket.ops) for _, ticket in path.consensus.held] == [1, 10]


def a_batch_wait(path, clients):
    """So many clients that came together and have their answers."""
    batch_wait = [enqueue(path) for _ in range(clients)]
    path.system.advance(timedelta(milliseconds=20))
    assert all(pending.done() for pending in batch_wait)


def test_after_a_batch_wait_a_batch_waits_a_moment_for_as_many_to_come_back():
    path = WritePath(batching=BatchSettings(min_wait=timedelta(milliseconds=30)))
    a_batch_wait(path, 20)
    before = path.entries
    back = [enqueue(path) for _ in range(5)]
    path.system.advance(timedelta(milliseconds=29))
    assert not any(pending.done() for pending in back)
    path.system.advance(timedelta(milliseconds=10))
    assert all(pending.done() for pending in back)
    assert path.entries == before + 1


def test_when_the_batch_wait_is_back_it_does_not_wait():
    path = WritePath(batching=BatchSettings(min_wait=timedelta(seconds=1)))
    path.consensus.hold = True
    for _ in range(21):
        enqueue(path)
    path.settle()
    path.consensus.let_go()
    path.system.advance(timedelta(milliseconds=20))
    back = [enqueue(path) for _ in range(21)]
    path.settle()
    assert all(pending.done() for pending in back)


def test_when_the_batch_wait_is_gone_nobody_waits_for_it_for_long():
    path = WritePath(batching=BatchSettings(min_wait=timedelta(milliseconds=30)))
    a_batch_wait(path, 100)
    waited = 0
    for _ in range(20):
        alone = enqueue(path)
        path.settle()
        waited += not alone.done()
        path.system.advance(timedelta(milliseconds=40))
        assert alone.done()
    assert 0 < waited < 15


def test_two_clients_that_come_by_turns_come_together_from_then_on(path):
    path.consensus.hold = True
    first = enqueue(path)
    path.system.run(until=lambda: path.consensus.held)
    enqueue(path)
    assert path.system.ask(path.batcher, GetStatus()).result().pending == 2
    path.consensus.let_go()
    path.consensus.hold = True
    path.system.run(until=first.done)
    path.system.advance(timedelta(microseconds=100))
    enqueue(path)
    path.system.run(until=lambda: path.consensus.held)
    assert [len(ticket.ops) for _, ticket in path.consensus.held] == [2]


def test_many_ops_of_one_client_are_no_batch_wait(path):
    path.do(*(Enqueue(path.new_job()) for _ in range(100)))
    alone = enqueue(path)
    path.settle()
    assert alone.done()


def test_what_may_be_pending_is_bounded_and_the_answer_says_when_to_come_back():
    path = WritePath(batching=BatchSettings(ops_max=8, pending_ops_max=20))
    path.consensus.hold = True
    pending = [enqueue(path) for _ in range(40)]
    path.settle()

    refused = [p for p in pending if p.done()]
    assert len(refused) == 20
    with pytest.raises(Overloaded) as caught:
        refused[0].answer()
    assert 1 <= caught.value.facts["retry_after_ms"] <= 7

    path.consensus.let_go()
    path.settle()
    assert all(p.done() for p in pending)
    assert path.machine.state.queues["q"].doc.pending == 20
    status = path.system.ask(path.batcher, GetStatus()).result()
    assert (status.pending, status.overload_total) == (0, 20)


def test_clients_that_were_refused_together_are_counted_one_by_one():
    path = WritePath(batching=BatchSettings(ops_max=8, pending_ops_max=20))
    path.consensus.hold = True
    path.submit(*(Enqueue(path.new_job()) for _ in range(20)))
    path.submit(*(Enqueue(path.new_job()) for _ in range(3)), clients=3)
    path.settle()
    assert path.system.ask(path.batcher, GetStatus()).result().overload_total == 3


def test_ops_of_one_request_stay_together_and_in_order(path):
    jobs = [path.new_job() for _ in range(5)]
    outcomes = path.do(*(Enqueue(job) for job in jobs))
    assert [outcome.job_id for outcome in outcomes] == [job.job_id for job in jobs]
    assert path.entries == 1


def test_each_entry_is_stamped_later_than_the_one_before_even_if_the_clock_goes_back(path):
    (first,) = path.do(Enqueue(path.new_job()))
    path.clock.advance(s=-100)
    (second,) = path.do(Enqueue(path.new_job()))
    assert second.job.created_ns > first.job.created_ns


def test_without_a_leader_nothing_is_written_and_the_client_may_try_again(path):
    path.consensus.refusal = NotLeader("no leader")
    with pytest.raises(NotLeader):
        enqueue(path).answer()
    path.consensus.refusal = None
    assert enqueue(path).outcomes()


def test_a_lost_proposal_is_answered_as_unknown_and_the_next_write_goes_on(path):
    path.consensus.hold = True
    pending = enqueue(path)
    path.settle()
    path.consensus.lose_held()
    with pytest.raises(OutcomeUnknown):
        pending.answer()
    path.consensus.hold = False
    assert enqueue(path).outcomes()


def test_a_full_journal_refuses_writes_at_once_and_is_tried_again_by_itself(path):
    path.consensus.refusal = StorageFull("the disk is full")
    with pytest.raises(StorageFull):
        enqueue(path).answer()
    path.consensus.refusal = None
    with pytest.raises(StorageFull):
        enqueue(path).answer()  # Refused by the batcher itself: no need to bother the disk every time.
    path.advance(1.1)
    assert enqueue(path).outcomes()


def test_a_restarted_batcher_goes_on_where_it_can(path):
    path.consensus.hold = True
    enqueue(path)
    path.settle()
    path.system.crash(path.batcher)
    path.consensus.let_go()
    path.advance(1)
    assert enqueue(path).outcomes()
    assert path.machine.state.queues["q"].doc.pending == 2
    path.system.supervisor.crashes = 0


def test_what_cannot_be_written_down_is_refused_at_once_and_the_next_batch_goes_on(path):
    pending = path.submit(LimitQueue("q", 10**30))
    path.settle()
    with pytest.raises(CorvoError) as caught:
        pending.outcomes()
    assert caught.value.code == "INTERNAL_ERROR"
    after = enqueue(path)
    path.settle()
    assert after.outcomes()[0].job.state.label == "pending"


def test_what_gathers_behind_entries_under_way_leaves_in_entries_that_the_log_takes(path):
    """Each is legal by itself; together they would be more than an entry may hold."""
    path.consensus.hold = True
    under_way = [enqueue(path)]
    path.settle()
    path.advance(0.1)
    under_way.append(enqueue(path))
    path.settle()
    path.advance(0.1)
    large = [path.submit(Enqueue(path.new_job()), size_bytes=3 * 1024 * 1024) for _ in range(6)]
    path.settle()
    path.consensus.let_go()
    path.settle()
    path.advance(1)

    assert path.entries == 2 + 6
    assert [pending.outcomes()[0].job.state.label for pending in under_way + large] == ["pending"] * 8


def test_while_the_mirror_is_behind_the_next_entry_waits_as_long_as_the_last_one_was_large(path):
    path.system.tell(path.fsm, SlowDown(rest_us=40))
    path.settle()
    path.do(*(Enqueue(path.new_job()) for _ in range(500)))
    next_one = enqueue(path)
    path.system.advance(timedelta(milliseconds=15))
    assert not next_one.done()
    path.system.advance(timedelta(milliseconds=10))
    assert next_one.done()

    # Who comes when the load is over does not notice.
    for _ in range(3):
        soon = enqueue(path)
        path.settle()
        assert soon.done()


def test_when_the_mirror_is_level_again_nobody_rests(path):
    path.system.tell(path.fsm, SlowDown(rest_us=40))
    path.system.tell(path.fsm, SlowDown(rest_us=0))
    path.settle()
    path.do(*(Enqueue(path.new_job()) for _ in range(500)))
    next_one = enqueue(path)
    path.settle()
    assert next_one.done()
