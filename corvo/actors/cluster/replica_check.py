"""Replica check: notices when this node's state differs from that of the other nodes.

    fsm --ChecksumReached--> [replica check] --ReplicaChecksum~~> the replica checks of the other nodes

Every so many entries each node says what everything it has written so far adds up to. Nodes that applied the
same entries must come to the same sum. One that differs from a majority is wrong, whatever the reason: bad
memory, a bad disk, a bug. It stops, and does not start again with this data, because a wrong replica is worse
than a dead one. Where there is no majority all that can be done is to say so, loudly.
"""

from collections import Counter
from collections.abc import Callable
from typing import Final

import structlog

from corvo.actors.cluster import node_messages
from corvo.actors.cluster.leader_forwarder import NodeLink
from corvo.actors.cluster.messages import ChecksumReached, NodeMessageCame
from corvo.actors.cluster.node_messages import ReplicaChecksum
from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.state.messages import Subscribe, Topic
from corvo.actors.status import GetStatus, ReplicaCheckStatus
from corvo.consensus.api import HasStatus

log = structlog.get_logger()

#: Sums remembered, for nodes that are behind.
_KEPT: Final = 64


class ReplicaCheck(Actor):
    def __init__(
        self,
        node_id: str,
        consensus: HasStatus,
        post: NodeLink,
        fsm: ActorAddress,
        condemn: Callable[[str], None],
    ) -> None:
        self._node_id = node_id
        self._consensus = consensus
        self._post = post
        self._fsm = fsm
        self._condemn = condemn
        #: Index -> node -> sum.
        self._sums: dict[int, dict[str, int]] = {}
        self._agreed_index = 0
        self._mismatches = 0

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.AUDIT,)))

    def receiveMsg_ChecksumReached(self, msg: ChecksumReached, sender: ActorAddress) -> None:
        self._note(self._node_id, msg.index, msg.checksum)
        message = node_messages.encode(ReplicaChecksum(0, msg.index, msg.checksum))
        for peer in self._consensus.status().peers:
            self._post.post(peer, message)

    def receiveMsg_NodeMessageCame(self, msg: NodeMessageCame, sender: ActorAddress) -> None:
        assert isinstance(msg.message, ReplicaChecksum)
        self._note(msg.peer, msg.message.index, msg.message.checksum)

    def _note(self, node_id: str, index: int, checksum: int) -> None:
        self._sums.setdefault(index, {})[node_id] = checksum
        while len(self._sums) > _KEPT:
            del self._sums[min(self._sums)]
        if index in self._sums:
            self._compare(index)

    def _compare(self, index: int) -> None:
        members = self._consensus.status().members
        sums = {node_id: found for node_id, found in self._sums[index].items() if node_id in members}
        own = sums.get(self._node_id)
        if own is None or len(sums) < 2:
            return
        if len(set(sums.values())) == 1:
            self._agreed_index = max(self._agreed_index, index)
            return
        self._mismatches += 1
        log.error("state.differs", index=index, sums=sums)
        voters = [node_id for node_id, member in members.items() if member.is_voter]
        (most, count), *_ = Counter(sums[node_id] for node_id in voters if node_id in sums).most_common(1)
        if 2 * count > len(voters) and own != most:
            self._condemn(
                f"the state of {self._node_id} differs from that of most nodes, at entry {index} or before"
            )

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        self.send(sender, ReplicaCheckStatus(self._agreed_index, self._mismatches))
