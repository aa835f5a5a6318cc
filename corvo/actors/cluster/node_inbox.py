"""Node inbox: messages that come over the node link, handed to the actors they concern.

    node link --node messages--> [node inbox] --> forwarder, registrar, cluster stats, replica check

A node that knows the secret and is no member is listened to when it asks to be one. Writes, and changes of
the membership, are taken from members only.
"""

from collections.abc import Callable
from typing import Protocol

import structlog

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.messages import LinkChanged, NewcomerAsked, NodeMessageCame
from corvo.actors.cluster.node_messages import (
    AskPeerStats,
    ChangeRefused,
    MembershipChange,
    NodeMessageUnknown,
    PeerStats,
    RelayAnswer,
    RelayOps,
    RelayRefusal,
    ReplicaChecksum,
)
from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.system import System
from corvo.core.errors import MembershipRefused, NotLeader
from corvo.ops.results import Refusal

log = structlog.get_logger()


class PeerSender(Protocol):
    def post(self, peer: str, message: bytes) -> bool: ...

    def is_member(self, peer: str) -> bool: ...


class NodeInbox:
    """Implements mesh.MailReceiver and leader_forwarder.NodeLink. The actors are introduced later."""

    def __init__(self, system: System, link: PeerSender) -> None:
        self._system = system
        self._link = link
        self.batcher: ActorAddress | None = None
        self.forwarder: ActorAddress | None = None
        self.registrar: ActorAddress | None = None
        self.cluster_stats: ActorAddress | None = None
        self.replica_check: ActorAddress | None = None

    def post(self, peer: str, message: bytes) -> bool:
        return self._link.post(peer, message)

    def mail_received(self, peer: str, message: bytes) -> None:
        try:
            read = node_messages.decode(message)
        except NodeMessageUnknown as reason:
            log.warning("letter.unknown", peer=peer, reason=str(reason))
            return
        if isinstance(read, RelayOps | MembershipChange) and not self._link.is_member(peer):
            log.warning("letter.of_no_member", peer=peer, kind=type(read).__name__)
            refusal = Refusal.of(NotLeader(f"{peer} is no member of the cluster"))
            answer = (RelayRefusal if isinstance(read, RelayOps) else ChangeRefused)(read.number, refusal)
            self.post(peer, node_messages.encode(answer))
            return
        if isinstance(read, RelayOps | RelayAnswer | RelayRefusal):
            self._tell(self.forwarder, NodeMessageCame(peer, read))
        elif isinstance(read, AskPeerStats | PeerStats):
            self._tell(self.cluster_stats, NodeMessageCame(peer, read))
        elif isinstance(read, ReplicaChecksum):
            self._tell(self.replica_check, NodeMessageCame(peer, read))
        else:
            self._tell(self.registrar, NodeMessageCame(peer, read))

    def visitor_asks(self, visitor: str, key: str, message: bytes, answer: Callable[[bytes], None]) -> None:
        try:
            read = node_messages.decode(message)
        except NodeMessageUnknown as reason:
            log.warning("letter.unknown", visitor=visitor, reason=str(reason))
            refusal = Refusal.of(MembershipRefused(f"the request was not understood: {reason}"))
            answer(node_messages.encode(ChangeRefused(0, refusal)))
            return
        self._tell(self.registrar, NewcomerAsked(visitor, key, read, answer))

    def link_changed(self, peer: str, *, is_up: bool) -> None:
        for actor in (self.forwarder, self.registrar, self.cluster_stats):
            self._tell(actor, LinkChanged(peer, is_up))

    def _tell(
        self, actor: ActorAddress | None, message: NodeMessageCame | NewcomerAsked | LinkChanged
    ) -> None:
        assert actor is not None, "nothing comes before all are introduced"
        self._system.tell(actor, message)
