import json

import pytest

from corvo.core.backoff import Backoff
from corvo.core.job import Chain, Step
from corvo.core.priority import Priority
from corvo.ops.job_admin import Action

CHAIN = Chain(
    steps=(Step("one"), Step("two", b'{"b":2}'), Step("three", b"[3]")),
    on_failure=Step("sorry", b'{"who":"ops"}'),
    on_exit=Step("bye"),
)


def start(fsm, chain=CHAIN, **fields):
    return fsm.enqueue("one", b'{"a":1}', chain=chain, chain_id="chn_1", **fields)


def take(fsm, queue):
    (whole,) = fsm.fetch(queue)
    return whole.job, json.loads(whole.payload)


def test_each_step_follows_the_one_before_and_gets_its_result(fsm):
    first = start(fsm)
    fsm.lease(first, "one")
    fsm.ack(first, result=b'{"made":"this"}')

    second, payload = take(fsm, "two")
    assert payload == {"previous_job_id": first, "previous_result": {"made": "this"}, "b": 2}
    assert (second.flow.chain_id, second.flow.chain_step) == ("chn_1", 1)
    fsm.ack(second.id)

    third, payload = take(fsm, "three")
    assert payload == {"previous_job_id": second.id, "payload": [3]}
    fsm.ack(third.id, result=b"9")

    last, payload = take(fsm, "bye")
    assert payload == {"previous_job_id": third.id, "previous_result": 9}
    assert last.flow.chain_step == -1
    fsm.ack(last.id)
    assert fsm.fetch(*fsm.machine.state.queues) == []


def test_a_steps_own_payload_wins_over_what_it_is_given(fsm):
    chain = Chain(steps=(Step("one"), Step("two", b'{"previous_result":"mine"}')))
    first = start(fsm, chain)
    fsm.lease(first, "one")
    fsm.ack(first, result=b'"theirs"')
    assert take(fsm, "two")[1]["previous_result"] == "mine"


def test_leaving_the_chain_skips_the_rest_and_runs_the_exit_handler(fsm):
    first = start(fsm)
    fsm.lease(first, "one")
    fsm.ack(first, result=b"1", leave_chain=True, exit_reason="enough")
    job, payload = take(fsm, "bye")
    assert payload == {"previous_job_id": first, "previous_result": 1, "exit_reason": "enough"}
    assert job.flow.chain_step == -1
    assert fsm.fetch("two") == []


def test_a_dead_step_runs_the_failure_handler(fsm):
    first = start(fsm)
    fsm.lease(first, "one")
    fsm.fail(first, error='say "what"?', retry=False)
    job, payload = take(fsm, "sorry")
    assert payload == {"failed_job_id": first, "failed_step": 0, "error": 'say "what"?', "who": "ops"}
    assert job.flow.chain_step == -2
    fsm.fail(job.id, retry=False)
    assert fsm.fetch("sorry") == [], "a handler that fails has no handler"


@pytest.mark.parametrize("how", ["expire", "reject"])
def test_however_a_step_dies_the_handler_hears_of_it(fsm, how):
    first = start(fsm, expire_after_ms=1_000)
    if how == "expire":
        fsm.end(first, "expire")
    else:
        fsm.act(Action.HOLD, first)
        fsm.act(Action.REJECT, first)
    assert take(fsm, "sorry")[1]["error"] == {"expire": "job expired", "reject": "rejected"}[how]


@pytest.mark.parametrize("how", ["cancel", "delete"])
def test_a_step_that_people_take_away_ends_the_chain_quietly(fsm, how):
    fsm.end(start(fsm), how)
    assert fsm.fetch("two", "sorry", "bye") == []


def test_a_failure_that_is_retried_does_not_end_the_chain(fsm):
    first = start(fsm, backoff=Backoff.NONE)
    fsm.lease(first, "one")
    fsm.fail(first)
    assert fsm.fetch("sorry") == []
    fsm.lease(first, "one")
    fsm.ack(first)
    take(fsm, "two")


def test_the_next_step_takes_after_the_one_before(fsm):
    first = start(
        fsm,
        priority=Priority.CRITICAL,
        tags={"t": "1"},
        max_retries=7,
        backoff=Backoff.LINEAR,
        retry_base_ms=1,
        retry_max_ms=2,
        retry_jitter=0.5,
        unique_key="k",
        expire_after_ms=60_000,
    )
    fsm.lease(first, "one")
    fsm.ack(first)
    job, _ = take(fsm, "two")
    assert (job.priority, job.tags, job.max_retries) == (Priority.CRITICAL, {"t": "1"}, 7)
    assert (job.backoff, job.retry_base_ms, job.retry_max_ms, job.retry_jitter) == (Backoff.LINEAR, 1, 2, 0.5)
    assert (job.unique, job.expire_ns) == (None, None)


def test_a_step_that_is_retried_by_hand_moves_the_chain_on_again(fsm):
    first = start(fsm)
    fsm.lease(first, "one")
    fsm.ack(first)
    take(fsm, "two")
    fsm.act(Action.RETRY, first)
    fsm.lease(first, "one")
    fsm.ack(first)
    take(fsm, "two")


def test_a_repeated_ack_does_not_make_a_second_step(fsm):
    first = start(fsm)
    token = fsm.lease(first, "one").lease.token
    fsm.ack(first, token)
    fsm.ack(first, token)
    take(fsm, "two")
    assert fsm.fetch("two") == []


def test_ids_of_jobs_born_in_the_state_machine_are_the_same_everywhere(fsm):
    from corvo.fsm.machine import Machine
    from corvo.ops.entry import decode
    from corvo.storage.memory import MemoryKv

    first = start(fsm)
    fsm.lease(first, "one")
    fsm.ack(first)
    replica_kv = MemoryKv()
    replica = Machine(replica_kv)
    for data in fsm.log:
        applied = replica.apply(replica.index + 1, 1, decode(data))
        replica_kv.write(applied.writes, sync=False)
        replica.state.store.landed(applied.index)
    assert replica_kv._values == fsm.kv._values
