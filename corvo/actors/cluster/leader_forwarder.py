"""Leader forwarder: carries writes to the leader, whichever node that is, and their answers back.

    batcher --ForwardToLeader--> [forwarder] --RelayOps--> the leader's [forwarder] --> its batcher
    asker <--Answer-- [forwarder] <--RelayAnswer-- the leader's [forwarder] <--Answer-- its fsm

While no node leads, writes are kept for a while: a client sees a slow answer instead of an error. What the
leader refused because it no longer leads had no effect and goes to the next one. What was on its way when the
leader was lost may have happened or not; if it may be repeated it is, otherwise the asker is told so.

An answer is passed on once this node has applied the entry, so that a client also reads here what it wrote
here.
"""

from datetime import timedelta
from heapq import heappop, heappush
from typing import Protocol

import msgspec
import structlog

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.messages import (
    CeaseProposing,
    ForwardToLeader,
    LinkChanged,
    NodeMessageCame,
    Resubmit,
)
from corvo.actors.cluster.node_messages import RelayAnswer, RelayOps, RelayRefusal
from corvo.actors.kernel.api import ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import RoleChanged, Subscribe, Topic
from corvo.actors.state.questions import AwaitIndex, IndexReached
from corvo.actors.status import ForwarderStatus, GetStatus
from corvo.actors.write.messages import Answer, Declined, Submit
from corvo.actors.write.submitter import Submitter
from corvo.core.clock import Clock
from corvo.core.errors import CorvoError, NotLeader, OutcomeUnknown, Overloaded, Stale
from corvo.core.limits import PENDING_BYTES_MAX
from corvo.ops.repeatable import may_be_repeated
from corvo.ops.results import Refusal

log = structlog.get_logger()

#: How long an answer waits for this node to apply what it answers.
_APPLY_WAIT_MS = 1_000
_RETRY_HINT_MS = 500
#: A node that did not lead when it was asked is asked again after this.
_AGAIN = timedelta(milliseconds=30)


class NodeLink(Protocol):
    """The node link, as far as messages are concerned."""

    #: Introduced later, because the batcher needs the forwarder too.
    batcher: ActorAddress | None

    def post(self, peer: str, message: bytes) -> bool:
        """False if the peer is not connected."""
        ...


class ForwarderSettings(msgspec.Struct, frozen=True):
    node_id: str
    leader_wait: timedelta = timedelta(seconds=5)
    #: Writes kept or on their way; beyond that the answer is 429.
    parcels_max: int = 4_096


class _Parcel(msgspec.Struct, eq=False):
    """A write of this node on its way to the leader."""

    number: int
    submit: Submit
    asker: ActorAddress
    #: The node it was sent to; None while it is kept here.
    with_peer: str | None = None
    #: Whether its time to wait for a leader is being taken, and whether that is over.
    is_timed: bool = False
    is_late: bool = False


class _Late(Message, frozen=True):
    """forwarder -> itself: this write has waited long enough for a leader."""

    number: int


class _Again(Message, frozen=True):
    """forwarder -> itself: see whether what was refused is taken now."""


class LeaderForwarder(Submitter):
    def __init__(self, post: NodeLink, fsm: ActorAddress, settings: ForwarderSettings, clock: Clock) -> None:
        self._post = post
        self._fsm = fsm
        self._settings = settings
        self._leader: str | None = None
        self._ceased = False
        # Numbers go on from the clock: an answer to what was sent before a restart, of this actor or of the
        # node, must not be taken for the answer to something else.
        self._number = clock.now_ns()
        self._bytes = 0
        self._parcels: dict[int, _Parcel] = {}
        #: Answers to what this node has not applied yet: index, order of arrival, parcel, answer.
        self._unapplied: list[tuple[int, int, _Parcel, Answer]] = []
        self._is_awaiting = False
        self._asks_again = False
        self._relayed = self._served = 0

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.ROLE,)))

    def crashed(self) -> None:
        """Their answers, should they come, could no longer be told apart."""
        error = OutcomeUnknown("the write got lost on its way to the leader", retry_after_ms=_RETRY_HINT_MS)
        for parcel in self._parcels.values():
            self.send(parcel.asker, Declined(error, parcel.submit.tag))
        for _, _, parcel, answer in self._unapplied:
            self.send(parcel.asker, answer)

    # Who leads

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        # A leader that has not caught up with its own log does not say so yet.
        self._leader = msg.leader_id if msg.leader_id != self._settings.node_id or msg.leads else None
        self._ceased = self._ceased and msg.leads
        self._take_back_from_others()
        self._send_kept()

    def _take_back_from_others(self) -> None:
        """A leader that other nodes no longer follow may never answer: cut off, it is silent for seconds
        before its link counts as down. What may be repeated need not wait for that; all else must."""
        if self._leader is None:
            return
        for parcel in [p for p in self._parcels.values() if p.with_peer not in (None, self._leader)]:
            if may_be_repeated(parcel.submit.ops):
                self._take_back(parcel)

    def receiveMsg_LinkChanged(self, msg: LinkChanged, sender: ActorAddress) -> None:
        if msg.is_up:
            self._send_kept()
            return
        for parcel in [parcel for parcel in self._parcels.values() if parcel.with_peer == msg.peer]:
            if may_be_repeated(parcel.submit.ops):
                self._take_back(parcel)
            else:
                error = OutcomeUnknown("the leader was lost on the way", retry_after_ms=_RETRY_HINT_MS)
                self._decline(parcel, error)

    def receiveMsg_CeaseProposing(self, msg: CeaseProposing, sender: ActorAddress) -> None:
        self._ceased = msg.ceased
        self._send_kept()

    # Sending

    def receiveMsg_ForwardToLeader(self, msg: ForwardToLeader, sender: ActorAddress) -> None:
        if msg.asker == self.myAddress:
            # It came from another node, which believes that this one leads.
            self._refuse(msg.submit, NotLeader("this node no longer leads"))
            return
        if (
            len(self._parcels) >= self._settings.parcels_max
            or self._bytes + msg.submit.size_bytes > PENDING_BYTES_MAX
        ):
            error = Overloaded("too many writes are on their way to the leader", retry_after_ms=20)
            self.send(msg.asker, Declined(error, msg.submit.tag))
            return
        self._number += 1
        parcel = self._parcels[self._number] = _Parcel(self._number, msg.submit, msg.asker)
        self._bytes += msg.submit.size_bytes
        self._relayed += 1
        if not self._send(parcel):
            self._keep(parcel)

    def _send(self, parcel: _Parcel) -> bool:
        """Hand it to the leader. False if there is none that can be reached."""
        if self._leader == self._settings.node_id:
            if self._ceased:
                return False
            self._let_go(parcel)
            self.send(self._batcher(), Resubmit(parcel.submit, parcel.asker))
            return True
        if self._leader is None:
            return False
        submit = parcel.submit
        try:
            relayed = RelayOps(parcel.number, submit.size_bytes, list(submit.ops), submit.principal)
            message = node_messages.encode(relayed)
        except (OverflowError, TypeError, ValueError) as error:
            # As in the proposer: a value was let through that cannot be encoded.
            log.exception("forwarder.unwritable", error=str(error))
            self._decline(parcel, CorvoError("an operation cannot be written to the log"))
            return True
        if not self._post.post(self._leader, message):
            return False
        parcel.with_peer = self._leader
        return True

    def _batcher(self) -> ActorAddress:
        assert self._post.batcher is not None
        return self._post.batcher

    def _keep(self, parcel: _Parcel) -> None:
        if parcel.is_late or not self._settings.leader_wait:
            self._decline(parcel, _nobody_leads())
        elif not parcel.is_timed:
            parcel.is_timed = True
            self.wakeupAfter(self._settings.leader_wait, _Late(parcel.number))

    def _send_kept(self) -> None:
        for parcel in [parcel for parcel in self._parcels.values() if parcel.with_peer is None]:
            if not self._send(parcel):
                return

    def _take_back(self, parcel: _Parcel) -> None:
        """It had no effect, or may have it twice: the next leader gets it."""
        parcel.with_peer = None
        if not self._send(parcel):
            self._keep(parcel)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, _Again):
            self._asks_again = False
            self._send_kept()
            return
        assert isinstance(msg.payload, _Late)
        parcel = self._parcels.get(msg.payload.number)
        if parcel is not None:
            parcel.is_late = True
            if parcel.with_peer is None:
                self._decline(parcel, _nobody_leads())

    def _let_go(self, parcel: _Parcel) -> None:
        del self._parcels[parcel.number]
        self._bytes -= parcel.submit.size_bytes

    def _decline(self, parcel: _Parcel, error: CorvoError) -> None:
        self._let_go(parcel)
        self.send(parcel.asker, Declined(error, parcel.submit.tag))

    # Messages

    def receiveMsg_NodeMessageCame(self, msg: NodeMessageCame, sender: ActorAddress) -> None:
        message = msg.message
        if isinstance(message, RelayOps):
            self._served += 1
            tag = (msg.peer, message.number)
            submit = Submit(tuple(message.ops), message.size_bytes, tag, principal=message.principal)
            self.send(self._batcher(), submit)
            return
        assert isinstance(message, RelayAnswer | RelayRefusal)
        parcel = self._parcels.get(message.number)
        if parcel is None or parcel.with_peer != msg.peer:
            return
        if isinstance(message, RelayAnswer):
            self._let_go(parcel)
            answer = Answer(message.index, node_messages.outcomes_in(message.outcomes), parcel.submit.tag)
            heappush(self._unapplied, (message.index, parcel.number, parcel, answer))
            self._await()
        elif message.refusal.code == NotLeader.code or (
            message.refusal.code == OutcomeUnknown.code and may_be_repeated(parcel.submit.ops)
        ):
            # It leads no longer, or not yet: it may still have entries of others to apply. Time will tell.
            parcel.with_peer = None
            self._keep(parcel)
            if not self._asks_again:
                self._asks_again = True
                self.wakeupAfter(_AGAIN, _Again())
        else:
            self._decline(parcel, node_messages.error_of(message.refusal))

    # Answers, once this node has applied what they answer

    def _await(self) -> None:
        if self._unapplied and not self._is_awaiting:
            self._is_awaiting = True
            self.send(self._fsm, AwaitIndex(self._unapplied[0][0], _APPLY_WAIT_MS))

    def receiveMsg_IndexReached(self, msg: IndexReached, sender: ActorAddress) -> None:
        self._is_awaiting = False
        self._answer_up_to(msg.index)
        self._await()

    def receiveMsg_Stale(self, msg: Stale, sender: ActorAddress) -> None:
        """This node is far behind. The write is safe with the other nodes, so the asker need not wait."""
        self._is_awaiting = False
        self._answer_up_to(self._unapplied[0][0])
        self._await()

    def _answer_up_to(self, index: int) -> None:
        while self._unapplied and self._unapplied[0][0] <= index:
            _, _, parcel, answer = heappop(self._unapplied)
            self.send(parcel.asker, answer)

    # Answers to other nodes

    def receiveMsg_Answer(self, msg: Answer, sender: ActorAddress) -> None:
        peer, number = msg.tag
        message = RelayAnswer(number, msg.index, node_messages.outcomes_out(msg.outcomes))
        self._post.post(peer, node_messages.encode(message))

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        peer, number = msg.tag
        self._post.post(peer, node_messages.encode(RelayRefusal(number, Refusal.of(msg.error))))

    def _refuse(self, submit: Submit, error: CorvoError) -> None:
        self.receiveMsg_Declined(Declined(error, submit.tag), self.myAddress)

    # Telling

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        status = ForwarderStatus(
            waiting=sum(parcel.with_peer is None for parcel in self._parcels.values()),
            under_way=sum(parcel.with_peer is not None for parcel in self._parcels.values()),
            relayed_total=self._relayed,
            served_total=self._served,
        )
        self.send(sender, status)


def _nobody_leads() -> NotLeader:
    return NotLeader("no leader is known at the moment", retry_after_ms=_RETRY_HINT_MS)
