"""Actors that are made anew in the middle of things: nobody waits for ever, nobody gets another's answer."""

from datetime import timedelta

import pytest

from corvo.actors.cluster.cluster_stats import ClusterStats
from corvo.actors.cluster.messages import GetClusterStats, NodeMessageCame
from corvo.actors.cluster.node_messages import RelayAnswer
from corvo.actors.fetch.job_wait import JobWait
from corvo.actors.fetch.messages import AwaitEnd
from corvo.actors.kernel.api import Actor
from corvo.actors.kernel.sim import SimSystem
from corvo.actors.mirror.stats import MirrorStats
from corvo.actors.state.messages import RoleChanged
from corvo.actors.status import FsmStatus, GetStatus
from corvo.actors.write.batcher import Batcher
from corvo.actors.write.messages import Answer
from corvo.consensus.api import Role
from corvo.core.errors import OutcomeUnknown, Overloaded
from corvo.observe.histogram import Histogram
from corvo.ops.enqueue import Enqueue
from corvo.ops.finish import Ack
from corvo.ops.results import Upkept
from tests.actors.cluster.test_leader_forwarder import Desk, Link
from tests.support.write_path import InstantConsensus


def enqueue(path, queue="q"):
    (outcome,) = path.do(Enqueue(path.new_job(queue)))
    path.settle()
    return outcome.job_id


# The batcher


def test_who_was_in_a_batch_that_never_left_hears_of_it(path):
    path.consensus.hold = True
    # Two entries under way; the third gathers.
    under_way = [path.submit(Enqueue(path.new_job())) for _ in range(2)]
    path.settle()
    path.submit(Enqueue(path.new_job()))
    path.settle()
    gathered = path.submit(Enqueue(path.new_job()))
    path.settle()
    path.crash(path.batcher)
    path.settle()
    with pytest.raises(OutcomeUnknown):
        gathered.answer()
    path.consensus.let_go()
    path.advance(1)
    assert all(pending.outcomes() for pending in under_way)


def test_a_claim_that_is_lost_with_the_batcher_does_not_block_its_queue(path):
    job_id = enqueue(path)
    path.consensus.hold = True
    for _ in range(3):
        path.submit(Enqueue(path.new_job("other")))
        path.settle()
    wait = path.wait(wait_s=30)
    path.settle()
    assert path.system.ask(path.desk, GetStatus()).result().claiming == 1
    path.crash(path.batcher)
    path.consensus.let_go()
    path.advance(2)
    assert [whole.job.id for whole in wait.result().jobs] == [job_id]


def test_upkeep_goes_on_after_a_round_was_lost_with_the_batcher(path):
    job_id = enqueue(path)
    path.wait(lease_ms=5_000).result()
    path.settle()
    path.consensus.hold = True
    for _ in range(3):
        path.submit(Enqueue(path.new_job("other")))
        path.settle()
    path.advance(6)  # The lease is over; the round that takes it back gathers in the batcher.
    path.crash(path.batcher)
    path.consensus.let_go()
    path.advance(10)
    assert [whole.job.id for whole in path.wait().result().jobs] == [job_id]


# Those who crash over what they are given


def test_a_batch_that_fells_the_proposer_is_answered_and_the_next_goes_on(path, monkeypatch):
    def stumble(command, ticket):
        monkeypatch.undo()
        raise RuntimeError("a bug")

    monkeypatch.setattr(path.consensus, "propose", stumble)
    pending = path.submit(Enqueue(path.new_job()))
    path.settle()
    path.crashes += 1
    with pytest.raises(OutcomeUnknown):
        pending.answer()
    assert enqueue(path)
    assert path.system.ask(path.batcher, GetStatus()).result().pending == 0


def test_a_claim_that_fells_the_batcher_does_not_block_its_queue(path, monkeypatch):
    def stumble(batcher):
        monkeypatch.undo()
        raise RuntimeError("a bug")

    job_id = enqueue(path)
    monkeypatch.setattr(Batcher, "_consider_leaving", stumble)
    wait = path.wait()
    path.settle()
    path.crashes += 1
    path.advance(2)
    assert [whole.job.id for whole in wait.result().jobs] == [job_id]
    # The desk was told twice and counted once: it claims no more than there is.
    entries = path.entries
    path.wait(worker="w2")
    path.advance(1)
    assert path.entries == entries


def test_upkeep_that_fells_the_batcher_is_tried_again(path, monkeypatch):
    def stumble(batcher):
        monkeypatch.undo()
        raise RuntimeError("a bug")

    job_id = enqueue(path)
    path.wait(lease_ms=5_000).result()
    path.settle()
    monkeypatch.setattr(Batcher, "_consider_leaving", stumble)
    path.advance(6)
    path.crashes += 1
    path.advance(5)
    assert [whole.job.id for whole in path.wait().result().jobs] == [job_id]


# The desk


def test_who_waits_at_a_desk_that_crashes_is_sent_home(path):
    waits = [path.wait(worker=f"w{n}") for n in range(3)]
    path.settle()
    path.crash(path.desk)
    path.settle()
    assert [wait.result().jobs for wait in waits] == [[], [], []]


def test_jobs_claimed_for_those_who_were_sent_home_go_to_the_next(path):
    job_id = enqueue(path)
    path.consensus.hold = True
    path.wait(worker="w1")
    path.settle()
    path.crash(path.desk)
    path.advance(1)
    path.consensus.let_go()
    path.advance(1)
    (whole,) = path.wait(worker="w2").result().jobs
    assert whole.job.id == job_id
    assert whole.job.lease.worker_id == "w2"


def test_a_claim_that_fails_after_the_desk_crashed_harms_nobody(path):
    enqueue(path)
    path.consensus.hold = True
    path.wait(worker="w1", wait_s=0.2)
    path.advance(0.5)  # It has waited long enough, and would go home with what the claim comes to.
    path.crash(path.desk)
    path.advance(1)
    path.consensus.lose_held()
    path.consensus.hold = False
    path.advance(1)
    assert len(path.wait(worker="w2").result().jobs) == 1


# The waiting room


@pytest.fixture
def room(path):
    room = path.system.createActor(JobWait, path.fsm)
    path.settle()
    return room


def test_who_waits_in_a_room_that_crashes_is_told_to_come_again(path, room):
    job_id = enqueue(path)
    waiting = path.system.ask(room, AwaitEnd(job_id, 30_000))
    path.settle()
    path.crash(room)
    path.settle()
    with pytest.raises(Overloaded):
        waiting.result()


def test_an_answer_from_before_the_crash_is_not_taken_for_anothers(path, room):
    ended, open_ = enqueue(path, "a"), enqueue(path, "b")
    path.wait("a").result()
    path.do(Ack(ended, None, b"1"))
    path.settle()
    # Its question is with the state machine when the room crashes; the answer finds the next instance.
    path.system.tell(room, AwaitEnd(ended, 30_000))
    path.system.run(lambda: path.system.stats().actors["job_wait"].waiting == 0)
    path.crash(room)
    waiting = path.system.ask(room, AwaitEnd(open_, 30_000))
    path.advance(5)
    assert not waiting.done()
    path.wait("b").result()
    path.do(Ack(open_, None, b"2"))
    path.settle()
    assert waiting.result().job.id == open_


# The forwarder


def test_writes_on_their_way_when_the_forwarder_crashes_have_an_unknown_outcome():
    desk = Desk(0)
    desk.led_by("n2")
    desk.relay(tag="mine")
    desk.system.crash(desk.forwarder)
    desk.system.run_until_idle()
    assert desk.codes() == [OutcomeUnknown.code]


def test_an_answer_to_a_write_from_before_the_crash_answers_nothing_else():
    desk = Desk(0)
    desk.led_by("n2")
    desk.relay(tag="before")
    ((_, message),) = desk.link.take()
    desk.system.crash(desk.forwarder)
    desk.advance(1)
    desk.led_by("n2")
    desk.relay(tag="after")
    desk.tell(NodeMessageCame("n2", RelayAnswer(message.number, 9, [Upkept(1, more=False)])))
    assert [message.tag for message in desk.asker_told if isinstance(message, Answer)] == []


# The cluster_stats


HELD = {"held": 7, "queued": 0, "queue_max": 1, "behind": False, "building": False, "behind_ns": 0}


class Figures(Actor):
    """Answers when it is told to, and not before."""

    def __init__(self, askers, status):
        self._askers = askers
        self._status = status

    def receiveMsg_GetStatus(self, msg, sender):
        self._askers.append(sender)

    def receiveMsg_str(self, msg, sender):
        askers, self._askers[:] = self._askers[:], []
        for asker in askers:
            self.send(asker, self._status)

    def receiveMsg_Subscribe(self, msg, sender):
        self.send(sender, RoleChanged(Role.LEADER, 1, "n1"))


def test_figures_from_before_the_crash_do_not_fell_the_next_cluster_stats():
    system = SimSystem(0)
    fsm = system.createActor(Figures, [], FsmStatus(7, 1, 7, 0, 1, 1, 0, False, Histogram()))
    mirror = system.createActor(Figures, [], MirrorStats(system.clock).status(**HELD))
    cluster_stats = system.createActor(
        ClusterStats, "n1", InstantConsensus(), Link(), fsm, mirror, system.clock
    )
    survey = system.ask(cluster_stats, GetClusterStats())
    system.run_until_idle()
    system.crash(cluster_stats)
    system.run_until_idle()
    assert survey.done(), "whoever asked is told what was found so far"
    system.advance(timedelta(seconds=1))
    for actor in (fsm, mirror):
        system.tell(actor, "answer")
    system.run_until_idle()
    assert system.stats().crashes == 1
    again = system.ask(cluster_stats, GetClusterStats())
    system.run_until_idle()
    for actor in (fsm, mirror):
        system.tell(actor, "answer")
    assert "n1" in again.result().figures
