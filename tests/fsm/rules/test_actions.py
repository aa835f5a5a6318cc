"""What people can do to a job: the table of docs/reference/jobs.md, every cell of it."""

import pytest

from corvo.core.errors import NotFound, RetryRefused
from corvo.core.job import UniqueUntil
from corvo.core.priority import Priority
from corvo.core.states import JobState
from corvo.fsm.rules.actions import RULES
from corvo.ops.job_admin import Action, ActMany

SECOND = 1_000_000_000
ARGUMENTS = {Action.MOVE: {"queue": "elsewhere"}, Action.CHANGE_PRIORITY: {"priority": Priority.HIGH}}
#: Where a job is after the action; None means gone, "same" means where it was.
AFTER = {
    Action.RETRY: "pending",
    Action.REQUEUE: "pending",
    Action.CANCEL: "cancelled",
    Action.HOLD: "held",
    Action.APPROVE: "pending",
    Action.REJECT: "dead",
    Action.MOVE: "same",
    Action.CHANGE_PRIORITY: "same",
    Action.DELETE: None,
    Action.RESEAL: "same",
}


def in_state(fsm, state, **fields):
    """A job that got there the honest way."""
    later = fsm.clock.now_ns() + 100 * SECOND if state is JobState.SCHEDULED else None
    job_id = fsm.enqueue(scheduled_ns=later, **fields)
    if state in (JobState.PENDING, JobState.SCHEDULED):
        return job_id
    if state is JobState.CANCELLED:
        fsm.act(Action.CANCEL, job_id)
        return job_id
    fsm.lease(job_id)
    if state is JobState.COMPLETED:
        fsm.ack(job_id, result=b"1")
    elif state is JobState.DEAD:
        fsm.fail(job_id, retry=False)
    elif state is JobState.RETRYING:
        fsm.fail(job_id)
    elif state is JobState.HELD:
        fsm.ack(job_id, hold=True, hold_reason="look")
    return job_id


def act(fsm, action, job_id):
    return fsm.act(action, job_id, **ARGUMENTS.get(action, {}))


CELLS = [(action, state) for action in Action for state in JobState]


@pytest.mark.parametrize(("action", "state"), CELLS, ids=[f"{a.name}-{s.name}" for a, s in CELLS])
def test_every_cell_of_the_table(fsm, action, state):
    job_id = in_state(fsm, state)
    rule = RULES[action]
    before = fsm.dump()

    if state not in rule.states:
        with pytest.raises(rule.refusal) as caught:
            act(fsm, action, job_id)
        assert caught.value.facts == {"job_state": state.label}
        after = fsm.dump()
        assert {k: v for k, v in after.items() if k != b"m|"} == {
            k: v for k, v in before.items() if k != b"m|"
        }
        return

    acted = act(fsm, action, job_id)

    expected = state.label if AFTER[action] == "same" else AFTER[action]
    assert fsm.state(job_id) == expected
    assert acted.was is state
    assert (acted.state.label if acted.state is not None else None) == expected
    counted = {
        s.label: n for q in fsm.machine.state.queues.values() for s in JobState if (n := q.doc.counts[s])
    }
    assert counted == ({expected: 1} if expected else {})


@pytest.mark.parametrize("action", Action)
def test_an_unknown_job_is_not_found(fsm, action):
    with pytest.raises(NotFound):
        act(fsm, action, "job_none")


def test_the_table_is_that_of_the_specification():
    names = {action: {state.label for state in rule.states} for action, rule in RULES.items()}
    assert names == {
        Action.RETRY: {"dead", "cancelled", "completed", "scheduled"},
        Action.REQUEUE: {"dead"},
        Action.CANCEL: {"pending", "active", "scheduled", "retrying", "held"},
        Action.HOLD: {"pending", "active", "scheduled", "retrying"},
        Action.APPROVE: {"held"},
        Action.REJECT: {"held"},
        Action.MOVE: {"pending", "scheduled", "retrying", "held", "completed", "dead", "cancelled"},
        Action.CHANGE_PRIORITY: {"pending", "scheduled", "retrying", "held"},
        Action.DELETE: {state.label for state in JobState},
        Action.DELETE_NAMESPACE: set(),
        Action.RESEAL: {state.label for state in JobState},
    }


# Retry and requeue


def test_a_retry_starts_over_but_remembers_its_errors(fsm):
    job_id = fsm.enqueue(max_retries=1, checkpoint=b"7")
    fsm.lease(job_id)
    fsm.beat(job_id, progress=b"50")
    fsm.fail(job_id)

    fsm.act(Action.RETRY, job_id)

    job = fsm.job(job_id)
    assert (job.attempt, job.error_count, job.checkpoint, job.progress) == (0, 1, b"7", b"50")
    assert (job.failed_ns, job.result, job.lease_version) == (None, None, 1)
    fsm.lease(job_id)
    fsm.fail(job_id, error="second life")
    assert fsm.job(job_id).error_count == 2, "errors of the first life are kept"


def test_a_requeue_keeps_the_attempts_so_the_next_failure_is_final(fsm):
    job_id = in_state(fsm, JobState.DEAD, max_retries=5)
    fsm.act(Action.REQUEUE, job_id)
    assert fsm.job(job_id).attempt == 1
    fsm.lease(job_id)
    assert fsm.job(job_id).attempt == 2


def test_a_retried_job_goes_to_the_end_of_the_line(fsm):
    first = in_state(fsm, JobState.DEAD)
    second = fsm.enqueue()
    fsm.act(Action.RETRY, first)
    assert [w.job.id for w in fsm.fetch(count=2)] == [second, first]


def test_a_retried_job_takes_its_lock_again(fsm):
    job_id = fsm.enqueue(unique_key="k")
    fsm.lease(job_id)
    fsm.ack(job_id)
    fsm.act(Action.RETRY, job_id)
    assert fsm.enqueue(unique_key="k") == job_id


def test_a_retry_is_refused_when_another_job_has_taken_its_place(fsm):
    job_id = fsm.enqueue(unique_key="k")
    fsm.lease(job_id)
    fsm.ack(job_id)
    other = fsm.enqueue(unique_key="k")
    with pytest.raises(RetryRefused) as caught:
        fsm.act(Action.RETRY, job_id)
    assert caught.value.facts["unique_job_id"] == other
    assert fsm.state(job_id) == "completed"


def test_a_retry_of_an_expired_job_counts_its_time_anew(fsm, clock):
    job_id = fsm.enqueue(expire_after_ms=5_000)
    clock.advance(s=6)
    fsm.expire()
    fsm.act(Action.RETRY, job_id)
    assert fsm.job(job_id).expire_ns - clock.now_ns() == pytest.approx(5 * SECOND, abs=10_000)
    fsm.lease(job_id)


# Cancel, hold, approve, reject


def test_cancelling_an_active_job_takes_it_from_its_worker(fsm):
    job_id = fsm.enqueue(unique_key="k")
    token = fsm.lease(job_id).lease.token

    assert fsm.act(Action.CANCEL, job_id).was is JobState.ACTIVE

    assert fsm.beat(job_id, token).lost == "cancelled"
    job = fsm.job(job_id)
    assert job.cancelled_ns == job.failed_ns
    assert job.lease is None
    assert fsm.queue().active == 0
    assert fsm.enqueue(unique_key="k") != job_id
    assert fsm.events(job_id)[-1] == "cancelled"


def test_a_held_job_waits_for_a_human_and_then_goes_on_or_dies(fsm):
    good = fsm.enqueue()
    fsm.act(Action.HOLD, good, reason="too expensive")
    assert fsm.fetch() == []
    assert fsm.job(good).hold_reason == "too expensive"
    fsm.act(Action.APPROVE, good)
    assert fsm.job(good).hold_reason is None
    fsm.lease(good)

    bad = fsm.enqueue()
    fsm.act(Action.HOLD, bad)
    fsm.act(Action.REJECT, bad, reason="no")
    assert fsm.job(bad).last_error == "rejected: no"
    assert fsm.events(bad)[-2:] == ["rejected", "dead"]


def test_an_approved_job_keeps_its_place_in_the_line(fsm):
    first = fsm.enqueue()
    second = fsm.enqueue()
    fsm.act(Action.HOLD, first)
    fsm.act(Action.APPROVE, first)
    assert [w.job.id for w in fsm.fetch(count=2)] == [first, second]


def test_approving_a_job_that_has_expired_meanwhile_kills_it(fsm, clock):
    job_id = fsm.enqueue(expire_after_ms=1_000)
    fsm.act(Action.HOLD, job_id)
    clock.advance(s=2)
    fsm.act(Action.APPROVE, job_id)
    assert fsm.state(job_id) == "dead"


# Move and priority


@pytest.mark.parametrize("state", [s for s in JobState if s is not JobState.ACTIVE])
def test_a_move_takes_the_job_along_in_whatever_state_it_is(fsm, state):
    job_id = in_state(fsm, state)
    fsm.act(Action.MOVE, job_id, queue="b")
    assert fsm.job(job_id).queue == "b"
    assert fsm.queue("q").counts[state] == 0
    assert fsm.queue("b").counts[state] == 1
    assert fsm.event_data(fsm.applied[-1].record.events[-1].type) == [{"from": "q", "to": "b"}]


def test_a_moved_job_stands_at_the_end_of_the_other_line(fsm):
    moved = fsm.enqueue("a")
    other = fsm.enqueue("b")
    fsm.act(Action.MOVE, moved, queue="b")
    assert [w.job.id for w in fsm.fetch("b", count=2)] == [other, moved]


def test_the_lock_moves_with_the_job(fsm):
    job_id = fsm.enqueue("a", unique_key="k")
    fsm.act(Action.MOVE, job_id, queue="b")
    assert fsm.enqueue("b", unique_key="k") == job_id
    assert fsm.enqueue("a", unique_key="k") != job_id


def test_a_move_is_refused_where_the_key_is_taken(fsm):
    job_id = fsm.enqueue("a", unique_key="k")
    holder = fsm.enqueue("b", unique_key="k")
    with pytest.raises(RULES[Action.MOVE].refusal) as caught:
        fsm.act(Action.MOVE, job_id, queue="b")
    assert caught.value.facts == {"unique_job_id": holder}
    assert fsm.job(job_id).queue == "a"


def test_a_lock_that_has_expired_does_not_stand_in_the_way(fsm, clock):
    job_id = fsm.enqueue("a", unique_key="k", unique_period_s=1_000)
    fsm.enqueue("b", unique_key="k", unique_period_s=5, unique_until=UniqueUntil.TTL)
    clock.advance(s=6)
    fsm.act(Action.MOVE, job_id, queue="b")
    assert fsm.enqueue("b", unique_key="k") == job_id


def test_a_job_whose_own_lock_has_expired_may_go_where_the_key_is_taken(fsm, clock):
    job_id = fsm.enqueue("a", unique_key="k", unique_period_s=5)
    holder = fsm.enqueue("b", unique_key="k", unique_period_s=1_000)
    clock.advance(s=6)
    fsm.act(Action.MOVE, job_id, queue="b")
    assert fsm.job(job_id).queue == "b"
    assert fsm.enqueue("b", unique_key="k") == holder


def test_a_raised_priority_overtakes(fsm):
    first = fsm.enqueue()
    second = fsm.enqueue()
    fsm.act(Action.CHANGE_PRIORITY, second, priority=Priority.CRITICAL)
    assert [w.job.id for w in fsm.fetch(count=2)] == [second, first]


# Many


def test_many_at_once_skips_those_that_do_not_fit_and_undoes_their_half_done_work(fsm):
    dead = [in_state(fsm, JobState.DEAD) for _ in range(3)]
    pending = fsm.enqueue("other")
    locked = fsm.enqueue(unique_key="k")
    fsm.lease(locked)
    fsm.ack(locked)
    fsm.enqueue(unique_key="k")

    (many,) = fsm.apply(ActMany(Action.RETRY, [*dead, pending, locked, "job_none", dead[0]]))

    assert many.affected == 3
    assert [(f.job_id, f.code) for f in many.failures] == [
        (pending, "RETRY_ERROR"),
        (locked, "RETRY_ERROR"),
        ("job_none", "NOT_FOUND"),
        (dead[0], "RETRY_ERROR"),
    ]
    assert {fsm.state(job_id) for job_id in dead} == {"pending"}
    assert fsm.state(locked) == "completed"


def test_deleting_leaves_nothing_behind(fsm):
    job_id = fsm.enqueue(unique_key="k", payload=b'"' + b"x" * 2_000 + b'"')
    fsm.lease(job_id)
    fsm.fail(job_id)
    fsm.act(Action.DELETE, job_id)
    assert not [key for key in fsm.dump() if job_id.encode() in key]
    assert fsm.events(job_id)[-1] == "deleted"
    assert fsm.enqueue(unique_key="k") != job_id
