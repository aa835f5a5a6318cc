import pytest

from corvo.actors.fetch import fetch_desk
from corvo.actors.fetch.messages import CloseDesk, Coming, HangUp
from corvo.actors.state.messages import InstallStore
from corvo.actors.state.questions import ListWorkers
from corvo.actors.status import GetStatus
from corvo.core.errors import IdempotencyMismatch, NotLeader, StorageFull
from corvo.core.namespace import Reach, qualified
from corvo.core.priority import Priority
from corvo.ops.enqueue import Enqueue, EnqueueMany
from corvo.ops.entry import Entry, decode, encode
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.finish import Ack
from corvo.ops.idempotency import Once
from corvo.ops.queue_admin import PauseQueue, ThrottleQueue
from tests.support.fsm import Fsm
from tests.support.write_path import WritePath


def enqueue(path, queue="q", **fields):
    (outcome,) = path.do(Enqueue(path.new_job(queue, **fields)))
    path.settle()
    return outcome.job_id


def ids(answer):
    return [whole.job.id for whole in answer.result().jobs]


def test_a_waiting_worker_costs_no_log_entry(path):
    waits = [path.wait(worker=f"w{n}") for n in range(50)]
    path.advance(20)
    assert path.entries == 0
    assert not any(wait.done() for wait in waits)


def test_an_enqueue_wakes_a_waiter_at_once(path):
    wait = path.wait()
    path.settle()
    job_id = enqueue(path)
    assert wait.done()
    assert ids(wait) == [job_id]
    assert path.entries == 2


def test_a_job_that_is_already_there_is_handed_out_without_waiting(path):
    job_id = enqueue(path)
    assert ids(path.wait()) == [job_id]


def test_waiters_are_served_in_order_of_arrival(path):
    waits = [path.wait(worker=f"w{n}") for n in range(5)]
    path.settle()
    jobs = [enqueue(path) for _ in range(3)]
    assert [ids(wait) for wait in waits[:3]] == [[job_id] for job_id in jobs]
    assert not waits[3].done()


def test_one_job_for_many_waiters_is_one_claim_and_not_many(path):
    waits = [path.wait(worker=f"w{n}") for n in range(200)]
    path.settle()
    enqueue(path)
    assert sum(wait.done() for wait in waits) == 1
    assert path.entries == 2
    claims = path.machine.state.meta.last_seq
    assert claims == 2  # One enqueued, one started.


def test_several_waiters_are_served_by_one_entry(path):
    waits = [path.wait(worker=f"w{n}") for n in range(10)]
    path.settle()
    path.do(*(Enqueue(path.new_job()) for _ in range(10)))
    path.settle()
    assert all(wait.done() for wait in waits)
    assert path.entries == 2


def test_a_batch_fetch_returns_what_is_there_and_does_not_wait_to_fill(path):
    jobs = [enqueue(path) for _ in range(3)]
    assert ids(path.wait(count=10)) == jobs


def test_a_worker_on_several_queues_gets_the_best_job_across_them(path):
    enqueue(path, "a")
    urgent = enqueue(path, "b", priority=Priority.CRITICAL)
    assert ids(path.wait("a", "b")) == [urgent]


def test_a_worker_on_several_queues_is_woken_by_whichever_has_work_and_served_once(path):
    wait = path.wait("a", "b", "c")
    path.settle()
    path.do(Enqueue(path.new_job("b")), Enqueue(path.new_job("c")))
    path.settle()
    assert len(ids(wait)) == 1
    assert len(ids(path.wait("a", "b", "c"))) == 1


def test_the_wait_ends_empty_when_its_time_is_over(path):
    wait = path.wait(wait_s=5)
    path.advance(4.9)
    assert not wait.done()
    path.advance(0.2)
    assert ids(wait) == []
    assert path.entries == 0


def test_a_client_that_hung_up_gets_no_job_claimed(path):
    gone = path.wait(worker="gone")
    path.settle()
    path.system.tell(path.desk, HangUp(gone.wait_id))
    path.settle()
    job_id = enqueue(path)
    assert path.machine.state.queues["q"].doc.pending == 1
    assert ids(path.wait(worker="alive")) == [job_id]


def test_a_job_claimed_for_a_client_that_hangs_up_meanwhile_is_given_back_uncounted(path):
    job_id = enqueue(path)
    path.consensus.hold = True
    gone = path.wait(worker="gone")
    path.settle()
    path.system.tell(path.desk, HangUp(gone.wait_id))
    path.settle()
    path.consensus.let_go()
    path.settle()

    (whole,) = path.wait(worker="alive").result().jobs
    assert whole.job.id == job_id
    assert whole.job.attempt == 1
    assert path.system.ask(path.desk, GetStatus()).result().given_back_total == 1


def test_a_full_queue_holds_waiters_back_until_a_job_is_done(path):
    first_id = enqueue(path)
    path.machine.state.queues["q"].doc.max_concurrency = 1
    enqueue(path)
    (first,) = path.wait().result().jobs
    waiting = path.wait(worker="w2")
    path.advance(5)
    assert not waiting.done()
    entries = path.entries

    path.do(Ack(first_id, first.job.lease.token))
    path.settle()

    assert len(ids(waiting)) == 1
    assert path.entries == entries + 2


def test_a_limited_queue_does_not_block_a_worker_that_takes_from_others(path):
    enqueue(path, "full")
    path.machine.state.queues["full"].doc.max_concurrency = 0
    wait = path.wait("full", "open")
    path.settle()
    job_id = enqueue(path, "open")
    assert ids(wait) == [job_id]


def test_a_throttled_queue_opens_by_itself_for_those_who_wait(path):
    path.do(ThrottleQueue("q", 2, 10_000))
    path.do(*(Enqueue(path.new_job()) for _ in range(5)))
    assert len(ids(path.wait(count=5))) == 2
    waiting = path.wait(worker="w2", count=5, wait_s=30)
    path.advance(9.9)
    entries = path.entries
    assert not waiting.done()
    path.advance(0.2)
    assert len(ids(waiting)) == 2
    assert path.entries == entries + 1


def test_a_queue_that_was_closed_for_its_rate_opens_after_a_restart_too(path):
    path.do(ThrottleQueue("q", 2, 10_000))
    path.do(*(Enqueue(path.new_job()) for _ in range(5)))
    assert len(ids(path.wait(count=5))) == 2
    path.settle()
    again = WritePath(kv=path.kv, clock=path.clock)
    waiting = again.wait(worker="w2", count=5, wait_s=30)
    again.advance(9.9)
    assert not waiting.done()
    again.advance(0.2)
    assert len(ids(waiting)) == 2


def test_who_may_repeat_its_fetch_is_claimed_for_by_itself_and_in_its_turn(path):
    waits = [path.wait(worker=f"w{n}", once=Once(f"k{n}", b"d", 1) if n % 2 else None) for n in range(5)]
    path.settle()
    jobs = path.do(*(Enqueue(path.new_job()) for _ in range(5)))
    path.settle()
    assert [ids(wait) for wait in waits] == [[job.job_id] for job in jobs]
    assert not any(wait.result().replayed for wait in waits)


def test_a_repeated_fetch_gets_the_job_whose_answer_was_lost(path):
    once = Once("key", b"d", 1)
    job_id = enqueue(path)
    path.consensus.hold = True
    gone = path.wait(once=once)
    path.settle()
    path.system.tell(path.desk, HangUp(gone.wait_id))
    path.settle()
    path.consensus.let_go()
    path.settle()
    assert path.machine.state.queues["q"].doc.active == 1, (
        "it will be asked for again, so it is not given back"
    )

    enqueue(path)
    again = path.wait(once=once)
    assert ids(again) == [job_id]
    assert again.result().replayed


def test_who_asks_again_while_its_first_request_still_waits_gets_the_same_job(path):
    """Its connection broke and nobody has noticed yet, so the job goes to where nobody listens any more."""
    once = Once("key", b"d", 1)
    first, again = path.wait(once=once), path.wait(once=once)
    path.settle()
    job_id = enqueue(path)
    assert ids(first) == ids(again) == [job_id]
    assert [first.result().replayed, again.result().replayed] == [False, True]
    assert path.machine.state.queues["q"].doc.active == 1


def test_who_asks_again_at_another_node_gets_the_same_job(path):
    once = Once("key", b"d", 1)
    first = Entry(
        path.clock.now_ns(), [Enqueue(path.new_job()), once, Fetch([Claim(("q",), "w1", "host", 60_000, 1)])]
    )
    again = path.wait(once=once)
    path.settle()
    path.consensus.decided_elsewhere(encode(first))
    assert len(ids(again)) == 1
    assert again.result().replayed


def test_who_asks_again_at_a_node_that_gets_to_know_it_by_a_snapshot_gets_the_same_job(path):
    once = Once("key", b"d", 1)
    again = path.wait(once=once)
    path.settle()
    leader = Fsm(clock=path.clock)
    job_id = leader.enqueue()
    leader.apply(once, Fetch([Claim(("q",), "w1", "host", 60_000, 1)]))
    path.consensus.index = leader.machine.index
    path.system.tell(path.fsm, InstallStore(leader.kv))
    path.settle()
    assert ids(again) == [job_id]


def test_who_asks_again_gets_the_same_job_although_the_queue_has_nothing_else(path):
    once = Once("key", b"d", 1)
    job_id = enqueue(path)
    assert ids(path.wait(once=once)) == [job_id]
    again = path.wait(once=once)
    assert ids(again) == [job_id]
    assert again.result().replayed
    path.do(Ack(job_id, again.result().jobs[0].job.lease.token))
    later = path.wait(once=once)
    path.settle()
    assert not later.done()
    other_id = enqueue(path)
    assert ids(later) == [other_id]
    assert not later.result().replayed


def test_who_asks_again_while_nobody_leads_gets_the_same_job_when_somebody_does(path):
    once = Once("key", b"d", 1)
    job_id = enqueue(path)
    assert ids(path.wait(once=once)) == [job_id]
    path.consensus.refusal = NotLeader("nobody leads")
    again = path.wait(once=once)
    path.advance(1)
    assert not again.done()
    path.consensus.refusal = None
    path.advance(1)
    assert ids(again) == [job_id]


def test_jobs_that_come_after_all_for_who_was_told_that_there_are_none_are_given_back(path):
    """Its client does not ask for them again: the next request is another one."""
    enqueue(path)
    path.consensus.hold = True
    told = path.wait(once=Once("key", b"d", 1))
    path.settle()
    path.system.tell(path.desk, HangUp(told.wait_id, told=True))
    path.settle()
    path.consensus.let_go()
    path.settle()
    (whole,) = path.wait(worker="alive").result().jobs
    assert whole.job.attempt == 1


def test_what_came_for_who_was_told_that_there_is_nothing_is_for_who_asks_again(path):
    once = Once("key", b"d", 1)
    job_id = enqueue(path)
    path.consensus.hold = True
    told = path.wait(once=once)
    path.settle()
    path.system.tell(path.desk, HangUp(told.wait_id, told=True))
    again = path.wait(once=once)
    path.settle()
    path.consensus.let_go()
    assert ids(again) == [job_id]
    path.settle()
    assert path.machine.state.queues["q"].doc.active == 1


def test_jobs_that_come_after_all_for_who_waited_at_a_desk_that_fell_over_are_given_back(path):
    enqueue(path)
    path.consensus.hold = True
    told = path.wait(once=Once("key", b"d", 1))
    path.settle()
    path.crash(path.desk)
    path.advance(1)
    assert ids(told) == []
    path.consensus.let_go()
    path.settle()
    (whole,) = path.wait(worker="alive").result().jobs
    assert whole.job.attempt == 1


def test_a_key_that_was_used_for_something_else_is_told_to_the_worker(path):
    path.do(Once("key", b"d", 1), Enqueue(path.new_job()))
    path.settle()
    with pytest.raises(IdempotencyMismatch):
        path.wait("empty", once=Once("key", b"other", 1)).result()
    path.settle()
    assert len(ids(path.wait())) == 1


def test_closing_the_desk_sends_everybody_home(path):
    waits = [path.wait(worker=f"w{n}") for n in range(20)]
    path.settle()
    path.system.tell(path.desk, CloseDesk())
    path.settle()
    assert all(ids(wait) == [] for wait in waits)
    assert ids(path.wait()) == []


def test_a_refused_claim_is_told_to_the_worker(path):
    enqueue(path)
    path.consensus.refusal = StorageFull("the disk is full")
    with pytest.raises(StorageFull):
        path.wait().result()


def test_claims_beyond_the_permits_wait_their_turn():
    path = WritePath(claims_max=4)
    path.do(*(Enqueue(path.new_job()) for _ in range(20)))
    path.settle()
    path.consensus.hold = True
    waits = [path.wait(worker=f"w{n}") for n in range(20)]
    path.settle()
    assert path.system.ask(path.desk, GetStatus()).result().claiming == 4
    path.consensus.let_go()
    path.settle()
    assert all(wait.done() for wait in waits)


def test_a_restarted_desk_learns_the_levels_again(path):
    enqueue(path)
    path.system.crash(path.desk)
    path.advance(1)
    assert len(ids(path.wait())) == 1
    path.system.supervisor.crashes = 0


def test_workers_that_poll_are_known_without_a_log_entry(path):
    path.wait("a", "b", worker="w1")
    path.advance(1)
    path.wait("a", worker="w1")
    path.settle()
    (worker,) = path.system.ask(path.desk, ListWorkers()).result().workers
    assert (worker.id, worker.queues) == ("w1", ("a",))
    assert worker.last_seen_ns > worker.started_ns
    assert path.entries == 0


def test_workers_with_a_new_name_each_time_do_not_pile_up(path, monkeypatch):
    monkeypatch.setattr(fetch_desk, "WORKERS_MAX", 5)
    for n in range(20):
        path.wait(worker=f"w{n}")
        path.advance(0.001)
    workers = path.system.ask(path.desk, ListWorkers()).result().workers
    assert [worker.id for worker in workers] == [f"w{n}" for n in range(15, 20)]


def test_a_crowd_of_another_namespace_pushes_no_worker_out(path, monkeypatch):
    monkeypatch.setattr(fetch_desk, "WORKERS_MAX", 5)
    path.wait(qualified("quiet", "q"), worker=qualified("quiet", "w"))
    for n in range(20):
        path.advance(0.001)
        path.wait(worker=f"w{n}")
    path.settle()
    (quiet,) = path.system.ask(path.desk, ListWorkers(Reach("quiet"))).result().workers
    assert (quiet.id, quiet.queues) == (qualified("quiet", "w"), (qualified("quiet", "q"),))
    assert path.system.ask(path.desk, ListWorkers(Reach("other"))).result().workers == []


def test_workers_are_shown_with_the_queues_in_reach_only(path):
    path.wait(qualified("acme", "mail"), qualified("acme", "sms"), worker=qualified("acme", "w"))
    path.settle()
    (seen,) = path.system.ask(path.desk, ListWorkers(Reach("acme", ("mail",)))).result().workers
    assert seen.queues == (qualified("acme", "mail"),)
    assert path.system.ask(path.desk, ListWorkers(Reach("acme", ("push",)))).result().workers == []
    assert path.system.ask(path.desk, ListWorkers()).result().workers == []


def test_a_flood_in_one_namespace_does_not_keep_another_waiting(path):
    """Lines are per queue: whoever waits is served from its own, whatever comes into others."""
    quiet = path.wait(qualified("quiet", "q"), worker=qualified("quiet", "w"))
    floods = [path.wait(qualified("loud", "q"), worker=qualified("loud", f"w{n}")) for n in range(100)]
    path.settle()
    loud = [Enqueue(path.new_job(queue=qualified("loud", "q"))) for _ in range(200)]
    path.do(*loud, Enqueue(path.new_job(queue=qualified("quiet", "q"))))
    path.settle()
    (handed,) = quiet.result().jobs
    assert handed.job.queue == qualified("quiet", "q")
    assert all(wait.done() for wait in floods[:32])


def announce_and_enqueue(path, queue="q"):
    """As the edge does it: the desk hears of the job first."""
    path.system.tell(path.desk, Coming({queue: 1}))
    return enqueue(path, queue)


def test_a_job_that_was_announced_reaches_who_waits_whoever_comes_first(path):
    wait = path.wait()
    path.settle()
    job_id = announce_and_enqueue(path)
    assert ids(wait) == [job_id]
    assert path.entries <= 2  # On the loop it is one: see test_worker.py.
    late = path.wait()
    path.settle()
    assert not late.done()


def test_an_announcement_without_anybody_waiting_costs_nothing(path):
    job_id = announce_and_enqueue(path)
    assert path.entries == 1
    assert ids(path.wait()) == [job_id]


def test_what_was_announced_and_did_not_come_leaves_the_worker_waiting(path):
    wait = path.wait()
    path.settle()
    path.system.tell(path.desk, Coming({"q": 5}))
    path.settle()
    assert not wait.done()
    job_id = announce_and_enqueue(path)
    assert ids(wait) == [job_id]


def test_a_queue_that_hands_out_nothing_is_not_tried_for_each_new_job(path):
    path.do(PauseQueue("q", paused=True))
    wait = path.wait()
    path.settle()
    before = path.entries
    first, *_ = [announce_and_enqueue(path) for _ in range(5)]
    ops = [op for entry in path.consensus.log[before:] for op in decode(entry).ops]
    assert sum(isinstance(op, Fetch) for op in ops) == 1
    assert not wait.done()
    path.do(PauseQueue("q", paused=False))
    path.settle()
    assert ids(wait) == [first]
    again = path.wait()
    assert len(ids(again)) == 1


def test_who_waits_behind_thousands_of_expired_jobs_is_served(path):
    jobs = [path.new_job(expire_after_ms=1_000) for _ in range(2_500)]
    path.do(PauseQueue("q", paused=True), EnqueueMany([*jobs, path.new_job()]))
    path.clock.advance(s=2)
    waiting = path.wait()
    path.do(PauseQueue("q", paused=False))
    path.settle()
    assert len(waiting.result().jobs) == 1
