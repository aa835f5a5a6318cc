"""Cluster stats: how far every node is, for status pages.

edge --GetClusterStats--> [cluster stats] --AskPeerStats~~> the cluster stats of the other nodes
"""

from collections.abc import Callable
from datetime import timedelta

import msgspec

from corvo import __version__
from corvo.actors.cluster import node_messages
from corvo.actors.cluster.leader_forwarder import NodeLink
from corvo.actors.cluster.messages import ClusterStatsFound, GetClusterStats, LinkChanged, NodeMessageCame
from corvo.actors.cluster.node_messages import AskPeerStats, PeerFigures, PeerStats
from corvo.actors.kernel.api import Actor, ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import RoleChanged, Subscribe, Topic
from corvo.actors.status import FsmStatus, GetStatus, MirrorWriterStatus
from corvo.consensus.api import HasStatus
from corvo.core.clock import Clock
from corvo.core.times import format_time_ns

_WAIT = timedelta(milliseconds=500)


class _Survey(msgspec.Struct, eq=False):
    asker: ActorAddress
    awaited: set[str]
    found: dict[str, PeerFigures]


class _Wanted(msgspec.Struct, eq=False):
    """This node's own figures, being put together."""

    use: Callable[[PeerFigures], None]
    fsm: FsmStatus | None = None
    mirror: MirrorWriterStatus | None = None


class _Over(Message, frozen=True):
    """cluster stats -> itself: nodes that have not answered by now are left out."""

    number: int


class ClusterStats(Actor):
    def __init__(
        self,
        node_id: str,
        consensus: HasStatus,
        post: NodeLink,
        fsm: ActorAddress,
        mirror: ActorAddress,
        clock: Clock,
    ) -> None:
        self._node_id = node_id
        self._consensus = consensus
        self._post = post
        self._fsm = fsm
        self._mirror = mirror
        self._clock = clock
        self._surveys: dict[int, _Survey] = {}
        # As in the forwarder: figures asked for before a restart do not answer a later question.
        self._number = clock.now_ns()
        self._term = 0
        self._last_election: str | None = None
        #: In the order of the questions to fsm and mirror.
        self._wanted: list[_Wanted] = []

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.ROLE,)))

    def crashed(self) -> None:
        for survey in self._surveys.values():
            self.send(survey.asker, ClusterStatsFound(survey.found))

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        if msg.leader_id is not None and msg.term > self._term:
            self._term = msg.term
            self._last_election = format_time_ns(self._clock.now_ns())

    def receiveMsg_LinkChanged(self, msg: LinkChanged, sender: ActorAddress) -> None:
        if not msg.is_up:
            for number in list(self._surveys):
                self._found(number, msg.peer, None)

    # Surveys

    def receiveMsg_GetClusterStats(self, msg: GetClusterStats, sender: ActorAddress) -> None:
        self._number += 1
        number = self._number
        question = node_messages.encode(AskPeerStats(number))
        asked = {peer for peer in self._consensus.status().peers if self._post.post(peer, question)}
        self._surveys[number] = _Survey(sender, asked | {self._node_id}, {})
        self._measure(lambda figures: self._found(number, self._node_id, figures))
        self.wakeupAfter(_WAIT, _Over(number))

    def receiveMsg_NodeMessageCame(self, msg: NodeMessageCame, sender: ActorAddress) -> None:
        message, peer = msg.message, msg.peer
        if isinstance(message, AskPeerStats):
            number = message.number
            self._measure(lambda own: self._tell(peer, PeerStats(number, own)))
        elif isinstance(message, PeerStats):
            self._found(message.number, peer, message.figures)

    def _tell(self, peer: str, figures: PeerStats) -> None:
        self._post.post(peer, node_messages.encode(figures))

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        assert isinstance(msg.payload, _Over)
        survey = self._surveys.pop(msg.payload.number, None)
        if survey is not None:
            self.send(survey.asker, ClusterStatsFound(survey.found))

    def _found(self, number: int, node_id: str, figures: PeerFigures | None) -> None:
        survey = self._surveys.get(number)
        if survey is None:
            return
        survey.awaited.discard(node_id)
        if figures is not None:
            survey.found[node_id] = figures
        if not survey.awaited:
            del self._surveys[number]
            self.send(survey.asker, ClusterStatsFound(survey.found))

    # This node's own

    def _measure(self, use: Callable[[PeerFigures], None]) -> None:
        self._wanted.append(_Wanted(use))
        self.send(self._fsm, GetStatus())
        self.send(self._mirror, GetStatus())

    def receiveMsg_FsmStatus(self, msg: FsmStatus, sender: ActorAddress) -> None:
        wanted = next((wanted for wanted in self._wanted if wanted.fsm is None), None)
        if wanted is not None:  # Else it was asked for before this actor was restarted.
            wanted.fsm = msg
            self._measured(wanted)

    def receiveMsg_MirrorWriterStatus(self, msg: MirrorWriterStatus, sender: ActorAddress) -> None:
        wanted = next((wanted for wanted in self._wanted if wanted.mirror is None), None)
        if wanted is not None:
            wanted.mirror = msg
            self._measured(wanted)

    def _measured(self, wanted: _Wanted) -> None:
        if wanted.fsm is None or wanted.mirror is None:
            return
        self._wanted.remove(wanted)
        status = self._consensus.status()
        own = PeerFigures(
            version=__version__,
            role=status.role.value,
            term=status.term,
            leader_id=status.leader_id,
            commit_index=status.commit_index,
            applied_index=wanted.fsm.index,
            log_last_index=status.log_last_index,
            mirror_index=wanted.mirror.index,
            last_election=self._last_election,
        )
        wanted.use(own)
