"""Registrar: changes the members and the leader of the cluster when people or nodes ask for it.

    edge, newcomer, other nodes --JoinCluster, RemoveNode, TransferLead, ForgetKey--> [registrar]
    [registrar] --> consensus, on the leader
                ~~> the leader's registrar, elsewhere

A change is made by the leader, one at a time, and answered when it is decided. A node that asks for itself
has proven by its connection who it is; if somebody else names a node and its address, the leader first sees
whether that node answers there. A node that finds itself in the roster under an old address tells the leader
by itself. All questions may be repeated without harm, so
one that got lost with its leader goes to the next.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Protocol

import msgspec
import structlog

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.leader_forwarder import NodeLink
from corvo.actors.cluster.messages import (
    AddressLookedAt,
    ChangeMembers,
    ChangeTicket,
    FindSharedSettings,
    LinkChanged,
    MembershipChanged,
    NewcomerAsked,
    NodeMessageCame,
    SharedSettingsFound,
    TransferEnded,
)
from corvo.actors.cluster.node_messages import (
    ChangeDone,
    ChangeRefused,
    ForgetKey,
    JoinCluster,
    MembershipChange,
    RemoveNode,
    TransferLead,
)
from corvo.actors.cluster.shared_settings import objection
from corvo.actors.cluster.wire_versions import check_formats
from corvo.actors.kernel.api import Actor, ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import RoleChanged, Subscribe, Topic
from corvo.actors.write.messages import Declined
from corvo.consensus.api import ConsensusStatus, MemberStatus
from corvo.core.clock import Clock
from corvo.core.errors import CorvoError, MembershipBusy, MembershipRefused, NotLeader
from corvo.core.shared_settings import SharedSettings
from corvo.ops.results import Refusal

log = structlog.get_logger()

#: A change waits this long for a leader, and for the change before it.
_PATIENCE = timedelta(seconds=8)
_RETRY = timedelta(milliseconds=100)


class MembershipControl(Protocol):
    """The part of consensus that is needed."""

    def admit(self, node_id: str, seat: MemberStatus, ticket: object) -> bool: ...

    def dismiss(self, node_id: str, ticket: object) -> bool: ...

    def forget_key(self, node_id: str, ticket: object) -> bool: ...

    def status(self) -> ConsensusStatus: ...


class OwnNode(msgspec.Struct, frozen=True):
    """This node's id, where it is found, and its shared settings."""

    node_id: str
    seat: MemberStatus
    rules: SharedSettings


class _Matter(msgspec.Struct, eq=False):
    """A change that was asked for."""

    question: MembershipChange
    #: Where the answer goes.
    answer: Callable[[ChangeDone | CorvoError], None]
    #: Whether it came from outside the cluster.
    is_visit: bool = False
    #: The node that is dealing with it; this node's id while its log or a transfer is.
    with_peer: str | None = None
    #: Whether the newcomer, or the address, was looked at and may come in.
    is_checked: bool = False


class _Late(Message, frozen=True):
    """registrar -> itself: this change has waited long enough."""

    number: int


class _Again(Message, frozen=True):
    """registrar -> itself: try what could not be done a moment ago."""


class Registrar(Actor):
    def __init__(
        self,
        own: OwnNode,
        membership: MembershipControl,
        post: NodeLink,
        fsm: ActorAddress,
        begin_transfer: Callable[[str | None], None],
        begin_look: Callable[[int, str], None],
        clock: Clock,
    ) -> None:
        self._node_id = own.node_id
        self._seat = own.seat
        self._rules = own.rules
        self._membership = membership
        self._post = post
        self._fsm = fsm
        self._begin_transfer = begin_transfer
        self._begin_look = begin_look
        self._leader: str | None = None
        # As in the forwarder: an answer to a question from before a restart is not the answer to this one.
        self._number = clock.now_ns()
        self._matters: dict[int, _Matter] = {}

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.ROLE,)))

    def crashed(self) -> None:
        for matter in self._matters.values():
            matter.answer(_nobody_leads())

    # Asking

    def receiveMsg_ChangeMembers(self, msg: ChangeMembers, sender: ActorAddress) -> None:
        self._take(_Matter(msg.question, lambda answer: self.send(sender, answer)))

    def receiveMsg_NewcomerAsked(self, msg: NewcomerAsked, sender: ActorAddress) -> None:
        question, answer = msg.message, msg.answer
        if isinstance(question, JoinCluster):
            # Not what it says but what it has proven.
            question = msgspec.structs.replace(question, node_id=msg.visitor, key=msg.key)
            self._take(_Matter(question, lambda said: answer(_in_writing(said, 0)), is_visit=True))

    def receiveMsg_NodeMessageCame(self, msg: NodeMessageCame, sender: ActorAddress) -> None:
        message, peer = msg.message, msg.peer
        if isinstance(message, ChangeDone | ChangeRefused):
            self._answered(message, peer)
        elif isinstance(message, MembershipChange):
            number = message.number
            matter = _Matter(message, lambda said: self._tell_peer(peer, number, said))
            if isinstance(message, JoinCluster):
                matter.is_visit = message.is_visit
                if not message.is_visit:
                    matter.question = msgspec.structs.replace(message, key="")
                    matter.is_checked = message.node_id == peer
            if self._leader != self._node_id:
                matter.answer(_nobody_leads())  # Not sent on and on: the asking node will hear who leads.
            else:
                self._take(matter)

    def _tell_peer(self, peer: str, number: int, answer: ChangeDone | CorvoError) -> None:
        self._post.post(peer, _in_writing(answer, number))

    def _take(self, matter: _Matter) -> None:
        self._number += 1
        self._matters[self._number] = matter
        self.wakeupAfter(_PATIENCE, _Late(self._number))
        self._deal_with(self._number, matter)

    # Who leads

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        before = self._leader
        self._leader = msg.leader_id if msg.leader_id != self._node_id or msg.leads else None
        if self._leader is None:
            return
        if self._leader != before:
            self._end_transfers(changed=True)
            if self._leader != self._node_id:
                self._correct_own_seat()
        self._deal_with_all()

    def receiveMsg_LinkChanged(self, msg: LinkChanged, sender: ActorAddress) -> None:
        if not msg.is_up:
            for matter in self._matters.values():
                if matter.with_peer == msg.peer:
                    matter.with_peer = None
        self._deal_with_all()

    def _correct_own_seat(self) -> None:
        known = self._membership.status().members.get(self._node_id)
        if known is None or (known.raft, known.http) == (self._seat.raft, self._seat.http):
            return
        question = JoinCluster(0, self._node_id, self._seat.raft, self._seat.http, {}, is_visit=False)
        matter = _Matter(question, lambda said: log.info("member.address_changed", answer=str(said)))
        matter.is_checked = True
        self._take(matter)

    # Dealing

    def _deal_with_all(self) -> None:
        for number, matter in list(self._matters.items()):
            if matter.with_peer is None:
                self._deal_with(number, matter)

    def _deal_with(self, number: int, matter: _Matter) -> None:
        if self._leader is None:
            return
        if self._leader != self._node_id:
            question = msgspec.structs.replace(matter.question, number=number)
            if isinstance(question, JoinCluster):
                question = msgspec.structs.replace(question, is_visit=matter.is_visit)
            if self._post.post(self._leader, node_messages.encode(question)):
                matter.with_peer = self._leader
            return
        try:
            self._decide(number, matter)
        except MembershipBusy:
            self.wakeupAfter(_RETRY, _Again())
        except NotLeader:
            """The next leader gets it."""
        except CorvoError as error:
            self._answer(number, error)

    def _decide(self, number: int, matter: _Matter) -> None:
        """This node leads: put the change into the log, or say why not."""
        question = matter.question
        ticket = ChangeTicket(self.myAddress, number)
        if isinstance(question, TransferLead):
            self._transfer(matter, question.node_id)
            return
        if isinstance(question, RemoveNode) and question.node_id == self._node_id:
            # A leader does not remove itself. It hands over, and the next one does it.
            self._transfer(matter, None)
            matter.with_peer = None
            return
        if isinstance(question, JoinCluster):
            if not matter.is_checked:
                self._check(number, matter, question)
                return
            seat = MemberStatus(question.raft, question.http, is_voter=False, key=question.key)
            changes = self._membership.admit(question.node_id, seat, ticket)
        elif isinstance(question, ForgetKey):
            changes = self._membership.forget_key(question.node_id, ticket)
        else:
            changes = self._membership.dismiss(question.node_id, ticket)
        if changes:
            matter.with_peer = self._node_id
        else:
            self._answer(number, self._done(changed=False))

    # Looking at who is to be taken in

    def _check(self, number: int, matter: _Matter, question: JoinCluster) -> None:
        if matter.is_visit:
            check_formats(question.formats)
            self._check_newcomer(question)
            self.send(self._fsm, FindSharedSettings(number))
        else:
            self._begin_look(number, question.raft)
        matter.with_peer = self._node_id

    def receiveMsg_AddressLookedAt(self, msg: AddressLookedAt, sender: ActorAddress) -> None:
        """The node named must be the one that answers at the address named, and know the secret."""
        matter = self._matters.get(msg.tag)
        if matter is None:
            return
        question = matter.question
        assert isinstance(question, JoinCluster)
        if msg.node_id != question.node_id:
            found = f"{msg.node_id} answers at {question.raft}" if msg.node_id else msg.reason
            self._answer(
                msg.tag,
                MembershipRefused(
                    f"{question.node_id} was not taken in: {found}. Start it first, with the cluster's "
                    "secret and --join; then it is taken in without this request."
                ),
            )
            return
        matter.question = msgspec.structs.replace(question, key=msg.key)
        matter.is_checked, matter.with_peer = True, None
        self._deal_with(msg.tag, matter)

    def receiveMsg_SharedSettingsFound(self, msg: SharedSettingsFound, sender: ActorAddress) -> None:
        """A newcomer must have the cluster's settings, or this node's if none are recorded yet."""
        matter = self._matters.get(msg.tag)
        if matter is None:
            return
        assert isinstance(matter.question, JoinCluster)
        rules = matter.question.rules
        reason = objection(matter.question.node_id, rules, msg.rules or self._rules)
        if reason is not None:
            self._answer(msg.tag, MembershipRefused(reason))
            return
        matter.is_checked, matter.with_peer = True, None
        self._deal_with(msg.tag, matter)

    def _check_newcomer(self, question: JoinCluster) -> None:
        known = self._membership.status().members.get(question.node_id)
        if known is not None and (known.is_voter or known.key not in ("", question.key)):
            raise MembershipRefused(
                f"{question.node_id} is a member already, and a node without its data cannot take its place. "
                f"Remove it first (corvo cluster remove {question.node_id}), or join under another --node-id."
            )

    def _transfer(self, matter: _Matter, heir: str | None) -> None:
        status = self._membership.status()
        if heir == self._node_id:
            raise MembershipRefused(f"{heir} leads already")
        voters = [node_id for node_id, member in status.members.items() if member.is_voter]
        if heir is not None and heir not in voters:
            raise MembershipRefused(f"{heir} is no member with a vote; those are {', '.join(voters)}")
        if voters == [self._node_id]:
            raise MembershipRefused("there is no other node that could lead")
        matter.with_peer = self._node_id
        self._begin_transfer(heir)

    # Answers

    def receiveMsg_MembershipChanged(self, msg: MembershipChanged, sender: ActorAddress) -> None:
        self._answer(msg.tag, self._done(changed=True))

    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        """It is unknown whether the change was decided; asking again tells."""
        matter = self._matters.get(msg.tag)
        if matter is not None:
            matter.with_peer = None
            self._deal_with(msg.tag, matter)

    def receiveMsg_TransferEnded(self, msg: TransferEnded, sender: ActorAddress) -> None:
        if not msg.succeeded:
            for number, matter in list(self._matters.items()):
                if isinstance(matter.question, TransferLead) and matter.with_peer == self._node_id:
                    self._answer(number, MembershipRefused("no other node could take the lead in time"))

    def _end_transfers(self, *, changed: bool) -> None:
        for number, matter in list(self._matters.items()):
            if isinstance(matter.question, TransferLead) and matter.with_peer == self._node_id:
                self._answer(number, self._done(changed=changed))

    def _answered(self, message: ChangeDone | ChangeRefused, peer: str) -> None:
        matter = self._matters.get(message.number)
        if matter is None or matter.with_peer != peer:
            return
        if isinstance(message, ChangeDone):
            self._answer(message.number, message)
        elif message.refusal.code == NotLeader.code:
            matter.with_peer = None
            self.wakeupAfter(_RETRY, _Again())
        else:
            self._answer(message.number, node_messages.error_of(message.refusal))

    def _answer(self, number: int, answer: ChangeDone | CorvoError) -> None:
        matter = self._matters.pop(number, None)
        if matter is not None:
            matter.answer(answer)

    def _done(self, *, changed: bool) -> ChangeDone:
        status = self._membership.status()
        members = {node_id: member.raft for node_id, member in status.members.items()}
        return ChangeDone(0, changed, members, status.commit_index)

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, _Late):
            self._answer(msg.payload.number, _nobody_leads())
        else:
            self._deal_with_all()


def _in_writing(answer: ChangeDone | CorvoError, number: int) -> bytes:
    if isinstance(answer, ChangeDone):
        return node_messages.encode(msgspec.structs.replace(answer, number=number))
    return node_messages.encode(ChangeRefused(number, Refusal.of(answer)))


def _nobody_leads() -> NotLeader:
    return NotLeader("no leader is known at the moment", retry_after_ms=500)
