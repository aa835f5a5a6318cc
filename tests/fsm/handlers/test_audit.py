import pytest

from corvo.core.access.audit import AuditPlace, decode_audit
from corvo.core.errors import CancelRefused
from corvo.core.events import EventType
from corvo.ops.audit import ExtendAudit, TrimAudit, WriteAudit
from corvo.ops.bulk import AddBulkIds, CreateBulk, RunBulk, StartBulk
from corvo.ops.idempotency import Once
from corvo.ops.job_admin import Act, Action, ActMany
from corvo.ops.queue_admin import PauseQueue
from corvo.storage import audit_keys, keys


def record(count=0, namespace="default", status=200, **fields):
    return WriteAudit(
        namespace=namespace,
        principal="key:ann",
        role="operator",
        client="10.0.0.7",
        method="POST",
        path="/api/v1/queues/q/pause",
        query="",
        request_id="req_1",
        summary="Pause a queue",
        facts={"paused": True},
        count=count,
        status=status,
        **fields,
    )


def stored(fsm, number=1, namespace="default"):
    found = fsm.kv.get(audit_keys.record(namespace, number))
    return None if found is None else decode_audit(found)


def held(fsm, namespace="default"):
    prefix = audit_keys.prefix(namespace)
    return [audit_keys.parse_record(key)[1] for key, _ in fsm.kv.scan(prefix, keys.after(prefix))]


def test_a_record_tells_what_the_op_before_it_came_to(fsm):
    jobs = [fsm.enqueue() for _ in range(3)]
    *_, recorded = fsm.apply(ActMany(Action.CANCEL, [*jobs, "job_gone"]), record(1))
    assert recorded.place == AuditPlace("default", 1)
    assert (stored(fsm).affected, stored(fsm).status, stored(fsm).code) == (3, 200, "")


def test_a_record_tells_of_a_refusal(fsm):
    job_id = fsm.enqueue()
    fsm.act(Action.CANCEL, job_id)
    refused, recorded = fsm.apply(Act(Action.CANCEL, job_id), record(1))
    assert isinstance(refused, CancelRefused)
    assert recorded.place is not None
    assert (stored(fsm).affected, stored(fsm).status, stored(fsm).code) == (0, 400, "CANCEL_ERROR")


def test_a_record_is_about_its_own_ops_only(fsm):
    jobs = [fsm.enqueue() for _ in range(3)]
    fsm.apply(ActMany(Action.CANCEL, jobs[:2]), record(1), Act(Action.CANCEL, jobs[2]), record(1))
    assert [stored(fsm, number).affected for number in (1, 2)] == [2, 1]
    assert stored(fsm, 1).at_ns < stored(fsm, 2).at_ns


def test_what_is_answered_from_memory_is_not_recorded_again(fsm):
    for _ in range(3):
        fsm.apply(Once("k", b"digest", 1), PauseQueue("q", paused=True), record(2))
    assert held(fsm) == [1]


def test_a_request_of_several_entries_adds_to_its_record(fsm):
    jobs = [fsm.enqueue() for _ in range(3)]
    fsm.apply(ActMany(Action.CANCEL, jobs[:1]), record(1))
    fsm.apply(ActMany(Action.CANCEL, jobs[1:]), ExtendAudit(AuditPlace("default", 1), 1, 200))
    assert stored(fsm).affected == 3
    assert held(fsm) == [1]
    assert [change.affected for applied in fsm.applied for change in applied.audit] == [1, 3]


def test_more_about_a_record_that_was_trimmed_is_left_out(fsm):
    fsm.apply(record())
    fsm.clock.advance(s=10)
    fsm.apply(TrimAudit(1_000, fsm.clock.now_ns(), 10))
    fsm.apply(ExtendAudit(AuditPlace("default", 1), 0, 200))
    assert held(fsm) == []


def test_a_bulk_task_adds_what_it_did_when_it_ends(fsm):
    jobs = [fsm.enqueue() for _ in range(3)]
    create = CreateBulk("bulk_1", Action.CANCEL, None, None, None, None, by="key:ann")
    fsm.apply(create, AddBulkIds("bulk_1", 0, jobs), StartBulk("bulk_1", 1), record(3, status=202))
    assert stored(fsm).affected == 0
    fsm.restart()
    fsm.one(RunBulk("bulk_1", 0))
    assert (stored(fsm).affected, stored(fsm).status) == (3, 202)
    assert [data["by"] for data in fsm.event_data(EventType.CANCELLED)] == ["key:ann"] * 3


def test_numbers_of_a_namespace_say_nothing_of_others(fsm):
    fsm.apply(record(namespace="acme"), record(namespace="umbrella"), record(namespace="acme"))
    assert (held(fsm, "acme"), held(fsm, "umbrella")) == ([1, 2], [1])


# Trimming


def test_the_newest_records_of_each_namespace_are_kept(fsm):
    for _ in range(5):
        fsm.apply(record(namespace="acme"))
    fsm.apply(record(namespace="umbrella"))
    trimmed = fsm.one(TrimAudit(2, 0, 100))
    assert (trimmed.count, trimmed.more) == (3, False)
    assert (held(fsm, "acme"), held(fsm, "umbrella")) == ([4, 5], [1])


def test_old_records_go_a_few_at_a_time(fsm):
    for _ in range(5):
        fsm.apply(record())
    fsm.clock.advance(s=60)
    fsm.apply(record())
    before_ns = fsm.clock.now_ns() - 1_000_000_000
    assert [fsm.one(TrimAudit(1_000, before_ns, 2)).more for _ in range(3)] == [True, True, False]
    assert held(fsm) == [6]


def test_no_number_comes_twice(fsm):
    fsm.apply(record())
    fsm.clock.advance(s=60)
    fsm.apply(TrimAudit(1_000, fsm.clock.now_ns(), 10))
    fsm.restart()
    fsm.apply(record())
    assert held(fsm) == [2]


# Histories


@pytest.mark.parametrize(
    ("action", "event", "fields"),
    [
        (Action.CANCEL, EventType.CANCELLED, {}),
        (Action.HOLD, EventType.HELD, {"reason": "look"}),
        (Action.MOVE, EventType.MOVED, {"queue": "r"}),
        (Action.CHANGE_PRIORITY, EventType.PRIORITY_CHANGED, {"priority": 0}),
        (Action.DELETE, EventType.DELETED, {}),
    ],
)
def test_the_history_names_who_did_it(fsm, action, event, fields):
    fsm.act(action, fsm.enqueue(), by="key:ann", **fields)
    assert [data["by"] for data in fsm.event_data(event)] == ["key:ann"]


def test_the_history_names_who_decided_over_a_held_job(fsm):
    rejected, approved = fsm.enqueue(), fsm.enqueue()
    for job_id in (rejected, approved):
        fsm.act(Action.HOLD, job_id)
    fsm.act(Action.REJECT, rejected, by="key:ann", reason="no")
    fsm.act(Action.APPROVE, approved, by="key:bob")
    fsm.act(Action.RETRY, rejected, by="key:ann")
    assert fsm.event_data(EventType.REJECTED) == [{"reason": "rejected: no", "by": "key:ann"}]
    assert fsm.event_data(EventType.APPROVED) == [{"by": "key:bob"}]
    assert fsm.event_data(EventType.RETRIED) == [{"by": "key:ann"}]


def test_where_nobody_is_known_nobody_is_named(fsm):
    fsm.act(Action.CANCEL, fsm.enqueue())
    assert fsm.event_data(EventType.CANCELLED) == [None]
