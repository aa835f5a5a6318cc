"""Bulk tasks worked off by the actors, in virtual time, with the real mirror."""

import pytest

from corvo.actors.bulk.messages import FindBulk, ListBulk
from corvo.actors.bulk.runner import BulkRunner
from corvo.actors.kernel.api import Actor, ActorExitRequest
from corvo.actors.mirror.messages import IdsFound
from corvo.actors.mirror.reader import MirrorReader
from corvo.actors.mirror.writer import MirrorWriter
from corvo.actors.state.messages import RoleChanged
from corvo.actors.state.questions import ListNamespaces
from corvo.actors.state.reader import StateReader
from corvo.consensus.api import Role
from corvo.core.bulk import STEP_JOBS_MAX
from corvo.core.errors import NotFound, Overloaded
from corvo.core.namespace import ANYWHERE, Reach, qualified
from corvo.fsm.machine import Machine
from corvo.ops.bulk import AddBulkIds, CancelBulk, CreateBulk, StartBulk
from corvo.ops.enqueue import Enqueue, EnqueueMany
from corvo.ops.job_admin import Action
from corvo.ops.namespaces import DeleteNamespace


@pytest.fixture
def path(path, tmp_path):
    path.mirror = path.system.createActor(MirrorWriter, path.kv, path.fsm, tmp_path, path.clock)
    path.reader = path.system.createActor(MirrorReader, path.mirror, tmp_path)
    path.runner = path.system.createActor(BulkRunner, path.batcher, path.fsm, path.reader, path.clock)
    path.settle()
    return path


def enqueue(path, count):
    return [path.do(Enqueue(path.new_job()))[0].job_id for _ in range(count)]


def write_down(path, steps, rate=None, task_id="bulk_1"):
    ids = [AddBulkIds(task_id, number, step) for number, step in enumerate(steps)]
    path.do(CreateBulk(task_id, Action.CANCEL, None, None, None, rate), *ids, StartBulk(task_id, len(steps)))


def task(path, task_id="bulk_1"):
    return path.system.ask(path.fsm, FindBulk(task_id)).result().task


def pairs(ids):
    return [ids[start : start + 2] for start in range(0, len(ids), 2)]


def test_a_task_is_worked_off_without_anybody_asking(path):
    write_down(path, pairs(enqueue(path, 6)))
    path.settle()
    assert (task(path).status.label, task(path).affected) == ("completed", 6)


def test_a_pace_is_kept(path):
    write_down(path, pairs(enqueue(path, 20)), rate=2)
    path.advance(4.5)
    assert task(path).processed == 10
    path.advance(10)
    assert task(path).status.label == "completed"


def test_a_step_of_unknown_outcome_is_repeated_and_done_once(path):
    ids = enqueue(path, 4)
    path.consensus.hold = True
    pending = path.submit(
        CreateBulk("bulk_1", Action.CANCEL, None, None, None, None),
        AddBulkIds("bulk_1", 0, ids[:2]),
        AddBulkIds("bulk_1", 1, ids[2:]),
        StartBulk("bulk_1", 2),
    )
    path.advance(0.1)
    path.consensus.let_go()
    path.consensus.hold = True
    pending.answer()
    path.advance(0.1)
    path.consensus.lose_held()
    path.consensus.hold = False
    path.advance(2)
    assert (task(path).status.label, task(path).processed, task(path).affected) == ("completed", 4, 4)


def test_a_refused_step_is_tried_again(path):
    ids = enqueue(path, 2)
    write_down(path, [ids[:1], ids[1:]], rate=1)
    path.advance(0.5)
    path.consensus.refusal = Overloaded("too much", retry_after_ms=1)
    path.advance(5)
    assert task(path).processed == 1
    path.consensus.refusal = None
    path.advance(5)
    assert task(path).status.label == "completed"


def test_a_cancelled_task_does_no_more(path):
    write_down(path, pairs(enqueue(path, 20)), rate=2)
    path.advance(3)
    path.do(CancelBulk("bulk_1"))
    done = task(path).processed
    entries = path.entries
    path.advance(60)
    assert task(path).processed == done
    assert path.entries == entries


def test_only_the_leader_works_and_a_new_leader_goes_on(path):
    write_down(path, pairs(enqueue(path, 8)), rate=2)
    path.advance(1)
    done = task(path).processed
    path.feed.role_changed(Role.FOLLOWER, 2, "n2")
    path.advance(60)
    assert task(path).processed <= done + 2
    path.feed.role_changed(Role.LEADER, 3, "n1")
    path.advance(60)
    assert task(path).status.label == "completed"


def test_a_new_leader_takes_up_what_has_not_ended_and_does_not_look_at_the_rest(path):
    for number in range(5):
        path.do(CreateBulk(f"bulk_{number}", Action.CANCEL, None, None, None, None))
    path.do(CancelBulk("bulk_1"), StartBulk("bulk_3", 0))
    path.settle()
    for machine in (path.machine, Machine(path.kv)):
        found = StateReader(machine.state).unfinished_bulk_tasks()
        assert [task.id for task in found.tasks] == ["bulk_0", "bulk_2", "bulk_4"]


def test_a_runner_that_crashed_goes_on(path):
    write_down(path, pairs(enqueue(path, 8)), rate=2)
    path.advance(1)
    path.system.crash(path.runner)
    path.advance(60)
    assert (task(path).status.label, task(path).affected) == ("completed", 8)
    path.system.supervisor.crashes = 0  # This one was ordered.


def test_a_filter_that_cannot_be_read_fails_the_task_with_a_reason(path):
    path.do(CreateBulk("bulk_1", Action.CANCEL, None, None, None, None, b'{"state":"nonsense"}', 5))
    path.advance(1)
    assert task(path).status.label == "failed"
    assert "nonsense" in task(path).error


class LateView(Actor):
    """Knows of one job; of the second only when it is asked for the third time."""

    def __init__(self, asked, ids):
        self._asked = asked
        self._ids = ids

    def receiveMsg_FindIds(self, msg, sender):
        self._asked.append(msg.min_index)
        late = len(self._asked) < 3
        self.send(sender, IdsFound(self._ids[:1] if late else self._ids, None, stale=late))


def test_jobs_that_the_view_has_yet_to_see_are_not_missed(path):
    asked, ids = [], enqueue(path, 2)
    path.system.tell(path.runner, ActorExitRequest())
    reader = path.system.createActor(LateView, asked, ids)
    path.system.createActor(BulkRunner, path.batcher, path.fsm, reader, path.clock)
    index = path.machine.index
    path.do(CreateBulk("bulk_1", Action.CANCEL, None, None, None, None, b'{"queue":"q"}', 2))
    path.advance(5)
    assert (task(path).status.label, task(path).affected) == ("completed", 2)
    assert min(asked) > index


# Namespaces


class EverythingFits(Actor):
    """Finds these jobs, whatever is asked for."""

    def __init__(self, asked, ids):
        self._asked = asked
        self._ids = ids

    def receiveMsg_FindIds(self, msg, sender):
        self._asked.append(msg.query)
        self.send(sender, IdsFound(self._ids, None, stale=False))


def test_a_task_looks_for_jobs_in_its_reach_and_touches_no_others(path):
    acme, reach = qualified("acme", "mail"), Reach("acme")
    asked, jobs = [], [path.do(Enqueue(path.new_job(queue=name)))[0].job_id for name in ("mail", acme, acme)]
    path.system.tell(path.runner, ActorExitRequest())
    reader = path.system.createActor(EverythingFits, asked, jobs)
    path.system.createActor(BulkRunner, path.batcher, path.fsm, reader, path.clock)
    path.do(CreateBulk("bulk_1", Action.CANCEL, None, None, None, None, b'{"queue":"mail"}', 2, reach))
    path.advance(5)
    assert {(query.queue, query.reach) for query in asked} == {(acme, reach)}
    found = path.system.ask(path.fsm, FindBulk("bulk_1", reach)).result().task
    assert (found.status.label, found.affected) == ("completed", 2)
    assert [(failure.job_id, failure.code) for failure in found.failures] == [(jobs[0], "NOT_FOUND")]
    for stranger in (None, Reach("bolt"), Reach("acme", ("mail",))):
        with pytest.raises(NotFound):
            path.system.ask(path.fsm, FindBulk("bulk_1", stranger)).result()
        assert path.system.ask(path.fsm, ListBulk(None, 10, stranger)).result().tasks == []


def test_a_namespace_is_emptied_in_the_background_also_by_the_next_leader(path):
    names = [qualified("acme", f"q{n % 7}") for n in range(3 * STEP_JOBS_MAX)]
    for start in range(0, len(names), STEP_JOBS_MAX):
        path.do(EnqueueMany([path.new_job(queue=name) for name in names[start : start + STEP_JOBS_MAX]]))
    path.do(Enqueue(path.new_job(queue="acme")))
    path.system.tell(path.runner, RoleChanged(Role.FOLLOWER, 1, "n2"))
    path.settle()
    (begun,) = path.do(DeleteNamespace("acme", "bulk_1", ANYWHERE))
    path.advance(5)
    assert begun.task.total == 3 * STEP_JOBS_MAX
    assert path.system.ask(path.fsm, FindBulk("bulk_1", ANYWHERE)).result().task.processed == 0
    path.system.tell(path.runner, RoleChanged(Role.LEADER, 2, "n1"))
    path.advance(5)
    done = path.system.ask(path.fsm, FindBulk("bulk_1", ANYWHERE)).result().task
    assert (done.status.label, done.processed, done.next_chunk) == ("completed", 3 * STEP_JOBS_MAX, 4)
    listed = path.system.ask(path.fsm, ListNamespaces()).result().namespaces
    assert [(each.namespace.name, each.jobs) for each in listed] == [("default", 1)]
