"""The batcher of a node that does not lead, or no longer does."""

from datetime import timedelta
from random import Random

import pytest

from corvo.actors.cluster.messages import Bounced, CeaseProposing, ForwardToLeader, Resubmit
from corvo.actors.kernel.api import Actor
from corvo.actors.kernel.sim import SimSystem
from corvo.actors.state.messages import RoleChanged
from corvo.actors.write.batcher import Batcher, BatchSettings
from corvo.actors.write.messages import Declined, Lost, Propose, Submit
from corvo.consensus.api import Role
from corvo.ops.finish import Ack
from corvo.ops.queue_admin import PauseQueue

OP, SAFE_OP = PauseQueue("q", paused=True), Ack("job_1", 7)


class Recorder(Actor):
    def __init__(self, told):
        self._told = told

    def receiveUnrecognizedMessage(self, message, sender):
        self._told.append(message)


class Desk:
    def __init__(self, seed):
        self.system = SimSystem(seed)
        self.proposed, self.relayed, self.answers = [], [], []
        make = self.system.createActor
        self.asker = make(Recorder, self.answers)
        self.batcher = make(
            Batcher,
            make(Recorder, self.proposed),
            make(Recorder, []),
            BatchSettings(),
            self.system.clock,
            Random(seed),
            make(Recorder, self.relayed),
        )
        self.system.run_until_idle()

    def tell(self, *messages):
        for message in messages:
            self.system.tell(self.batcher, message)
        self.system.advance(timedelta(milliseconds=20))

    def submit(self, *ops, tag=None):
        self.tell(Resubmit(Submit(ops, 10, tag), self.asker))

    def lead(self, leads=True):
        self.tell(RoleChanged(Role.LEADER if leads else Role.FOLLOWER, 2, "me" if leads else "n2"))

    def batches(self):
        return [message.batch for message in self.proposed if isinstance(message, Propose)]


@pytest.fixture(params=range(3), ids="seed={}".format)
def desk(request):
    return Desk(request.param)


def test_without_the_lead_everything_goes_to_the_forwarder(desk):
    desk.submit(OP, tag="mine")
    assert desk.relayed == [ForwardToLeader(Submit((OP,), 10, "mine"), desk.asker)]
    assert desk.batches() == []


def test_with_the_lead_everything_goes_into_the_log(desk):
    desk.lead()
    desk.submit(OP)
    assert [batch.ops for batch in desk.batches()] == [[OP]]
    assert desk.relayed == []


def test_what_had_gathered_when_the_lead_was_lost_is_not_forgotten(desk):
    desk.lead()
    desk.submit(OP)
    desk.submit(OP)  # Two entries are under way; what follows gathers.
    for number in range(3):
        desk.submit(OP, tag=number)
    desk.lead(False)
    assert [relay.submit.tag for relay in desk.relayed] == [0, 1, 2]
    assert all(relay.asker == desk.asker for relay in desk.relayed)


def test_a_batch_that_was_refused_for_want_of_the_lead_is_sent_on_in_parts(desk):
    desk.lead()
    desk.submit(OP, SAFE_OP, tag="two")
    (batch,) = desk.batches()
    desk.tell(Bounced(batch))
    assert [relay.submit for relay in desk.relayed] == [Submit((OP, SAFE_OP), 10, "two")]
    # It no longer counts as under way, so others may leave.
    desk.submit(OP)
    assert len(desk.batches()) == 2


def test_of_a_batch_lost_with_the_lead_only_what_may_be_repeated_is(desk):
    desk.lead()
    desk.submit(OP, tag="once")
    desk.submit(SAFE_OP, tag="again")
    desk.lead(False)
    for batch in desk.batches():
        desk.tell(Lost(batch))
    assert [relay.submit for relay in desk.relayed] == [Submit((SAFE_OP,), 10, "again")]
    assert [(type(answer), answer.tag) for answer in desk.answers] == [(Declined, "once")]
    assert desk.answers[0].error.code == "OUTCOME_UNKNOWN"


def test_a_node_about_to_hand_over_proposes_nothing_more_until_it_is_told_to(desk):
    desk.lead()
    desk.tell(CeaseProposing(ceased=True))
    desk.submit(OP)
    assert desk.batches() == []
    assert len(desk.relayed) == 1
    desk.tell(CeaseProposing(ceased=False))
    desk.submit(OP)
    assert len(desk.batches()) == 1


def test_an_entry_without_ops_is_an_entry(desk):
    """Whoever reads as of everything acknowledged wants no more than to have it agreed on."""
    desk.lead()
    desk.submit()
    assert [(batch.ops, len(batch.askers)) for batch in desk.batches()] == [([], 1)]
