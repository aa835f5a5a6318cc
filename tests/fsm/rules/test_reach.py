"""Reach: a job of another namespace, or beyond the scope, is answered like one that never was."""

import pytest

from corvo.core.errors import CorvoError, MoveRefused, NotFound, ValidationFailed, WebhookRefused
from corvo.core.job import Chain, DependencyFailure, Step
from corvo.core.namespace import ANYWHERE, DEFAULT, Reach, qualified
from corvo.fsm.rules import workers
from corvo.ops.cron import DeleteSchedule, RunSchedule, SetSchedule
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewBatch
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.finish import Ack, Fail
from corvo.ops.flow import OpenBatch, SealBatch
from corvo.ops.job_admin import ON_JOBS, Act, Action, ActMany
from corvo.ops.lease import Beat, Heartbeat, Release
from corvo.ops.webhooks import SetWebhook
from tests.support.schedules import plan

MAIL = qualified("acme", "mail")
WORKER = qualified("acme", "w1")
#: They do not reach a job of acme's queue mail.
STRANGERS = [None, Reach("bolt"), Reach("acme", ("sms", "m")), Reach(DEFAULT)]
OWNERS = [Reach("acme"), Reach("acme", ("m*",)), ANYWHERE, Reach("*", ("mail",))]

BY_ID = {
    "ack": lambda job_id, reach: Ack(job_id, None, reach=reach),
    "fail": lambda job_id, reach: Fail(job_id, None, "boom", None, True, None, 0.0, reach),
    "release": lambda job_id, reach: Release(job_id, None, None, 0, reach),
    "heartbeat": lambda job_id, reach: Heartbeat([Beat(job_id, None, b"1")], reach),
    "act": lambda job_id, reach: Act(Action.HOLD, job_id, reach=reach),
    "act many": lambda job_id, reach: ActMany(Action.HOLD, [job_id], reach=reach),
}


def said(outcome, job_id):
    """An outcome without the id that was asked about."""
    if isinstance(outcome, CorvoError):
        return type(outcome), outcome.message.replace(job_id, "?"), outcome.facts
    return repr(outcome).replace(job_id, "?")


@pytest.mark.parametrize("reach", STRANGERS)
@pytest.mark.parametrize("how", BY_ID)
def test_a_job_out_of_reach_is_like_one_that_never_was(fsm, how, reach):
    job_id = fsm.enqueue(MAIL)
    fsm.lease(job_id, MAIL, worker=WORKER)
    before = {key: value for key, value in fsm.dump().items() if key != b"m|"}
    (foreign,), (missing,) = fsm.apply(BY_ID[how](job_id, reach)), fsm.apply(BY_ID[how]("job_0", reach))
    assert said(foreign, job_id) == said(missing, "job_0")
    assert {key: value for key, value in fsm.dump().items() if key != b"m|"} == before


@pytest.mark.parametrize("reach", OWNERS)
@pytest.mark.parametrize("how", BY_ID)
def test_a_job_in_reach_is_acted_on(fsm, how, reach):
    job_id = fsm.enqueue(MAIL)
    fsm.lease(job_id, MAIL, worker=WORKER)
    before = fsm.job(job_id)
    fsm.one(BY_ID[how](job_id, reach))
    assert fsm.job(job_id) != before


@pytest.mark.parametrize("action", ON_JOBS)
def test_no_action_reaches_another_namespace(fsm, action):
    job_id = fsm.enqueue(MAIL)
    with pytest.raises(NotFound):
        fsm.act(action, job_id, queue="mail", reach=Reach("bolt"))


def test_a_job_never_leaves_its_namespace(fsm):
    job_id = fsm.enqueue(MAIL)
    for queue in ("mail", qualified("bolt", "mail")):
        with pytest.raises(MoveRefused):
            fsm.act(Action.MOVE, job_id, queue=queue, reach=ANYWHERE)
    assert list(fsm.machine.state.queues) == [MAIL]


def test_a_name_is_another_thing_in_each_namespace(fsm):
    ids = [fsm.enqueue(queue, unique_key="k") for queue in ("mail", MAIL, qualified("bolt", "mail"))]
    assert len(set(ids)) == 3
    assert [whole.job.id for whole in fsm.fetch(MAIL, count=9, worker=WORKER)] == ids[1:2]
    for number, name in enumerate(("x", qualified("acme", "x"))):
        queue = qualified("acme", "q") if number else "q"
        fsm.one(SetSchedule(f"sched_{number}", None, plan(name=name, queue=queue), 5))


# What hangs together


def test_a_job_cannot_join_a_batch_of_another_namespace(fsm):
    fsm.one(OpenBatch("batch_1", None, None, "acme"))
    for queue in ("mail", qualified("bolt", "mail")):
        with pytest.raises(ValidationFailed, match="batch batch_1 does not exist"):
            fsm.enqueue(queue, batch_id="batch_1")
    fsm.enqueue(MAIL, batch_id="batch_1")
    for namespace in (DEFAULT, "bolt"):
        with pytest.raises(NotFound):
            fsm.one(SealBatch("batch_1", namespace))
    assert fsm.one(SealBatch("batch_1", "acme")).batch.sealed


def test_a_batch_calls_back_in_its_own_namespace(fsm):
    with pytest.raises(ValidationFailed):
        fsm.one(OpenBatch("batch_1", "done", None, "acme"))
    with pytest.raises(ValidationFailed):
        fsm.one(EnqueueMany([fsm.new_job(MAIL)], NewBatch("batch_1", "done", None, "acme")))
    done = qualified("acme", "done")
    item = fsm.one(EnqueueMany([fsm.new_job(MAIL)], NewBatch("batch_1", done, None, "acme"))).items[0]
    fsm.lease(item.job_id, MAIL, worker=WORKER)
    fsm.ack(item.job_id, reach=Reach("acme"))
    assert fsm.machine.state.queues[done].doc.pending == 1


def test_a_dependency_of_another_namespace_does_not_exist(fsm):
    foreign = fsm.enqueue("mail")
    with pytest.raises(ValidationFailed, match=f"job {foreign} does not exist"):
        fsm.enqueue(MAIL, depends_on=(foreign,))
    waits = fsm.enqueue(
        MAIL, depends_on=(foreign,), allow_missing=True, on_dependency_failure=DependencyFailure.FAIL
    )
    assert fsm.job(waits).flow.unmet == 0
    fsm.act(Action.CANCEL, foreign)
    assert fsm.state(waits) == "pending"
    fsm.act(Action.CANCEL, waits, reach=Reach("acme"))
    fsm.act(Action.RETRY, waits, reach=Reach("acme"))
    assert fsm.job(waits).flow.unmet == 0


def test_a_chain_stays_in_its_namespace(fsm):
    for chain in (
        Chain((Step(MAIL), Step("mail"))),
        Chain((Step(MAIL),), on_exit=Step("mail")),
        Chain((Step(MAIL),), on_failure=Step(qualified("bolt", "mail"))),
    ):
        with pytest.raises(ValidationFailed):
            fsm.one(Enqueue(fsm.new_job(MAIL, chain=chain, chain_id="chn_1")))


def test_a_schedule_stays_in_its_namespace(fsm):
    own = qualified("acme", "x")
    with pytest.raises(ValidationFailed):
        fsm.one(SetSchedule("sched_1", None, plan(name=own, queue="mail"), 5))
    fsm.one(SetSchedule("sched_1", None, plan(name=own, queue=MAIL), 5))
    for reach in STRANGERS:
        for op in (DeleteSchedule("sched_1", reach), RunSchedule("sched_1", reach)):
            with pytest.raises(NotFound):
                fsm.one(op)
        with pytest.raises(NotFound):
            fsm.one(SetSchedule("sched_1", 1, plan(name=own, queue=MAIL), 5, 0, reach))
    with pytest.raises(NotFound):
        fsm.one(SetSchedule("sched_1", 1, plan(name="x", queue="mail"), 5, 0, ANYWHERE))
    fsm.one(DeleteSchedule("sched_1", Reach("acme")))


def test_a_webhook_hears_of_its_own_namespace_only(fsm):
    for reach in (None, Reach("bolt"), ANYWHERE):
        with pytest.raises(WebhookRefused):
            fsm.one(SetWebhook(qualified("acme", "wh"), "https://x.test/", ("*",), None, True, 3, reach))


# Words


def test_no_event_and_no_error_shows_a_qualified_name(fsm):
    job_id = fsm.enqueue(MAIL, chain=Chain((Step(MAIL),)), chain_id="chn_1")
    fsm.act(Action.MOVE, job_id, queue=qualified("acme", "sms"), reach=Reach("acme"))
    fsm.lease(job_id, qualified("acme", "sms"), worker=WORKER)
    fsm.one(SetSchedule("sched_1", None, plan(name=qualified("acme", "x"), queue=MAIL), 5))
    fsm.one(RunSchedule("sched_1", Reach("acme")))
    events = [event for applied in fsm.applied if applied.record for event in applied.record.events]
    assert {event.data["worker_id"] for event in events if event.type.label == "started"} == {"w1"}
    assert not [event for event in events if "\\x1f" in repr(event.data)]
    assert {event.queue.partition("\x1f")[0] for event in events} == {"acme"}


def test_a_crowd_in_one_namespace_does_not_push_out_the_workers_of_another(fsm, clock, monkeypatch):
    monkeypatch.setattr(workers, "WORKERS_MAX", 20)

    def work_as(namespace, name):
        clock.advance(s=1)
        queue = qualified(namespace, "q")
        fsm.enqueue(queue)
        fsm.one(Fetch([Claim((queue,), qualified(namespace, name), "host", 60_000, 1)]))

    for number in range(5):
        work_as("quiet", f"w{number}")
    for number in range(100):
        work_as("crowd", f"w{number}")
    known = sorted(fsm.machine.state.workers)
    assert [name for name in known if name.startswith("quiet")] == [
        qualified("quiet", f"w{number}") for number in range(5)
    ]
