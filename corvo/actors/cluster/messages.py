"""Messages between actors about the cluster: its leader, its members, what goes over the node link."""

from collections.abc import Callable
from typing import Any

from corvo.actors.cluster.node_messages import AnyNodeMessage, MembershipChange, PeerFigures
from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.actors.write.messages import EntryBatch, Submit

# Writes on a node that does not lead


class ForwardToLeader(Message, frozen=True):
    """batcher -> forwarder: this node does not lead; have the leader's batcher do it and answer the asker."""

    submit: Submit
    asker: ActorAddress


class Resubmit(Message, frozen=True):
    """forwarder -> batcher: this node leads now; treat this as if the asker had just sent it."""

    submit: Submit
    asker: ActorAddress


class Bounced(Message, frozen=True):
    """proposer -> batcher: this node does not lead, so nothing was done; send it on."""

    batch: EntryBatch


class CeaseProposing(Message, frozen=True):
    """handover -> batcher, forwarder: this node is about to hand over the lead; keep what comes until then.

    With `ceased=False`: no node took the lead, so go on.
    """

    ceased: bool


# The node link


class NodeMessageCame(Message, frozen=True):
    """node inbox -> the actor that it concerns: another node says something."""

    peer: str
    message: AnyNodeMessage


class NewcomerAsked(Message, frozen=True):
    """node inbox -> registrar: a node that is no member has a question."""

    visitor: str
    #: The key that it has proven to have, in hex; empty if it has shown none.
    key: str
    message: AnyNodeMessage
    answer: Callable[[bytes], None]


class LinkChanged(Message, frozen=True):
    """node inbox -> forwarder, registrar, cluster stats: another node can be reached, or no longer."""

    peer: str
    is_up: bool


# Members


class ChangeMembers(Message, frozen=True):
    """edge -> registrar: take a node in or out, or have another lead. Answer: ChangeDone, or an error."""

    question: MembershipChange


class ChangeTicket(Message, frozen=True):
    """Given to consensus with a change of the membership: where to say what became of it."""

    asker: ActorAddress
    tag: Any


class MembershipChanged(Message, frozen=True):
    """consensus -> registrar: the change is decided."""

    index: int
    tag: Any


class RosterChanged(Message, frozen=True):
    """node -> shared settings keeper: the cluster has other members."""


class FindSharedSettings(Message, frozen=True):
    """registrar, shared settings keeper -> fsm: what is recorded? Answer: SharedSettingsFound."""

    tag: Any = None


class SharedSettingsFound(Message, frozen=True):
    #: None if the cluster has recorded none yet.
    rules: dict[str, int] | None
    tag: Any


class AddressLookedAt(Message, frozen=True):
    """address check -> registrar: which node listens at the address that was asked about, if one does."""

    tag: Any
    node_id: str
    key: str
    #: Why there is no such node; empty if there is one.
    reason: str = ""


class TransferEnded(Message, frozen=True):
    """handover -> registrar: the attempt to hand over the lead is over."""

    succeeded: bool


class GetClusterStats(Message, frozen=True):
    """edge -> cluster stats: how far is every node? Answer: ClusterStatsFound."""


class ClusterStatsFound(Message, frozen=True):
    #: By node, for nodes that answered.
    figures: dict[str, PeerFigures]


# Comparing replicas


class ChecksumReached(Message, frozen=True):
    """fsm -> replica check: up to this entry, all that was written adds up to this."""

    index: int
    checksum: int
