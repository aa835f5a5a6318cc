"""Namespaces: quotas that are exact, and an end that takes everything along and nothing else."""

import pytest

from corvo.core.bulk import STEP_JOBS_MAX
from corvo.core.errors import (
    Conflict,
    CorvoError,
    NotFound,
    QueueQuotaExceeded,
    QuotaExceeded,
    ValidationFailed,
)
from corvo.core.job import Chain, Step
from corvo.core.namespace import ANYWHERE, DEFAULT, Namespace, Quotas, Reach, qualified
from corvo.ops.bulk import CancelBulk, RunBulk
from corvo.ops.cron import FireSchedule, RunSchedule, SetSchedule
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewBatch
from corvo.ops.flow import OpenBatch
from corvo.ops.job_admin import Action
from corvo.ops.namespaces import DeleteNamespace, SetNamespace
from corvo.ops.queue_admin import PauseQueue
from corvo.ops.webhooks import SetWebhook
from corvo.storage.invariants import check
from tests.support.schedules import MINUTE, plan

MAIL = qualified("acme", "mail")
SMS = qualified("acme", "sms")


def limit(fsm, name="acme", **quotas):
    fsm.one(SetNamespace(name, Quotas(**quotas), is_new=name not in fsm.machine.state.namespaces))


def held(fsm, name="acme"):
    holdings = fsm.machine.state.holdings.get(name)
    return holdings and (len(holdings.queues), holdings.jobs, holdings.payload_bytes)


def refusal(fsm, op):
    (outcome,) = fsm.apply(op)
    assert isinstance(outcome, CorvoError), outcome
    return outcome


# Documents


def test_a_namespace_is_set_up_once_and_changed_as_often_as_wanted(fsm, clock):
    made = fsm.one(SetNamespace("acme", Quotas(max_jobs=3), is_new=True)).namespace
    assert made == Namespace("acme", fsm.applied[-1].now_ns, Quotas(max_jobs=3))
    with pytest.raises(Conflict):
        fsm.one(SetNamespace("acme", Quotas(), is_new=True))
    clock.advance(s=1)
    changed = fsm.one(SetNamespace("acme", Quotas(read_rps=2.5))).namespace
    assert (changed.created_ns, changed.quotas) == (made.created_ns, Quotas(read_rps=2.5))
    assert fsm.applied[-1].namespaces == {"acme": changed}
    fsm.restart()
    assert fsm.machine.state.namespaces == {"acme": changed}


def test_a_namespace_that_nobody_set_up_or_uses_has_no_quotas_to_change(fsm):
    with pytest.raises(NotFound):
        fsm.one(SetNamespace("acme", Quotas()))
    fsm.enqueue(MAIL)
    assert fsm.one(SetNamespace("acme", Quotas(max_jobs=1))).namespace.name == "acme"


def test_default_is_always_there(fsm):
    with pytest.raises(Conflict):
        fsm.one(SetNamespace(DEFAULT, Quotas(), is_new=True))
    limit_of_default = SetNamespace(DEFAULT, Quotas(max_queues=1))
    assert fsm.one(limit_of_default).namespace.quotas.max_queues == 1
    with pytest.raises(ValidationFailed):
        fsm.one(DeleteNamespace(DEFAULT, "bulk_1"))


# Quotas


def test_jobs_are_counted_until_they_are_purged(fsm, clock):
    limit(fsm, max_jobs=2)
    first = fsm.enqueue(MAIL)
    fsm.enqueue(SMS)
    error = refusal(fsm, Enqueue(fsm.new_job(MAIL)))
    assert isinstance(error, QuotaExceeded)
    assert error.facts == {"quota": "max_jobs", "limit": 2, "used": 2}
    fsm.act(Action.CANCEL, first, reach=Reach("acme"))
    assert isinstance(refusal(fsm, Enqueue(fsm.new_job(MAIL))), QuotaExceeded)
    clock.advance(s=1)
    fsm.purge()
    fsm.enqueue(MAIL)


def test_a_quota_holds_for_its_own_namespace_alone(fsm):
    limit(fsm, max_jobs=0, max_queues=0)
    fsm.enqueue("mail")
    fsm.enqueue(qualified("bolt", "mail"))
    assert isinstance(refusal(fsm, Enqueue(fsm.new_job(MAIL))), QueueQuotaExceeded)


def test_many_jobs_come_in_all_or_none(fsm):
    limit(fsm, max_jobs=3)
    jobs = [fsm.new_job(MAIL) for _ in range(4)]
    batch = NewBatch("batch_1", None, None, "acme")
    assert isinstance(refusal(fsm, EnqueueMany(jobs, batch)), QuotaExceeded)
    assert held(fsm) is None
    fsm.one(EnqueueMany(jobs[:3], batch))
    assert held(fsm) == (1, 3, 6)


def test_bytes_of_payload_are_counted_wherever_they_are_kept(fsm):
    limit(fsm, max_payload_bytes=2_000)
    small, large = b'"' + b"x" * 98 + b'"', b'"' + b"y" * 1_498 + b'"'
    first = fsm.enqueue(MAIL, small)
    second = fsm.enqueue(SMS, large)
    assert held(fsm) == (2, 2, 1_600)
    error = refusal(fsm, Enqueue(fsm.new_job(MAIL, b'"' + b"z" * 399 + b'"')))
    assert error.facts == {"quota": "max_payload_bytes", "limit": 2_000, "used": 1_600}
    fsm.enqueue(MAIL, b'"' + b"z" * 398 + b'"')
    fsm.act(Action.MOVE, second, queue=MAIL, reach=Reach("acme"))
    assert held(fsm) == (2, 3, 2_000)
    fsm.act(Action.DELETE, first, reach=Reach("acme"))
    assert held(fsm) == (2, 2, 1_900)
    fsm.restart()
    assert held(fsm) == (2, 2, 1_900)
    assert list(check(fsm.kv)) == []


def test_queues_are_counted_however_they_come_to_be(fsm):
    limit(fsm, max_queues=1)
    job_id = fsm.enqueue(MAIL)
    for op in (Enqueue(fsm.new_job(SMS)), PauseQueue(SMS, paused=True)):
        error = refusal(fsm, op)
        assert isinstance(error, QueueQuotaExceeded)
        assert error.facts == {"quota": "max_queues", "limit": 1, "used": 1}
    with pytest.raises(QueueQuotaExceeded):
        fsm.act(Action.MOVE, job_id, queue=SMS, reach=Reach("acme"))
    fsm.one(PauseQueue(MAIL, paused=True))


def test_what_the_server_makes_of_jobs_is_counted_and_never_refused(fsm):
    chain = Chain((Step(MAIL), Step(SMS)))
    fsm.enqueue(MAIL, chain=chain, chain_id="chn_1")
    schedule = SetSchedule("sched_1", None, plan(name=qualified("acme", "x"), queue=SMS), MINUTE)
    fsm.one(schedule)
    limit(fsm, max_jobs=1, max_queues=1)
    (whole,) = fsm.fetch(MAIL, worker=qualified("acme", "w1"))
    fsm.ack(whole.job.id, reach=Reach("acme"))
    assert held(fsm)[:2] == (2, 2)
    assert fsm.one(FireSchedule("sched_1", 1, MINUTE, (MINUTE,), None, 2 * MINUTE)).fired == 1
    assert held(fsm)[:2] == (2, 3)
    with pytest.raises(QuotaExceeded):
        fsm.one(RunSchedule("sched_1", Reach("acme")))


def test_a_refused_job_leaves_no_queue_and_no_count_behind(fsm):
    limit(fsm, max_jobs=1)
    fsm.enqueue(MAIL)
    before = fsm.dump()
    refusal(fsm, Enqueue(fsm.new_job(SMS)))
    assert {key: value for key, value in fsm.dump().items() if key != b"m|"} == {
        key: value for key, value in before.items() if key != b"m|"
    }
    assert held(fsm) == (1, 1, 2)


# Deleting


def fill(fsm, name="acme", jobs=3):
    reach = Reach(name)
    for number in range(jobs):
        fsm.enqueue(qualified(name, f"q{number % 3}"), unique_key=f"k{number}")
    fsm.fetch(qualified(name, "q0"), worker=qualified(name, "w1"))
    fsm.one(OpenBatch("batch_" + name, qualified(name, "q1"), None, name))
    fsm.one(
        SetSchedule("sched_" + name, None, plan(name=qualified(name, "x"), queue=qualified(name, "q")), 5)
    )
    fsm.one(SetWebhook(qualified(name, "wh"), "https://x.test/", ("*",), None, True, 3, reach))


def remains(fsm, name):
    """Keys, other than of events, answers and ended tasks, that have to do with the namespace."""
    return [
        key
        for key, value in fsm.dump().items()
        if not key.startswith((b"ev|", b"o|", b"z|")) and (name.encode() + b"\x1f" in key + value)
    ]


def empty(fsm, task_id="bulk_1"):
    """Work the task off. Returns it, and how many steps it took."""
    for number in range(1_000):
        task = fsm.one(RunBulk(task_id, number)).task
        if task.finished_ns is not None:
            return task, number + 1
    raise AssertionError("it has no end")


def test_a_namespace_that_is_not_empty_is_deleted_by_force_only(fsm):
    fill(fsm)
    with pytest.raises(Conflict) as caught:
        fsm.one(DeleteNamespace("acme"))
    assert caught.value.facts == {"queues": 3, "jobs": 3, "schedules": 1, "webhooks": 1, "batches": 1}


def test_an_empty_one_is_forgotten_at_once(fsm):
    limit(fsm, max_jobs=1)
    fsm.one(DeleteNamespace("acme"))
    assert fsm.machine.state.namespaces == {}
    assert fsm.machine.state.guarded == {}
    with pytest.raises(NotFound):
        fsm.one(DeleteNamespace("acme"))


@pytest.mark.parametrize("restarting", [False, True])
def test_force_takes_all_of_it_step_by_step_and_nothing_else(fsm, restarting):
    for name in ("acme", "acm", "acmeb"):
        fill(fsm, name, jobs=2 * STEP_JOBS_MAX + 7 if name == "acme" else 3)
    fsm.enqueue("acme")
    others = {name: held(fsm, name) for name in ("acm", "acmeb", DEFAULT)}
    task = fsm.one(DeleteNamespace("acme", "bulk_1", ANYWHERE)).task
    assert (task.namespace, task.total, task.status.label) == ("acme", 2 * STEP_JOBS_MAX + 7, "running")
    fsm.one(RunBulk("bulk_1", 0))
    if restarting:
        fsm.restart()
        assert "bulk_1" in fsm.machine.state.bulk_unfinished
    number = 1
    while (task := fsm.one(RunBulk("bulk_1", number)).task).finished_ns is None:
        number += 1
        assert list(check(fsm.kv)) == []
    assert number >= 2, "one step must not take it all"
    assert (task.status.label, task.processed, task.affected) == ("completed", task.total, task.total)
    assert remains(fsm, "acme") == []
    assert held(fsm) is None
    assert {name: held(fsm, name) for name in others} == others
    assert list(check(fsm.kv)) == []


def test_nothing_comes_into_a_namespace_that_is_being_deleted(fsm):
    fill(fsm)
    fsm.one(DeleteNamespace("acme", "bulk_1", ANYWHERE))
    reach = Reach("acme")
    for op in (
        Enqueue(fsm.new_job(qualified("acme", "q0"))),
        EnqueueMany([fsm.new_job(qualified("acme", "new"))]),
        PauseQueue(qualified("acme", "new"), paused=True),
        OpenBatch("batch_2", None, None, "acme"),
        SetSchedule("sched_2", None, plan(name=qualified("acme", "y"), queue=MAIL), 5),
        SetWebhook(qualified("acme", "wh2"), "https://x.test/", ("*",), None, True, 3, reach),
        DeleteNamespace("acme", "bulk_2", ANYWHERE),
    ):
        assert isinstance(refusal(fsm, op), Conflict), op
    fsm.enqueue("mail")
    empty(fsm)
    fsm.enqueue(MAIL)


def test_a_deletion_that_is_called_off_leaves_what_is_left(fsm):
    fill(fsm, jobs=STEP_JOBS_MAX + 10)
    fsm.one(DeleteNamespace("acme", "bulk_1", ANYWHERE))
    fsm.one(RunBulk("bulk_1", 0))
    with pytest.raises(NotFound):
        fsm.one(CancelBulk("bulk_1", None, Reach("acme")))
    fsm.one(CancelBulk("bulk_1", None, ANYWHERE))
    assert 0 < held(fsm)[1] < STEP_JOBS_MAX
    fsm.enqueue(MAIL)
    assert list(check(fsm.kv)) == []


def test_callbacks_that_come_while_it_is_emptied_go_with_it(fsm):
    batch = NewBatch("batch_1", qualified("acme", "zz"), None, "acme")
    fsm.one(EnqueueMany([fsm.new_job(MAIL)], batch))
    fsm.one(DeleteNamespace("acme", "bulk_1", ANYWHERE))
    task, steps = empty(fsm)
    assert (steps, task.processed, task.total) == (2, 2, 2)
    assert remains(fsm, "acme") == []


def test_the_same_name_can_be_used_anew_and_knows_nothing_of_before(fsm):
    fill(fsm)
    limit(fsm, max_jobs=1_000)
    fsm.one(DeleteNamespace("acme", "bulk_1", ANYWHERE))
    empty(fsm)
    assert fsm.enqueue(qualified("acme", "q0"), unique_key="k0")
    assert held(fsm) == (1, 1, 2)
    assert fsm.machine.state.namespaces == {}
