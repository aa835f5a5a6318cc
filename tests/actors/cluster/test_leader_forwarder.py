"""The forwarder: writes on a node that does not lead."""

from datetime import timedelta

import msgspec
import pytest

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.leader_forwarder import ForwarderSettings, LeaderForwarder
from corvo.actors.cluster.messages import (
    CeaseProposing,
    ForwardToLeader,
    LinkChanged,
    NodeMessageCame,
    Resubmit,
)
from corvo.actors.cluster.node_messages import RelayAnswer, RelayOps, RelayRefusal
from corvo.actors.kernel.api import Actor
from corvo.actors.kernel.sim import SimSystem
from corvo.actors.state.messages import RoleChanged
from corvo.actors.state.questions import AwaitIndex, IndexReached
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.consensus.api import Role
from corvo.core.errors import LeaseConflict, NotLeader, OutcomeUnknown
from corvo.core.limits import PENDING_BYTES_MAX
from corvo.ops.finish import Ack
from corvo.ops.idempotency import Once
from corvo.ops.queue_admin import PauseQueue
from corvo.ops.results import Refusal, Upkept

OP = PauseQueue("q", paused=True)
SAFE_OP = Ack("job_1", 7)


class Link:
    """The node link of a node called me."""

    def __init__(self):
        self.up = {"n2", "n3"}
        self.sent = []
        self.batcher = None

    def post(self, peer, message):
        if peer not in self.up:
            return False
        self.sent.append((peer, node_messages.decode(message)))
        return True

    def take(self):
        sent, self.sent = self.sent, []
        return sent


class Recorder(Actor):
    """Remembers what it is told. As the state machine it is always up to date."""

    def __init__(self, told, *, answers=True):
        self._told = told
        self._answers = answers

    def receiveUnrecognizedMessage(self, message, sender):
        self._told.append(message)
        if isinstance(message, AwaitIndex) and self._answers:
            self.send(sender, IndexReached(message.index))


class Desk:
    def __init__(self, seed, *, fsm_answers=True):
        self.system = SimSystem(seed)
        self.link = Link()
        self.fsm_told, self.batcher_told, self.asker_told = [], [], []
        self.fsm = self.system.createActor(Recorder, self.fsm_told, answers=fsm_answers)
        self.link.batcher = self.system.createActor(Recorder, self.batcher_told)
        self.asker = self.system.createActor(Recorder, self.asker_told)
        settings = ForwarderSettings("me", leader_wait=timedelta(seconds=5), parcels_max=3)
        self.forwarder = self.system.createActor(
            LeaderForwarder, self.link, self.fsm, settings, self.system.clock
        )

    def tell(self, *messages):
        for message in messages:
            self.system.tell(self.forwarder, message)
        self.system.run_until_idle()

    def relay(self, *ops, tag=None):
        self.tell(ForwardToLeader(Submit(ops or (OP,), 10, tag), self.asker))

    def led_by(self, leader):
        self.tell(RoleChanged(Role.LEADER if leader == "me" else Role.FOLLOWER, 3, leader))

    def advance(self, seconds):
        self.system.advance(timedelta(seconds=seconds))

    def codes(self):
        return [message.error.code for message in self.asker_told if isinstance(message, Declined)]


@pytest.fixture(params=range(3), ids="seed={}".format)
def desk(request):
    return Desk(request.param)


def test_a_write_goes_to_the_leader_and_its_answer_back_to_the_asker(desk):
    desk.led_by("n2")
    desk.relay(OP, tag="mine")
    ((peer, message),) = desk.link.take()
    assert (peer, message) == ("n2", RelayOps(message.number, 10, [OP]))

    desk.tell(NodeMessageCame("n2", RelayAnswer(message.number, 9, [Upkept(1, more=False)])))
    assert desk.asker_told == [Answer(9, [Upkept(1, more=False)], "mine")]


def test_a_refusal_of_a_single_op_comes_back_as_an_error(desk):
    desk.led_by("n2")
    desk.relay()
    ((_, message),) = desk.link.take()
    refusal = Refusal.of(LeaseConflict("stale", job_state="completed"))
    desk.tell(NodeMessageCame("n2", RelayAnswer(message.number, 9, [refusal])))
    (outcome,) = desk.asker_told[0].outcomes
    assert isinstance(outcome, LeaseConflict)
    assert outcome.facts == {"job_state": "completed"}


def test_who_asked_for_a_write_is_told_to_the_leader(desk):
    desk.led_by("n2")
    desk.tell(ForwardToLeader(Submit((OP,), 10, principal="key:deploy"), desk.asker))
    ((peer, relayed),) = desk.link.take()
    assert (peer, relayed.principal) == ("n2", "key:deploy")
    # At the leader it arrives with the write; a node from before principals names none.
    desk.led_by("me")
    desk.batcher_told.clear()
    before = node_messages.decode(msgspec.msgpack.encode([1, 8, 10, [OP]]))
    desk.tell(NodeMessageCame("n3", relayed), NodeMessageCame("n3", before))
    assert [submit.principal for submit in desk.batcher_told] == ["key:deploy", ""]


def test_while_nobody_leads_a_write_waits_and_then_goes_to_the_new_leader(desk):
    desk.led_by(None)
    desk.relay()
    desk.advance(4)
    assert desk.asker_told == []
    desk.led_by("n3")
    assert [peer for peer, _ in desk.link.take()] == ["n3"]


def test_a_write_waits_no_longer_than_it_should(desk):
    desk.led_by(None)
    desk.relay(OP, tag="mine")
    desk.advance(5.1)
    assert desk.codes() == ["LEADER_UNAVAILABLE"]
    assert desk.asker_told[0].tag == "mine"


def test_a_leader_that_cannot_be_reached_is_waited_for(desk):
    desk.link.up = set()
    desk.led_by("n2")
    desk.relay()
    desk.link.up = {"n2"}
    desk.tell(LinkChanged("n2", is_up=True))
    assert [peer for peer, _ in desk.link.take()] == ["n2"]


def test_what_this_node_kept_it_does_itself_once_it_leads(desk):
    desk.led_by(None)
    desk.relay(OP, tag="mine")
    desk.led_by("me")
    assert desk.batcher_told == [Resubmit(Submit((OP,), 10, "mine"), desk.asker)]


def test_a_node_that_is_about_to_hand_over_keeps_what_comes(desk):
    desk.led_by("me")
    desk.tell(CeaseProposing(ceased=True))
    desk.relay()
    assert desk.batcher_told == []
    desk.led_by("n2")
    assert [peer for peer, _ in desk.link.take()] == ["n2"]


def test_a_node_that_could_not_hand_over_goes_on_itself(desk):
    desk.led_by("me")
    desk.tell(CeaseProposing(ceased=True))
    desk.relay()
    desk.tell(CeaseProposing(ceased=False))
    assert len(desk.batcher_told) == 1


def test_a_write_lost_with_its_leader_is_in_doubt(desk):
    desk.led_by("n2")
    desk.relay()
    desk.tell(LinkChanged("n2", is_up=False))
    assert desk.codes() == ["OUTCOME_UNKNOWN"]


@pytest.mark.parametrize("ops", [(SAFE_OP,), (Once("key", b"d", 1), OP), ()])
def test_what_may_be_repeated_goes_to_the_next_leader_instead(desk, ops):
    desk.led_by("n2")
    desk.tell(ForwardToLeader(Submit(ops, 10), desk.asker))
    desk.link.up = {"n3"}
    desk.tell(LinkChanged("n2", is_up=False))
    desk.led_by("n3")
    assert desk.asker_told == []
    assert [peer for peer, _ in desk.link.take()] == ["n2", "n3"]


@pytest.mark.parametrize("ops", [(Ack("job_1", None),), (Once("key", b"d", 1), OP, OP)])
def test_what_is_not_covered_is_not_repeated(desk, ops):
    desk.led_by("n2")
    desk.relay(*ops)
    desk.tell(LinkChanged("n2", is_up=False))
    assert desk.codes() == ["OUTCOME_UNKNOWN"]


def test_what_may_be_repeated_does_not_wait_for_a_leader_that_is_silent(desk):
    """The link to a node that was cut off counts as up for seconds, and another leads by then."""
    desk.led_by("n2")
    desk.relay(SAFE_OP)
    desk.relay(OP)
    assert [peer for peer, _ in desk.link.take()] == ["n2", "n2"]
    desk.led_by(None)
    assert desk.link.take() == []
    desk.led_by("n3")
    ((peer, message),) = desk.link.take()
    assert (peer, message.ops) == ("n3", [SAFE_OP])
    assert desk.asker_told == [], "of the other nobody can say anything yet"


def test_a_leader_that_no_longer_leads_had_no_effect_so_the_next_one_is_asked(desk):
    desk.led_by("n2")
    desk.relay()
    ((_, message),) = desk.link.take()
    desk.tell(NodeMessageCame("n2", RelayRefusal(message.number, Refusal.of(NotLeader("no longer")))))
    assert desk.asker_told == []
    desk.led_by("n3")
    assert [peer for peer, _ in desk.link.take()] == ["n3"]


def test_a_leader_that_does_not_lead_yet_is_asked_again(desk):
    """It was elected, but has to apply what others left before it takes writes."""
    desk.led_by("n2")
    desk.relay()
    ((_, message),) = desk.link.take()
    desk.tell(NodeMessageCame("n2", RelayRefusal(message.number, Refusal.of(NotLeader("not yet")))))
    desk.advance(0.1)
    ((_, again),) = desk.link.take()
    desk.tell(NodeMessageCame("n2", RelayAnswer(again.number, 9, [])))
    assert [answer.index for answer in desk.asker_told] == [9]


def test_a_leader_that_never_takes_writes_is_not_asked_for_ever(desk):
    desk.led_by("n2")
    desk.relay()
    for _ in range(200):
        for _, message in desk.link.take():
            desk.tell(NodeMessageCame("n2", RelayRefusal(message.number, Refusal.of(NotLeader("not yet")))))
        desk.advance(0.05)
    assert desk.codes() == ["LEADER_UNAVAILABLE"]


def test_what_the_leader_lost_the_next_one_gets_if_it_may_be_repeated(desk):
    desk.led_by("n2")
    desk.relay(SAFE_OP)
    desk.relay(OP)
    unknown = Refusal.of(OutcomeUnknown("the lead was lost"))
    for _, message in desk.link.take():
        desk.tell(NodeMessageCame("n2", RelayRefusal(message.number, unknown)))
    assert desk.codes() == ["OUTCOME_UNKNOWN"]
    desk.led_by("n3")
    ((peer, message),) = desk.link.take()
    assert (peer, message.ops) == ("n3", [SAFE_OP])


def test_large_writes_are_bounded_by_their_bytes(desk):
    desk.led_by(None)
    desk.tell(ForwardToLeader(Submit((OP,), PENDING_BYTES_MAX), desk.asker))
    desk.relay()
    assert desk.codes() == ["OVERLOADED"]
    desk.advance(6)
    desk.relay()
    assert desk.codes() == ["OVERLOADED", "LEADER_UNAVAILABLE"]


def test_what_cannot_be_written_is_refused_and_disturbs_nobody_else(desk):
    desk.led_by("n2")
    desk.relay(Ack("job_1", 1 << 70))
    assert desk.codes() == ["INTERNAL_ERROR"]
    desk.relay()
    assert len(desk.link.take()) == 1


def test_an_answer_of_somebody_who_was_not_asked_counts_for_nothing(desk):
    desk.led_by("n2")
    desk.relay()
    ((_, message),) = desk.link.take()
    desk.tell(NodeMessageCame("n3", RelayAnswer(message.number, 9, [])))
    assert desk.asker_told == []


def test_no_more_is_kept_than_there_is_room_for(desk):
    desk.led_by(None)
    for _ in range(4):
        desk.relay()
    assert desk.codes() == ["OVERLOADED"]


def test_an_answer_waits_until_this_node_has_applied_its_entry():
    desk = Desk(0, fsm_answers=False)
    desk.led_by("n2")
    desk.relay()
    desk.relay()
    first, second = (message.number for _, message in desk.link.take())
    desk.tell(
        NodeMessageCame("n2", RelayAnswer(second, 10, [])), NodeMessageCame("n2", RelayAnswer(first, 9, []))
    )
    assert desk.asker_told == []
    desk.system.tell(desk.forwarder, IndexReached(9))
    desk.system.run_until_idle()
    assert [answer.index for answer in desk.asker_told] == [9]


# The leader's side


def test_the_leader_hands_the_ops_of_others_to_its_batcher_and_answers_them(desk):
    desk.led_by("me")
    desk.tell(NodeMessageCame("n3", RelayOps(4, 10, [OP])))
    (submit,) = desk.batcher_told
    assert submit.ops == (OP,)
    desk.tell(Answer(12, [LeaseConflict("stale")], submit.tag))
    ((peer, message),) = desk.link.take()
    assert (peer, message.number, message.index) == ("n3", 4, 12)
    assert message.outcomes[0].code == "LEASE_CONFLICT"


def test_ops_of_others_are_refused_by_who_does_not_lead_rather_than_sent_on(desk):
    desk.led_by("n2")
    desk.tell(NodeMessageCame("n3", RelayOps(4, 10, [OP])))
    (submit,) = desk.batcher_told
    desk.tell(ForwardToLeader(submit, desk.forwarder))
    ((peer, message),) = desk.link.take()
    assert (peer, message.refusal.code) == ("n3", "LEADER_UNAVAILABLE")
