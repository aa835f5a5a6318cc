"""What the graph shows of things that are no longer there."""

import pytest

from corvo.actors.state.reader import StateReader
from corvo.core.job import Chain, Step
from corvo.core.namespace import ANYWHERE, Reach, qualified
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


@pytest.mark.parametrize("reach", [Reach("acme"), ANYWHERE])
def test_relatives_are_of_one_namespace(fsm, reach):
    """Whatever jobs of others call themselves its children, its siblings or its batch mates."""
    mail, chain = qualified("acme", "mail"), Chain((Step(qualified("acme", "mail")),))
    stranger = fsm.enqueue("mail")
    first = fsm.enqueue(mail, parent_id=stranger, chain=chain, chain_id="chn_1")
    child = fsm.enqueue(mail, parent_id=first)
    for queue in ("mail", qualified("bolt", "mail")):
        fsm.enqueue(queue, parent_id=first)
        other_chain = Chain((Step(queue),))
        fsm.enqueue(queue, chain=other_chain, chain_id="chn_1", depends_on=(first,), allow_missing=True)
    graph = StateReader(fsm.machine.state).relatives(first, reach)
    assert {node.id: node.job and node.job.id for node in graph.nodes} == {
        first: first,
        child: child,
        stranger: None,
    }
    assert {(e.source, e.target, e.kind) for e in graph.edges} == {
        (stranger, first, "parent"),
        (first, child, "parent"),
    }


def test_relatives_beyond_the_scope_are_not_named(fsm):
    mail, sms = qualified("acme", "mail"), qualified("acme", "sms")
    first = fsm.enqueue(mail)
    fsm.enqueue(sms, parent_id=first)
    graph = StateReader(fsm.machine.state).relatives(first, Reach("acme", ("mail",)))
    assert [node.id for node in graph.nodes] == [first]
    assert len(StateReader(fsm.machine.state).relatives(first, Reach("acme")).nodes) == 2
