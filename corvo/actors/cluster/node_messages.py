"""Node messages: what nodes say to each other beside consensus. Writes for the leader, members, stats.

    forwarder, registrar -> node link ~~~ node link -> node inbox -> forwarder, registrar

msgpack arrays that begin with the kind's number. Every message is a question or the answer to one, told by
its number. Numbers of kinds are never reused, and fields are only ever added at the end, so that nodes of two
versions understand each other during an upgrade.
"""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from corvo.core.errors import REGISTRY, CorvoError
from corvo.core.hosts import HttpAddress, NodeAddress, NodeId
from corvo.ops.entry import AnyOp
from corvo.ops.results import AnyResult, Outcome, Recalled, Refusal


class NodeMessage(msgspec.Struct, frozen=True, array_like=True, gc=False):
    #: Given by the node that asks; comes back with the answer.
    number: int


# To the leader's batcher


class RelayOps(NodeMessage, frozen=True, tag=1):
    """forwarder -> leader's forwarder: get these ops agreed on."""

    size_bytes: int
    ops: list[AnyOp]
    #: Who asked for them at the node that sends them on; empty for the node itself.
    principal: str = ""


class RelayAnswer(NodeMessage, frozen=True, tag=2):
    """leader's forwarder -> forwarder: the ops were applied by this entry and came to this."""

    index: int
    outcomes: list[AnyResult | Recalled]


class RelayRefusal(NodeMessage, frozen=True, tag=3):
    """leader's forwarder -> forwarder: the ops were not applied, or it is unknown whether."""

    refusal: Refusal


# Members and stats


class JoinCluster(NodeMessage, frozen=True, tag=4):
    """A node wants to be a member, or to be found under another address."""

    node_id: NodeId
    raft: NodeAddress
    http: HttpAddress
    #: Formats it reads and writes, so that a node of another version is refused with a sentence.
    formats: dict[str, int]
    #: Whether it comes from a node that has no data of the cluster yet.
    is_visit: bool = True
    #: Its settings and limits, as far as all nodes must have the same.
    rules: dict[str, int] = {}
    #: The key that it has proven to have, in hex; empty if it has shown none.
    key: Annotated[str, Meta(pattern=r"^([0-9a-f]{64})?$")] = ""


class RemoveNode(NodeMessage, frozen=True, tag=5):
    node_id: NodeId


class TransferLead(NodeMessage, frozen=True, tag=6):
    """Have another node lead: the one named, or the one that is furthest."""

    node_id: NodeId | None


class AskPeerStats(NodeMessage, frozen=True, tag=7):
    """How far is your node?"""


class ChangeDone(NodeMessage, frozen=True, tag=8):
    """The change was made, or was not needed."""

    changed: bool
    #: Members by id: where their links listen.
    members: dict[NodeId, str]
    #: The last entry decided by then. What a newcomer reads before it is from before its time.
    index: int = 0


class ChangeRefused(NodeMessage, frozen=True, tag=9):
    refusal: Refusal


class PeerFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How far a node is. Every member has a default: a node of another version may not know it."""

    version: str = ""
    role: str = ""
    term: int = 0
    leader_id: str | None = None
    commit_index: int = 0
    applied_index: int = 0
    log_last_index: int = 0
    mirror_index: int = 0
    last_election: str | None = None


class PeerStats(NodeMessage, frozen=True, tag=10):
    figures: PeerFigures


class ReplicaChecksum(NodeMessage, frozen=True, tag=11):
    """replica check -> replica checks: up to this entry, all I have written adds up to this. No answer."""

    index: int
    checksum: int


class ForgetKey(NodeMessage, frozen=True, tag=12):
    """Whichever key this member shows next is its own."""

    node_id: NodeId


Relayed = RelayOps | RelayAnswer | RelayRefusal
MembershipChange = JoinCluster | RemoveNode | TransferLead | ForgetKey
Survey = AskPeerStats | PeerStats
AnyNodeMessage = Relayed | MembershipChange | Survey | ChangeDone | ChangeRefused | ReplicaChecksum

_decoder = msgspec.msgpack.Decoder(AnyNodeMessage)
encode = msgspec.msgpack.Encoder().encode


class NodeMessageUnknown(Exception):
    """The other node says something this version does not understand."""


def decode(data: bytes) -> AnyNodeMessage:
    try:
        message: AnyNodeMessage = _decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise NodeMessageUnknown(str(error)) from error
    return message


def outcomes_out(outcomes: list[Outcome]) -> list[Any]:
    """Errors travel as refusals."""
    return [Refusal.of(outcome) if isinstance(outcome, CorvoError) else outcome for outcome in outcomes]


def outcomes_in(results: list[Any]) -> list[Outcome]:
    return [error_of(result) if type(result) is Refusal else result for result in results]


def error_of(refusal: Refusal) -> CorvoError:
    """An error of a later version is at least an error."""
    if refusal.code not in REGISTRY:
        return CorvoError(refusal.message)
    return refusal.error()
