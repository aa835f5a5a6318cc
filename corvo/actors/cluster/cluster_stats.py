"""Surveyor: how far every node is, for status pages.

edge --SurveyCluster--> [surveyor] --AskFigures~~> the other nodes' [surveyor]s
"""

from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Protocol

import msgspec

from corvo import __version__
from corvo.actors.cluster import node_messages as letters
from corvo.actors.cluster.leader_forwarder import Post
from corvo.actors.cluster.messages import ClusterSurveyed, LetterCame, LinkChanged, SurveyCluster
from corvo.actors.cluster.node_messages import AskFigures, Figures
from corvo.actors.kernel.api import Actor, ActorAddress, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.messages import GetStatus, RoleChanged, Status, Subscribe, Topic
from corvo.consensus.api import Status as ConsensusStatus
from corvo.core.clock import Clock
from corvo.core.times import format_time_ns

_WAIT = timedelta(milliseconds=500)


class Consensus(Protocol):
    def status(self) -> ConsensusStatus: ...


class _Survey(msgspec.Struct, eq=False):
    asker: ActorAddress
    awaited: set[str]
    found: dict[str, dict[str, Any]]


class _Over(Message, frozen=True):
    """surveyor -> itself: who has not answered by now is left out."""

    number: int


class Surveyor(Actor):
    def __init__(
        self,
        node_id: str,
        consensus: Consensus,
        post: Post,
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
        # As in the envoy: figures asked for before a restart do not answer a question of today.
        self._number = clock.now_ns()
        self._term = 0
        self._last_election: str | None = None
        #: Who wants this node's own figures, in the order of the questions to fsm and mirror.
        self._wanted: deque[tuple[Callable[[dict[str, Any]], None], dict[str, Any]]] = deque()

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.ROLE,)))

    def crashed(self) -> None:
        for survey in self._surveys.values():
            self.send(survey.asker, ClusterSurveyed(survey.found))

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        if msg.leader_id is not None and msg.term > self._term:
            self._term = msg.term
            self._last_election = format_time_ns(self._clock.now_ns())

    def receiveMsg_LinkChanged(self, msg: LinkChanged, sender: ActorAddress) -> None:
        if not msg.is_up:
            for number in list(self._surveys):
                self._found(number, msg.peer, None)

    # Surveys

    def receiveMsg_SurveyCluster(self, msg: SurveyCluster, sender: ActorAddress) -> None:
        self._number += 1
        number = self._number
        question = letters.encode(AskFigures(number))
        asked = {peer for peer in self._consensus.status().peers if self._post.post(peer, question)}
        self._surveys[number] = _Survey(sender, asked | {self._node_id}, {})
        self._measure(lambda figures: self._found(number, self._node_id, figures))
        self.wakeupAfter(_WAIT, _Over(number))

    def receiveMsg_LetterCame(self, msg: LetterCame, sender: ActorAddress) -> None:
        letter, peer = msg.letter, msg.peer
        if isinstance(letter, AskFigures):
            number = letter.number
            self._measure(lambda own: self._tell(peer, Figures(number, own)))
        elif isinstance(letter, Figures):
            self._found(letter.number, peer, letter.figures)

    def _tell(self, peer: str, figures: Figures) -> None:
        self._post.post(peer, letters.encode(figures))

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        assert isinstance(msg.payload, _Over)
        survey = self._surveys.pop(msg.payload.number, None)
        if survey is not None:
            self.send(survey.asker, ClusterSurveyed(survey.found))

    def _found(self, number: int, node_id: str, figures: dict[str, Any] | None) -> None:
        survey = self._surveys.get(number)
        if survey is None:
            return
        survey.awaited.discard(node_id)
        if figures is not None:
            survey.found[node_id] = figures
        if not survey.awaited:
            del self._surveys[number]
            self.send(survey.asker, ClusterSurveyed(survey.found))

    # This node's own

    def _measure(self, use: Callable[[dict[str, Any]], None]) -> None:
        self._wanted.append((use, {}))
        self.send(self._fsm, GetStatus())
        self.send(self._mirror, GetStatus())

    def receiveMsg_Status(self, msg: Status, sender: ActorAddress) -> None:
        name = "fsm" if sender == self._fsm else "mirror"
        wanted = next((wanted for wanted in self._wanted if name not in wanted[1]), None)
        if wanted is None:
            return  # Asked for before this actor was restarted.
        use, parts = wanted
        parts[name] = msg.figures
        if len(parts) == 2:
            self._wanted.popleft()
            use(self._figures(parts["fsm"], parts["mirror"]))

    def _figures(self, fsm: dict[str, Any], mirror: dict[str, Any]) -> dict[str, Any]:
        status = self._consensus.status()
        return {
            "version": __version__,
            "role": status.role.value,
            "term": status.term,
            "leader_id": status.leader_id,
            "commit_index": status.commit_index,
            "applied_index": fsm["index"],
            "log_last_index": status.log_last_index,
            "mirror_index": mirror["index"],
            "last_election": self._last_election,
        }
