"""Every row of the table in docs/reference/leases.md: which caller may end or extend a lease, and what a
repeated request gets."""

import pytest

from corvo.core.errors import AckRefused, FailRefused, LeaseConflict, NotFound, ReleaseRefused

VERBS = ("ack", "fail", "release")
REFUSALS = {"ack": AckRefused, "fail": FailRefused, "release": ReleaseRefused}


def act(fsm, verb, job_id, token):
    return getattr(fsm, verb)(job_id, token)


@pytest.fixture
def leased(fsm):
    return fsm.lease(fsm.enqueue())


@pytest.mark.parametrize("verb", VERBS)
def test_a_matching_token_on_an_active_job_proceeds(fsm, leased, verb):
    answer = act(fsm, verb, leased.id, leased.lease.token)
    assert not answer.duplicate
    assert fsm.state(leased.id) == {"ack": "completed", "fail": "retrying", "release": "pending"}[verb]


@pytest.mark.parametrize("verb", VERBS)
def test_a_wrong_token_on_an_active_job_is_a_conflict_and_changes_nothing(fsm, leased, verb):
    before = fsm.job(leased.id)
    with pytest.raises(LeaseConflict):
        act(fsm, verb, leased.id, leased.lease.token + 1)
    assert fsm.job(leased.id) == before


def test_a_heartbeat_with_a_wrong_token_is_told_that_the_lease_is_lost(fsm, leased):
    assert fsm.beat(leased.id, leased.lease.token + 1).lost == "lease_lost"
    assert fsm.beat(leased.id, leased.lease.token).lost is None


@pytest.mark.parametrize("verb", VERBS)
def test_the_same_request_again_gets_the_same_answer_and_has_no_effect(fsm, leased, verb):
    first = act(fsm, verb, leased.id, leased.lease.token)
    document = fsm.job(leased.id)
    events = fsm.events()

    again = act(fsm, verb, leased.id, leased.lease.token)

    assert again.duplicate
    assert (again.state, again.attempt, again.next_attempt_ns) == (
        first.state,
        first.attempt,
        first.next_attempt_ns,
    )
    assert fsm.job(leased.id) == document
    assert fsm.events() == events


@pytest.mark.parametrize("verb", VERBS)
def test_the_answer_is_remembered_even_after_time_moved_the_job_on(fsm, clock, leased, verb):
    first = act(fsm, verb, leased.id, leased.lease.token)
    clock.advance(s=3_600)
    fsm.promote()

    again = act(fsm, verb, leased.id, leased.lease.token)

    assert again.duplicate
    assert again.state == first.state


@pytest.mark.parametrize(("first", "second"), [(a, b) for a in VERBS for b in VERBS if a != b])
def test_a_token_that_was_used_for_another_verb_is_a_conflict(fsm, leased, first, second):
    act(fsm, first, leased.id, leased.lease.token)
    with pytest.raises(LeaseConflict):
        act(fsm, second, leased.id, leased.lease.token)


@pytest.mark.parametrize("verb", VERBS)
def test_a_token_whose_lease_was_reclaimed_is_a_conflict(fsm, clock, leased, verb):
    clock.advance(s=61)
    fsm.reclaim()
    with pytest.raises(LeaseConflict):
        act(fsm, verb, leased.id, leased.lease.token)


@pytest.mark.parametrize("verb", VERBS)
def test_after_the_next_claim_the_old_token_is_a_conflict(fsm, leased, verb):
    act(fsm, "release", leased.id, leased.lease.token)
    fsm.lease(leased.id, worker="w2")
    with pytest.raises(LeaseConflict):
        act(fsm, verb, leased.id, leased.lease.token)


@pytest.mark.parametrize("verb", VERBS)
def test_without_a_token_an_active_job_is_accepted(fsm, leased, verb):
    assert not act(fsm, verb, leased.id, None).duplicate


def test_without_a_token_a_second_ack_is_a_duplicate(fsm, leased):
    fsm.ack(leased.id)
    assert fsm.ack(leased.id).duplicate


@pytest.mark.parametrize("verb", VERBS)
def test_without_a_token_a_job_that_is_not_active_is_refused(fsm, verb):
    job_id = fsm.enqueue()
    with pytest.raises(REFUSALS[verb], match="is pending, not active") as caught:
        act(fsm, verb, job_id, None)
    assert caught.value.facts == {"job_state": "pending"}


@pytest.mark.parametrize("verb", ["fail", "release"])
def test_without_a_token_only_ack_may_be_repeated(fsm, leased, verb):
    act(fsm, verb, leased.id, None)
    with pytest.raises(REFUSALS[verb]):
        act(fsm, verb, leased.id, None)


@pytest.mark.parametrize("verb", VERBS)
def test_an_unknown_job_is_not_found(fsm, verb):
    with pytest.raises(NotFound):
        act(fsm, verb, "job_unknown", None)


@pytest.mark.parametrize("verb", VERBS)
def test_a_lease_that_ran_out_but_was_not_reclaimed_is_still_owned(fsm, clock, leased, verb):
    clock.advance(s=600)
    assert not act(fsm, verb, leased.id, leased.lease.token).duplicate


def test_a_late_heartbeat_keeps_the_lease_while_nobody_else_has_the_job(fsm, clock, leased):
    clock.advance(s=600)
    assert fsm.beat(leased.id, leased.lease.token).lost is None
    fsm.reclaim()
    assert fsm.state(leased.id) == "active"
