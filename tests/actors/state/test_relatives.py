"""What the graph shows of things that are no longer there."""

from corvo.actors.state.reader import StateReader
from corvo.ops.enqueue import EnqueueMany, NewBatch
from corvo.ops.flow import PurgeBatches


def drawn(fsm, job_id):
    graph = StateReader(fsm.machine.state).relatives(job_id, None)
    return {node.id: node for node in graph.nodes}, {(e.source, e.target, e.kind) for e in graph.edges}


def test_a_batch_that_was_forgotten_still_holds_its_jobs_together(fsm, clock):
    jobs = [fsm.new_job("work") for _ in range(2)]
    one, two = (item.job_id for item in fsm.one(EnqueueMany(jobs, NewBatch("batch_1", None, None))).items)
    for job_id in (one, two):
        fsm.end(job_id, "ack")
    clock.advance(s=1)
    fsm.one(PurgeBatches(clock.now_ns() + 1, 100))
    nodes, edges = drawn(fsm, one)
    assert nodes["batch_1"].batch is None
    assert edges == {(one, "batch_1", "batch"), (two, "batch_1", "batch")}


def test_purged_jobs_leave_no_relations_behind(fsm, clock):
    first = fsm.enqueue("work")
    fsm.end(fsm.enqueue("other", parent_id=first), "ack")
    clock.advance(s=1)
    fsm.purge()
    nodes, edges = drawn(fsm, first)
    assert (set(nodes), edges) == ({first}, set())
    assert not [key for key in fsm.dump() if key.startswith(b"rel|")]


def test_a_job_that_is_not_there_has_no_graph(fsm):
    assert StateReader(fsm.machine.state).relatives("job_none", None) is None
