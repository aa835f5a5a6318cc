"""What actors say to each other about the cluster: who leads, who belongs to it, what goes over the link."""

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
    """node -> batcher, forwarder: this node is about to hand over the lead; keep what comes until it has.

    With `ceased=False`: nobody took it, so go on.
    """

    ceased: bool


# The node link


class NodeMessageCame(Message, frozen=True):
    """node link -> forwarder, registrar: another node says something."""

    peer: str
    message: AnyNodeMessage


class NewcomerAsked(Message, frozen=True):
    """node link -> registrar: somebody who is no member has a question."""

    visitor: str
    message: AnyNodeMessage
    answer: Callable[[bytes], None]


class LinkChanged(Message, frozen=True):
    """node link -> forwarder, registrar: another node can be reached, or no longer."""

    peer: str
    is_up: bool


# Members


class ChangeMembers(Message, frozen=True):
    """edge -> registrar: take a node in, take one out, or have another lead. Answer: Done, or why not."""

    question: MembershipChange


class ChangeTicket(Message, frozen=True):
    """Given to consensus with a change of the membership: who wants to know what became of it."""

    asker: ActorAddress
    tag: Any


class MembershipChanged(Message, frozen=True):
    """consensus -> whoever asked for it: the change is decided."""

    index: int
    tag: Any


class RosterChanged(Message, frozen=True):
    """consensus -> shared_settings_keeper: the cluster has other members."""


class FindSharedSettings(Message, frozen=True):
    """registrar, settings keeper -> fsm: what must nodes have in common? Answer: SharedSettingsFound."""

    tag: Any = None


class SharedSettingsFound(Message, frozen=True):
    #: None if the cluster has recorded none yet.
    rules: dict[str, int] | None
    tag: Any


class TransferEnded(Message, frozen=True):
    """node -> registrar: the attempt to hand over the lead is over."""

    succeeded: bool


class GetClusterStats(Message, frozen=True):
    """edge -> cluster_stats: how far is everybody? Answer: ClusterStatsFound."""


class ClusterStatsFound(Message, frozen=True):
    #: By node, of those that answered.
    figures: dict[str, PeerFigures]


# Audits


class ChecksumReached(Message, frozen=True):
    """fsm -> replica_check: up to this entry, all that was written adds up to this."""

    index: int
    checksum: int
