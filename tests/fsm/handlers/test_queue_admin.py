import pytest
from hypothesis import given
from hypothesis import strategies as st

from corvo.core.errors import NotFound, ValidationFailed
from corvo.core.job import UniqueUntil
from corvo.core.states import JobState
from corvo.fsm.rules import new_job
from corvo.ops.enqueue import Enqueue, EnqueueMany
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.job_admin import Act, Action
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, LimitQueue, PauseQueue, ThrottleQueue
from corvo.ops.results import Upkept
from corvo.storage import keys
from tests.support.fsm import Fsm


def test_a_paused_queue_hands_out_nothing_until_it_is_resumed(fsm):
    fsm.enqueue()
    assert fsm.one(PauseQueue("q", paused=True)).queue.paused
    assert fsm.applied[-1].levels == {"q": 0}
    assert fsm.fetch() == []
    fsm.restart()
    assert fsm.fetch() == []
    fsm.one(PauseQueue("q", paused=False))
    assert fsm.applied[-1].levels == {"q": 1}
    assert len(fsm.fetch()) == 1
    assert fsm.events()[-3:] == ["queue.paused", "queue.resumed", "started"]


def test_pausing_an_unknown_queue_makes_it_so_that_its_first_job_waits(fsm):
    fsm.one(PauseQueue("new", paused=True))
    fsm.enqueue("new")
    assert fsm.fetch("new") == []


def test_the_limit_on_active_jobs_is_exact_inside_one_entry(fsm):
    fsm.one(LimitQueue("q", 3))
    for _ in range(10):
        fsm.enqueue()
    claim = Claim(("q",), "w", "h", 60_000, 2)
    first, second = fsm.apply(Fetch([claim, claim]), Fetch([claim]))
    assert [len(taken) for taken in first.claims] == [2, 1]
    assert second.claims == [[]]
    fsm.one(LimitQueue("q", None))
    assert len(fsm.fetch(count=10)) == 7


# Throttle


def taken_at(fsm, count=10):
    return len(fsm.fetch(count=count))


def test_a_throttled_queue_hands_out_its_rate_within_any_window(fsm, clock):
    fsm.one(ThrottleQueue("q", 3, 10_000))
    for _ in range(20):
        fsm.enqueue()
    assert taken_at(fsm) == 3
    clock.advance(s=4)
    assert taken_at(fsm) == 0
    clock.advance(s=6.1)
    assert taken_at(fsm, count=1) == 1
    clock.advance(s=5)
    assert taken_at(fsm) == 2
    clock.advance(s=5.2)
    assert taken_at(fsm) == 1, "the window slides: only the first of the three is out of it"


def test_the_rate_holds_inside_one_entry_and_over_a_restart(fsm, clock):
    fsm.one(ThrottleQueue("q", 5, 60_000))
    for _ in range(20):
        fsm.enqueue()
    claim = Claim(("q",), "w", "h", 600_000, 2)
    outcomes = fsm.apply(*(Fetch([claim]) for _ in range(4)))
    assert [len(outcome.claims[0]) for outcome in outcomes] == [2, 2, 1, 0]
    fsm.restart()
    assert taken_at(fsm) == 0
    clock.advance(s=61)
    assert taken_at(fsm) == 5


@given(
    st.lists(st.tuples(st.integers(0, 4_000), st.integers(1, 4)), min_size=5, max_size=40), st.integers(1, 5)
)
def test_no_window_ever_holds_more_claims_than_the_rate(steps, rate):
    fsm = Fsm()
    fsm.one(ThrottleQueue("q", rate, 5_000))
    fsm.enqueue_many(*(fsm.new_job() for _ in range(200)))
    claimed = []
    for wait_ms, count in steps:
        fsm.clock.advance(ms=wait_ms)
        claimed += [whole.job.started_ns for whole in fsm.fetch(count=count)]
        opens = fsm.applied[-1].reopenings.get("q")
        assert (opens is None) == (fsm.applied[-1].levels["q"] > 0)
    for first, last in zip(claimed, claimed[rate:], strict=False):
        assert last - first >= 5_000_000_000


def test_a_closed_queue_says_when_it_opens(fsm, clock):
    fsm.one(ThrottleQueue("q", 2, 10_000))
    for _ in range(5):
        fsm.enqueue()
    first = clock.now_ns()
    fsm.fetch()
    clock.advance(s=3)
    fsm.fetch()
    assert fsm.applied[-1].levels == {"q": 0}
    opens = fsm.applied[-1].reopenings["q"]
    assert opens - first == pytest.approx(10_000_000_000, abs=100_000)
    clock.jump_to(opens - 1_000)
    assert taken_at(fsm) == 0
    clock.jump_to(opens)
    assert taken_at(fsm) == 1


def test_a_long_window_is_kept_as_long_as_it_is(fsm, clock):
    day_ms = 86_400_000
    fsm.one(ThrottleQueue("q", 1, day_ms))
    fsm.enqueue()
    fsm.enqueue()
    assert taken_at(fsm) == 1
    clock.advance(s=23 * 3_600)
    assert taken_at(fsm) == 0
    clock.advance(s=3_601)
    assert taken_at(fsm) == 1


def test_removing_the_throttle_forgets_its_claims(fsm):
    fsm.one(ThrottleQueue("q", 1, 60_000))
    for _ in range(3):
        fsm.enqueue()
    fsm.fetch()
    fsm.one(ThrottleQueue("q", None, None))
    assert taken_at(fsm) == 2
    assert not [key for key in fsm.dump() if key.startswith(b"n|")]


def test_a_limited_queue_does_not_block_a_worker_on_several(fsm):
    fsm.one(ThrottleQueue("slow", 1, 60_000))
    fsm.one(PauseQueue("paused", paused=True))
    for queue in ("slow", "slow", "paused", "open"):
        fsm.enqueue(queue)
    assert [w.job.queue for w in fsm.fetch("slow", "paused", "open", count=9)] == ["slow", "open"]


# Clear and delete


def filled(fsm):
    """A queue with a job in every state."""
    jobs = {
        state: fsm.enqueue(payload=b'"' + b"x" * 2_000 + b'"')
        for state in ("completed", "dead", "retrying", "held", "active")
    }
    for job_id in jobs.values():
        fsm.lease(job_id)
    fsm.ack(jobs["completed"])
    fsm.fail(jobs["dead"], retry=False)
    fsm.fail(jobs["retrying"])
    fsm.ack(jobs["held"], hold=True)
    jobs["pending"] = fsm.enqueue(unique_key="k")
    jobs["scheduled"] = fsm.enqueue(scheduled_ns=fsm.clock.now_ns() + 10**12)
    blocker = fsm.enqueue("elsewhere")
    jobs["parked"] = fsm.enqueue(depends_on=(blocker,))
    return jobs


def test_clearing_removes_what_waits_and_nothing_else(fsm):
    jobs = filled(fsm)
    result = fsm.one(ClearQueue("q", 100))
    assert (result.count, result.more) == (3, False)
    for state in ("pending", "scheduled", "parked"):
        assert fsm.job(jobs[state]) is None
    for state in ("completed", "dead", "retrying", "held", "active"):
        assert fsm.state(jobs[state]) == state
    assert fsm.enqueue(unique_key="k") != jobs["pending"]
    assert "queue.cleared" in fsm.events()


def test_clearing_a_long_queue_goes_in_steps(fsm):
    fsm.enqueue_many(*(fsm.new_job() for _ in range(250)))
    rounds = []
    while True:
        result = fsm.one(ClearQueue("q", 100))
        rounds.append((result.count, result.more))
        if not result.more:
            break
    assert rounds == [(100, True), (100, True), (50, False)]
    assert fsm.queue().counts[JobState.PENDING] == 0
    fresh = fsm.enqueue()
    assert [w.job.id for w in fsm.fetch()] == [fresh]


def test_deleting_a_queue_leaves_nothing_of_it(fsm):
    filled(fsm)
    fsm.one(ThrottleQueue("q", 10, 60_000))
    fsm.fetch()
    result = fsm.one(DeleteQueue("q", 100))
    assert (result.count, result.more) == (8, False)
    assert "q" not in fsm.machine.state.queues
    assert not [
        key
        for key in fsm.dump()
        if key[2:].startswith((b"q\0", b"q")) and key[:2] in (b"p|", b"s|", b"q|", b"u|", b"n|")
    ]
    assert fsm.applied[-1].levels["q"] == 0
    fsm.restart()
    assert list(fsm.machine.state.queues) == ["elsewhere"]
    fsm.enqueue("q")
    assert len(fsm.fetch("q")) == 1


def test_locks_that_outlive_their_jobs_go_with_their_queue(fsm):
    for n in range(5):
        fsm.enqueue(unique_key=f"k{n}", unique_until=UniqueUntil.TTL)
    elsewhere = fsm.enqueue("q2", unique_key="k0", unique_until=UniqueUntil.TTL)
    assert fsm.one(DeleteQueue("q", 10)) == Upkept(5, more=False)
    assert not [key for key in fsm.dump() if key.startswith((b"u|q\0", b"v|")) and b"q2" not in key]
    assert fsm.state(fsm.enqueue(unique_key="k0")) == "pending"
    assert fsm.enqueue("q2", unique_key="k0") == elsewhere


def test_many_such_locks_are_forgotten_in_steps(fsm):
    for n in range(5):
        fsm.enqueue(unique_key=f"k{n}", unique_until=UniqueUntil.TTL)
    steps = [fsm.one(DeleteQueue("q", 2)) for _ in range(5)]
    assert [(step.count, step.more) for step in steps] == [
        (2, True),
        (2, True),
        (1, True),
        (0, True),
        (0, False),
    ]
    assert not [key for key in fsm.dump() if key.startswith((b"u|", b"v|"))]


def test_a_queue_that_gets_a_job_in_the_entry_that_deletes_it_lives_on(fsm):
    fsm.enqueue()
    new = fsm.new_job()
    fsm.apply(DeleteQueue("q", 100), Enqueue(new))
    assert [w.job.id for w in fsm.fetch()] == [new.job_id]


def test_a_queue_named_again_in_the_entry_that_deletes_it_is_a_new_one(fsm, clock):
    fsm.one(PauseQueue("q", paused=True))
    clock.advance(s=1)
    (_, cleared, limited) = fsm.apply(DeleteQueue("q", 100), ClearQueue("q", 100), LimitQueue("q", 3))

    assert isinstance(cleared, NotFound)
    assert not limited.queue.paused
    assert fsm.queue().created_ns == clock.now_ns()


def test_what_is_refused_after_a_queue_was_deleted_does_not_bring_it_back(fsm):
    fsm.one(PauseQueue("q", paused=True))
    fsm.apply(DeleteQueue("q", 100), EnqueueMany([fsm.new_job(), fsm.new_job(batch_id="none")]))

    fsm.restart()

    assert "q" not in fsm.machine.state.queues


@pytest.mark.parametrize("op", [ClearQueue("none", 10), DeleteQueue("none", 10)])
def test_unknown_queues_are_not_found(fsm, op):
    with pytest.raises(NotFound):
        fsm.one(op)


def test_people_cannot_make_more_queues_than_producers_can(fsm, monkeypatch):
    monkeypatch.setattr(new_job, "QUEUES_MAX", 1)
    job_id = fsm.enqueue("q")
    before = fsm.dump()
    orders = (
        PauseQueue("r", paused=True),
        LimitQueue("r", 1),
        ThrottleQueue("r", 1, 1_000),
        Act(Action.MOVE, job_id, queue="r"),
    )
    for order in orders:
        with pytest.raises(ValidationFailed, match="1 queues already"):
            fsm.one(order)
    assert list(fsm.machine.state.queues) == ["q"]
    assert {key for key, value in fsm.dump().items() if before.get(key) != value} == {keys.META}
    fsm.one(PauseQueue("q", paused=True))
    fsm.one(Act(Action.MOVE, job_id, queue="q"))
