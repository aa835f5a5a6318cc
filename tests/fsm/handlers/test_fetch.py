from corvo.core.job import Chain, Step
from corvo.core.limits import EXPIRED_BURIED_MAX
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.fsm import entry_tx
from corvo.ops.fetch import Claim, Fetch


def claim(*queues, count=1, worker="w1"):
    return Claim(queues or ("q",), worker, "host", 60_000, count)


def test_a_claim_makes_the_job_active_and_counts_the_attempt(fsm, clock):
    job_id = fsm.enqueue(checkpoint=b'{"at":3}')

    job = fsm.lease(job_id, worker="w7", lease_ms=30_000)

    assert job.state is JobState.ACTIVE
    assert job.attempt == 1
    assert job.lease.worker_id == "w7"
    assert job.lease.expires_ns - job.started_ns == 30_000_000_000
    assert job.lease_version == 1
    assert job.checkpoint == b'{"at":3}'
    assert fsm.queue().active == 1
    assert fsm.queue().pending == 0


def test_priority_goes_before_age(fsm):
    low = fsm.enqueue(priority=Priority.LOW)
    normal = fsm.enqueue()
    high = fsm.enqueue(priority=Priority.HIGH)
    critical = fsm.enqueue(priority=Priority.CRITICAL)
    second_high = fsm.enqueue(priority=Priority.HIGH)

    assert [c.job.id for c in fsm.fetch(count=9)] == [critical, high, second_high, normal, low]


def test_across_queues_the_best_job_wins_whatever_the_order_of_the_list(fsm):
    old = fsm.enqueue("b")
    young = fsm.enqueue("a")
    urgent = fsm.enqueue("c", priority=Priority.CRITICAL)

    assert [c.job.id for c in fsm.fetch("a", "b", "c", count=9)] == [urgent, old, young]


def test_an_unknown_queue_gives_nothing_and_is_not_created(fsm):
    assert fsm.fetch("nowhere") == []
    assert "nowhere" not in fsm.machine.state.queues


def test_claims_of_one_op_are_served_in_order_and_never_share_a_job(fsm):
    jobs = [fsm.enqueue() for _ in range(5)]

    (fetched,) = fsm.apply(Fetch([claim(count=2), claim(worker="w2"), claim(count=9, worker="w3")]))

    assert [[c.job.id for c in taken] for taken in fetched.claims] == [jobs[:2], jobs[2:3], jobs[3:]]


def test_tokens_never_repeat_and_versions_only_grow(fsm, clock):
    fsm.enqueue()
    tokens = set()
    for version in range(1, 6):
        job = fsm.lease(lease_ms=1_000)
        assert job.lease_version == version
        tokens.add(job.lease.token)
        clock.advance(s=2)
        fsm.reclaim()

    assert len(tokens) == 5
    assert all(token < 2**63 for token in tokens)


def test_a_paused_queue_hands_out_nothing(fsm):
    fsm.enqueue("a")
    other = fsm.enqueue("b")
    fsm.machine.state.queues["a"].doc.paused = True

    assert [c.job.id for c in fsm.fetch("a", "b", count=5)] == [other]


def test_the_limit_on_active_jobs_holds_inside_one_fetch(fsm):
    for _ in range(5):
        fsm.enqueue()
    fsm.machine.state.queues["q"].doc.max_concurrency = 2

    taken = fsm.fetch(count=5)
    assert len(taken) == 2
    fsm.ack(taken[0].job.id)
    assert len(fsm.fetch(count=5)) == 1


def test_an_expired_job_at_the_head_is_killed_on_the_way(fsm, clock):
    stale = fsm.enqueue(expire_after_ms=1_000)
    fresh = fsm.enqueue()
    clock.advance(s=2)

    assert [c.job.id for c in fsm.fetch(count=5)] == [fresh]
    assert fsm.state(stale) == "dead"
    assert fsm.job(stale).last_error == "job expired"
    assert fsm.events(stale) == ["enqueued", "expired", "dead"]


def test_a_backlog_longer_than_the_window_comes_out_in_order_also_after_a_restart(fsm):
    jobs = fsm.enqueue_many(*(fsm.new_job() for _ in range(1_500)))
    handed_out = [c.job.id for c in fsm.fetch(count=500)]
    fsm.restart()
    late = fsm.enqueue(priority=Priority.HIGH)
    while taken := fsm.fetch(count=300):
        handed_out += [c.job.id for c in taken]

    assert handed_out == [*jobs[:500], late, *jobs[500:]]


def test_workers_are_remembered_but_a_busy_one_is_not_rewritten(fsm, clock):
    for _ in range(3):
        fsm.enqueue()
    fsm.fetch(worker="w1")
    stored = fsm.dump()[b"w|w1"]
    clock.advance(s=1)
    fsm.fetch(worker="w1")
    assert fsm.dump()[b"w|w1"] == stored

    clock.advance(s=30)
    fsm.fetch(worker="w1")
    assert fsm.dump()[b"w|w1"] != stored
    fsm.restart()
    worker = fsm.machine.state.workers["w1"]
    assert worker.queues == ("q",)
    assert worker.last_seen_ns > worker.started_ns


def test_levels_tell_how_many_jobs_could_be_handed_out(fsm):
    for _ in range(3):
        fsm.enqueue()
    assert fsm.applied[-1].levels == {"q": 3}
    fsm.fetch(count=2)
    assert fsm.applied[-1].levels == {"q": 1}


def test_a_queue_that_is_born_while_a_claim_is_served_is_served_too(fsm, clock):
    chain = Chain((Step("q"), Step("q")), on_failure=Step("sorry"))
    late = fsm.enqueue("q", expire_after_ms=1_000, chain=chain, chain_id="chn_1")
    clock.advance(s=2)

    (sorry,) = fsm.fetch("q", "sorry", count=2)

    assert fsm.state(late) == "dead"
    assert sorry.job.queue == "sorry"


def test_an_entry_hands_out_no_more_jobs_than_it_has_tokens_for(fsm, monkeypatch):
    monkeypatch.setattr(entry_tx, "_TOKENS_PER_ENTRY_MAX", 3)
    jobs = [fsm.enqueue() for _ in range(5)]
    (fetched,) = fsm.apply(Fetch([claim(count=2), claim(count=2), claim(count=2)]))
    assert [len(taken) for taken in fetched.claims] == [2, 1, 0]
    assert fsm.applied[-1].levels == {"q": 2}
    assert [whole.job.id for whole in fsm.fetch(count=5)] == jobs[3:]


def test_one_claim_does_not_bury_a_million_expired_jobs(fsm, clock):
    """After a long stop all of a queue may have expired; that is not to become one huge entry."""
    fsm.enqueue_many(*(fsm.new_job(expire_after_ms=1_000) for _ in range(2 * EXPIRED_BURIED_MAX)))
    alive = fsm.enqueue()
    clock.advance(s=10)
    assert fsm.one(Fetch([claim(), claim()])).claims == [[], []]
    assert fsm.queue().counts[JobState.DEAD] == EXPIRED_BURIED_MAX
    assert fsm.applied[-1].levels["q"] == EXPIRED_BURIED_MAX + 1, "whoever asked asks again"
    assert [whole.job.id for whole in fsm.fetch()] == [alive]
