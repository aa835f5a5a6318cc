"""What actors say to each other about the cluster: who leads, who belongs to it, what goes over the link."""

from collections.abc import Callable
from typing import Any

from corvo.actors.cluster.node_messages import AnyLetter, Change
from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.actors.messages import Batch, Submit

# Writes on a node that does not lead


class Relay(Message, frozen=True):
    """batcher -> envoy: this node does not lead; have the leader's batcher do it and answer the asker."""

    submit: Submit
    asker: ActorAddress


class Resubmit(Message, frozen=True):
    """envoy -> batcher: this node leads now; treat this as if the asker had just sent it."""

    submit: Submit
    asker: ActorAddress


class Bounced(Message, frozen=True):
    """proposer -> batcher: this node does not lead, so nothing was done; send it on."""

    batch: Batch


class CeaseProposing(Message, frozen=True):
    """node -> batcher, envoy: this node is about to hand over the lead; keep what comes until it has.

    With `ceased=False`: nobody took it, so go on.
    """

    ceased: bool


# The node link


class LetterCame(Message, frozen=True):
    """node link -> envoy, registrar: another node says something."""

    peer: str
    letter: AnyLetter


class VisitorAsked(Message, frozen=True):
    """node link -> registrar: somebody who is no member has a question."""

    visitor: str
    letter: AnyLetter
    answer: Callable[[bytes], None]


class LinkChanged(Message, frozen=True):
    """node link -> envoy, registrar: another node can be reached, or no longer."""

    peer: str
    is_up: bool


# Members


class ChangeMembers(Message, frozen=True):
    """edge -> registrar: take a node in, take one out, or have another lead. Answer: Done, or why not."""

    question: Change


class ChangeTicket(Message, frozen=True):
    """Given to consensus with a change of the membership: who wants to know what became of it."""

    asker: ActorAddress
    tag: Any


class MembershipChanged(Message, frozen=True):
    """consensus -> whoever asked for it: the change is decided."""

    index: int
    tag: Any


class RosterChanged(Message, frozen=True):
    """consensus -> rulekeeper: the cluster has other members."""


class FindRules(Message, frozen=True):
    """registrar, rulekeeper -> fsm: what must nodes have in common? Answer: RulesFound."""

    tag: Any = None


class RulesFound(Message, frozen=True):
    #: None if the cluster has recorded none yet.
    rules: dict[str, int] | None
    tag: Any


class TransferEnded(Message, frozen=True):
    """node -> registrar: the attempt to hand over the lead is over."""

    succeeded: bool


class SurveyCluster(Message, frozen=True):
    """edge -> surveyor: how far is everybody? Answer: ClusterSurveyed."""


class ClusterSurveyed(Message, frozen=True):
    #: By node, of those that answered.
    figures: dict[str, dict[str, Any]]


# Audits


class Checkpoint(Message, frozen=True):
    """fsm -> auditor: up to this entry, all that was written adds up to this."""

    index: int
    checksum: int
