import pytest

from corvo.core.errors import RetryRefused, ValidationFailed
from corvo.core.job import DependencyFailure
from corvo.fsm.rules import dependencies
from corvo.ops.flow import Resolve
from corvo.ops.job_admin import Action, ActMany
from corvo.storage import keys
from corvo.storage.invariants import check
from corvo.storage.tx import Tx


def after(fsm, *dependencies_, queue="later", **fields):
    return fsm.enqueue(queue, depends_on=dependencies_, **fields)


def fetched(fsm, *queues):
    return [whole.job.id for whole in fsm.fetch(*(queues or ("later",)), count=100)]


def test_a_job_waits_for_all_it_depends_on(fsm):
    first, second = fsm.enqueue(), fsm.enqueue()
    job_id = after(fsm, first, second)
    assert fsm.state(job_id) == "pending"
    assert fetched(fsm) == []
    fsm.end(first, "ack")
    assert fetched(fsm) == []
    fsm.end(second, "ack")
    assert fsm.events(job_id) == ["enqueued", "unblocked"]
    assert fetched(fsm) == [job_id]


def test_a_parked_job_does_not_stand_in_the_way_of_others(fsm):
    blocker = fsm.enqueue()
    for _ in range(50):
        after(fsm, blocker)
    free = fsm.enqueue("later")
    assert fsm.applied[-1].levels == {"later": 1}
    assert fetched(fsm) == [free]
    assert (fsm.queue("later").pending, fsm.queue("later").parked) == (50, 50)


def test_what_has_completed_already_is_not_waited_for_and_purging_it_is_harmless(fsm, clock):
    done, open_ = fsm.enqueue(), fsm.enqueue()
    fsm.end(done, "ack")
    job_id = after(fsm, done, open_)
    clock.advance(s=100)
    fsm.purge()
    assert fsm.job(done) is None
    fsm.end(open_, "ack")
    fsm.purge()
    assert fetched(fsm) == [job_id]


@pytest.mark.parametrize("how", ["fail", "cancel", "expire", "delete"])
def test_a_job_fails_with_what_it_depends_on_and_says_why(fsm, how):
    first = fsm.enqueue(expire_after_ms=1_000)
    job_id = after(fsm, first)
    fsm.end(first, how)
    said = {"fail": "is dead", "cancel": "is cancelled", "expire": "is dead", "delete": "was deleted"}[how]
    assert fsm.state(job_id) == "dead"
    assert fsm.job(job_id).last_error == f"dependency {first} {said}"
    assert fsm.events(job_id)[-1] == "dead"


def test_failure_runs_down_a_long_line_of_dependents_without_recursion(fsm):
    line = [fsm.enqueue()]
    for _ in range(900):
        line.append(after(fsm, line[-1]))
    fsm.end(line[0], "cancel")
    assert {fsm.state(job_id) for job_id in line[1:]} == {"dead"}


@pytest.mark.parametrize(
    ("mode", "state"), [(DependencyFailure.IGNORE, "pending"), (DependencyFailure.WAIT, "pending")]
)
def test_other_ways_to_take_a_failure(fsm, mode, state):
    first = fsm.enqueue()
    job_id = after(fsm, first, on_dependency_failure=mode)
    fsm.end(first, "fail")
    assert fsm.state(job_id) == state
    assert fetched(fsm) == ([job_id] if mode is DependencyFailure.IGNORE else [])


def test_who_waits_on_is_freed_when_the_other_is_retried_and_completes(fsm):
    first = fsm.enqueue()
    job_id = after(fsm, first, on_dependency_failure=DependencyFailure.WAIT)
    fsm.end(first, "fail")
    fsm.act(Action.RETRY, first)
    fsm.end(first, "ack")
    assert fetched(fsm) == [job_id]


@pytest.mark.parametrize("how", ["delete", "purge"])
def test_who_waits_on_fails_when_the_other_is_gone_for_good(fsm, clock, how):
    first = fsm.enqueue()
    job_id = after(fsm, first, on_dependency_failure=DependencyFailure.WAIT)
    fsm.end(first, "cancel")
    assert fsm.state(job_id) == "pending"
    clock.advance(s=10)
    fsm.purge() if how == "purge" else fsm.end(first, "delete")
    assert fsm.state(job_id) == "dead"
    assert first in fsm.job(job_id).last_error


def test_unknown_and_hopeless_dependencies_are_refused(fsm):
    dead = fsm.enqueue()
    fsm.end(dead, "fail")
    with pytest.raises(ValidationFailed, match="job_none does not exist"):
        after(fsm, "job_none")
    with pytest.raises(ValidationFailed, match="will not complete"):
        after(fsm, dead)
    assert fetched(fsm, "later") == []


def test_missing_dependencies_can_be_allowed(fsm):
    assert fetched(fsm) == []
    job_id = after(fsm, "job_none", allow_missing=True)
    assert fetched(fsm) == [job_id]


def test_a_job_cannot_wait_for_itself(fsm):
    new = fsm.new_job(job_id="job_self", depends_on=("job_self",))
    with pytest.raises(ValidationFailed, match="itself"):
        fsm.enqueue_many(new)


def test_a_dependent_that_ends_by_itself_is_no_longer_told(fsm):
    first = fsm.enqueue()
    job_id = after(fsm, first)
    fsm.act(Action.CANCEL, job_id)
    fsm.end(first, "ack")
    assert fsm.state(job_id) == "cancelled"


def test_a_parked_job_can_be_held_moved_and_approved_and_stays_parked(fsm):
    first = fsm.enqueue()
    job_id = after(fsm, first)
    fsm.act(Action.MOVE, job_id, queue="other")
    fsm.act(Action.HOLD, job_id)
    fsm.act(Action.APPROVE, job_id)
    assert fetched(fsm, "later", "other") == []
    fsm.end(first, "ack")
    assert fetched(fsm, "other") == [job_id]


def test_a_held_job_that_is_freed_meanwhile_is_handed_out_when_approved(fsm):
    first = fsm.enqueue()
    job_id = after(fsm, first)
    fsm.act(Action.HOLD, job_id)
    fsm.end(first, "ack")
    assert fetched(fsm) == []
    fsm.act(Action.APPROVE, job_id)
    assert fetched(fsm) == [job_id]


def test_a_scheduled_dependent_becomes_pending_but_stays_parked(fsm, clock):
    first = fsm.enqueue()
    job_id = after(fsm, first, scheduled_ns=clock.now_ns() + 1_000_000_000)
    clock.advance(s=2)
    fsm.promote()
    assert fetched(fsm) == []
    fsm.end(first, "ack")
    assert fetched(fsm) == [job_id]


def test_retrying_a_dependent_waits_again_for_what_is_open(fsm):
    first = fsm.enqueue()
    job_id = after(fsm, first)
    fsm.end(first, "fail")
    with pytest.raises(RetryRefused, match="will not complete"):
        fsm.act(Action.RETRY, job_id)
    fsm.act(Action.RETRY, first)
    fsm.act(Action.RETRY, job_id)
    assert fetched(fsm) == []
    fsm.end(first, "ack")
    assert fetched(fsm) == [job_id]


def test_more_dependents_than_an_op_should_tell_are_told_by_the_scheduler(fsm, monkeypatch):
    monkeypatch.setattr(dependencies, "DEPENDENTS_TOLD_MAX", 3)
    first, second = fsm.enqueue(), fsm.enqueue()
    jobs = [after(fsm, first) for _ in range(8)]
    losers = [after(fsm, second, queue="losers") for _ in range(8)]
    waiters = [
        after(fsm, second, queue="waiters", on_dependency_failure=DependencyFailure.WAIT) for _ in range(8)
    ]
    fsm.end(first, "ack")
    fsm.end(second, "cancel")
    assert fsm.queue("later").parked == 5

    rounds = []
    while True:
        result = fsm.one(Resolve(limit=3))
        rounds.append(result.count)
        if not result.more:
            break

    assert max(rounds) <= 3
    assert sorted(fetched(fsm)) == sorted(jobs)
    assert {fsm.state(job_id) for job_id in losers} == {"dead"}
    assert {fsm.state(job_id) for job_id in waiters} == {"pending"}
    assert not [key for key in fsm.dump() if key.startswith(b"r|")]


def test_old_news_of_a_job_that_lives_again_does_not_reach_those_who_came_later(fsm, monkeypatch):
    monkeypatch.setattr(dependencies, "DEPENDENTS_TOLD_MAX", 1)
    first = fsm.enqueue()
    losers = [after(fsm, first) for _ in range(3)]
    fsm.end(first, "fail")
    fsm.act(Action.RETRY, first)
    late = after(fsm, first)

    while fsm.one(Resolve(limit=1)).more:
        """Until everybody is told."""

    assert {fsm.state(job_id) for job_id in losers} == {"dead"}
    assert fsm.state(late) == "pending"
    fsm.end(first, "ack")
    assert fetched(fsm) == [late]


@pytest.fixture
def news_read(monkeypatch):
    """The times at which each piece of news that is still to be told was looked at."""
    read = []
    scan = Tx.scan

    def watched(tx, start, stop):
        for pair in scan(tx, start, stop):
            if pair[0].startswith(keys.RESOLVING):
                read.append(pair[0])
            yield pair

    monkeypatch.setattr(Tx, "scan", watched)
    return read


def much_news(fsm, monkeypatch, count):
    """So many jobs that ended with nobody told."""
    monkeypatch.setattr(dependencies, "DEPENDENTS_TOLD_MAX", 0)
    ended = [fsm.enqueue() for _ in range(count)]
    for job_id in ended:
        after(fsm, job_id)
    fsm.one(ActMany(Action.CANCEL, ended))
    return ended


def test_a_job_that_lives_again_does_not_go_through_the_news_of_others(fsm, monkeypatch, news_read):
    ended = much_news(fsm, monkeypatch, 20)
    fsm.act(Action.RETRY, ended[7])
    assert len(news_read) <= 1
    assert len([key for key in fsm.dump() if key.startswith(keys.RESOLVING)]) == 19


def test_a_round_of_telling_reads_no_more_news_than_it_can_tell(fsm, monkeypatch, news_read):
    much_news(fsm, monkeypatch, 20)
    rounds = 1
    while fsm.one(Resolve(limit=5)).more:
        rounds += 1
    assert fsm.queue("later").pending == 0
    assert rounds <= 5
    assert len(news_read) <= rounds * 6 + 1


def test_batch_and_chain_of_a_dependent_that_fails_are_settled(fsm):
    from corvo.core.job import Chain, Step
    from corvo.ops.flow import OpenBatch, SealBatch

    fsm.one(OpenBatch("batch_1", "done", None))
    first = fsm.enqueue()
    chain = Chain((Step("later"), Step("next")), on_failure=Step("sorry"))
    after(fsm, first, batch_id="batch_1", chain=chain, chain_id="chn_1")
    fsm.one(SealBatch("batch_1"))
    fsm.end(first, "cancel")
    assert len(fetched(fsm, "sorry")) == 1
    assert len(fetched(fsm, "done")) == 1


def test_many_jobs_ended_at_once_tell_no_more_than_one_would(fsm, monkeypatch):
    """A step of a bulk task over jobs with a thousand dependents each would be an entry of a million jobs."""
    monkeypatch.setattr(dependencies, "DEPENDENTS_TOLD_MAX", 3)
    awaited = [fsm.enqueue("first") for _ in range(4)]
    waiting = [fsm.enqueue(depends_on=(job_id,)) for job_id in awaited for _ in range(2)]
    fsm.one(ActMany(Action.CANCEL, awaited))
    assert len(fsm.applied[-1].rows) == 4 + 3
    while fsm.one(Resolve(3)).more:
        """The scheduler goes on until all have heard."""
    assert {fsm.state(job_id) for job_id in waiting} == {"dead"}
    assert list(check(fsm.kv)) == []
