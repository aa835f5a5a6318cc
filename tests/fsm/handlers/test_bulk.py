import pytest

from corvo.core.bulk import FAILURES_KEPT
from corvo.core.errors import BulkRefused, NotFound
from corvo.fsm.rules import bulk_tasks
from corvo.ops.bulk import AddBulkIds, CancelBulk, CreateBulk, PurgeBulk, RunBulk, StartBulk
from corvo.ops.job_admin import Action


def create(fsm, action, *chunks, **fields):
    defaults = {"queue": None, "priority": None, "reason": None, "rate": None}
    fsm.one(CreateBulk("bulk_1", action, **(defaults | fields)))
    for number, chunk in enumerate(chunks):
        fsm.one(AddBulkIds("bulk_1", number, chunk))
    return fsm.one(StartBulk("bulk_1", len(chunks))).task


def run(fsm, chunk):
    return fsm.one(RunBulk("bulk_1", chunk)).task


def test_a_task_is_worked_off_step_by_step_and_adds_up(fsm):
    jobs = [fsm.enqueue() for _ in range(5)]
    task = create(fsm, Action.MOVE, jobs[:2], [*jobs[2:], "job_none"], queue="b")
    assert (task.status.label, task.total, task.chunks) == ("running", 6, 2)

    task = run(fsm, 0)
    assert (task.status.label, task.processed, task.affected) == ("running", 2, 2)
    fsm.restart()
    task = run(fsm, 1)

    assert (task.status.label, task.processed, task.affected, task.skipped) == ("completed", 6, 5, 1)
    assert [(f.job_id, f.code) for f in task.failures] == [("job_none", "NOT_FOUND")]
    assert fsm.queue("b").pending == 5
    assert not [key for key in fsm.dump() if key.startswith(b"h|")]


def test_a_step_is_done_once_whoever_asks_for_it_again(fsm):
    jobs = [fsm.enqueue() for _ in range(4)]
    create(fsm, Action.CANCEL, jobs[:2], jobs[2:])
    run(fsm, 0)
    again = run(fsm, 0)
    assert again.processed == 2
    assert run(fsm, 1).processed == 4
    assert run(fsm, 1).processed == 4


def test_cancelling_half_way_keeps_what_was_done_and_leaves_the_rest_alone(fsm):
    jobs = [fsm.enqueue() for _ in range(4)]
    create(fsm, Action.DELETE, jobs[:2], jobs[2:])
    run(fsm, 0)
    task = fsm.one(CancelBulk("bulk_1")).task
    assert (task.status.label, task.processed) == ("cancelled", 2)
    assert run(fsm, 1).processed == 2
    assert fsm.queue().pending == 2
    with pytest.raises(BulkRefused, match="cancelled already"):
        fsm.one(CancelBulk("bulk_1"))


def test_a_task_without_jobs_is_done_at_once(fsm):
    assert create(fsm, Action.DELETE).status.label == "completed"


def test_no_more_jobs_join_a_task_that_runs(fsm):
    create(fsm, Action.DELETE, [fsm.enqueue()])
    with pytest.raises(BulkRefused):
        fsm.one(AddBulkIds("bulk_1", 1, ["job_x"]))
    assert fsm.one(StartBulk("bulk_1", 1)).task.status.label == "running"


def test_only_the_first_failures_are_listed(fsm):
    create(fsm, Action.RETRY, [f"job_{n}" for n in range(150)], [f"job_{n}" for n in range(150)])
    run(fsm, 0)
    task = run(fsm, 1)
    assert task.skipped == 300
    assert len(task.failures) == FAILURES_KEPT


def test_ended_tasks_are_forgotten_after_a_while(fsm, clock):
    create(fsm, Action.DELETE)
    clock.advance(s=100)
    assert fsm.one(PurgeBulk(clock.now_ns(), 10)).count == 1
    with pytest.raises(NotFound):
        fsm.one(CancelBulk("bulk_1"))


def test_ids_written_down_twice_count_once(fsm):
    jobs = [fsm.enqueue() for _ in range(4)]
    create_only = {"queue": None, "priority": None, "reason": None, "rate": None, "filter": b"{}"}
    fsm.one(CreateBulk("bulk_1", Action.CANCEL, **create_only))
    fsm.one(AddBulkIds("bulk_1", 0, jobs[:2], "c1"))
    again = fsm.one(AddBulkIds("bulk_1", 0, jobs[:3], "c2")).task
    assert (again.total, again.chunks, again.cursor) == (2, 1, "c1")
    assert fsm.one(StartBulk("bulk_1", 0)).task.status.label == "queued"
    fsm.one(AddBulkIds("bulk_1", 1, jobs[2:]))
    assert fsm.one(StartBulk("bulk_1", 2)).task.total == 4


def test_a_task_that_cannot_go_on_has_failed_with_a_reason(fsm):
    create(fsm, Action.CANCEL, [fsm.enqueue()])
    task = fsm.one(CancelBulk("bulk_1", "no such filter")).task
    assert (task.status.label, task.error) == ("failed", "no such filter")


def test_tasks_that_have_not_ended_are_limited_in_number(fsm, monkeypatch):
    monkeypatch.setattr(bulk_tasks, "BULK_TASKS_UNFINISHED_MAX", 3)
    plain = {"action": Action.CANCEL, "queue": None, "priority": None, "reason": None, "rate": None}
    for number in range(3):
        fsm.one(CreateBulk(f"bulk_{number}", **plain))
    for _ in range(2):
        with pytest.raises(BulkRefused, match="wait for some"):
            fsm.one(CreateBulk("bulk_more", **plain))
        fsm.restart()
    fsm.one(CancelBulk("bulk_0"))
    fsm.one(CreateBulk("bulk_more", **plain))
    assert fsm.one(StartBulk("bulk_1", 0)).task.status.label == "completed"
    fsm.one(CreateBulk("bulk_and_more", **plain))
    with pytest.raises(BulkRefused):
        fsm.one(CreateBulk("bulk_too_many", **plain))
