"""SyncObj state: pysyncobj's private state under typed names, for the files that make it safe.

Python turns `self.__x` inside SyncObj into `self._SyncObj__x`, which a subclass can reach and override.
pysyncobj has no types, so this file gives what is used of it a typed face.
"""

import random
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import pysyncobj.syncobj
from pysyncobj.config import SyncObjConf
from pysyncobj.node import Node
from pysyncobj.syncobj import SyncObj

from corvo.consensus.journal.journal import Journal
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.raft import pin
from corvo.consensus.raft.context import RaftContext
from corvo.consensus.settings import COMMAND_BYTES_MAX, FlowControl, RaftTiming

pin.close_pickle_doors()

FOLLOWER: Final = 0
CANDIDATE: Final = 1
LEADER: Final = 2


class PeerNode(Node):  # type: ignore[misc]  # pysyncobj ships no types.
    """A member. Its hash is the same in every process, so that a set of members has one order everywhere."""

    def __init__(self, node_id: str) -> None:
        super().__init__(node_id)
        self._hash = zlib.crc32(node_id.encode())

    def __hash__(self) -> int:
        return self._hash


class _Nothing:
    """Stands where pysyncobj keeps what the adapter has replaced. Using it would be a bug."""

    def poll(self, timeout: float) -> None:
        """The one call that is made: sockets belong to the loop, so there is nothing to poll."""


class SyncObjState(SyncObj):  # type: ignore[misc]  # pysyncobj ships no types.
    def __init__(self, context: RaftContext) -> None:
        pin.check()
        settings = context.settings
        self.journal: Journal = context.journal
        self.timing: RaftTiming = settings.timing
        self.flow: FlowControl = settings.flow
        self.now: Callable[[], float] = context.surroundings.now
        self.chance: random.Random = context.surroundings.chance
        #: How far the state machine is durable.
        self.stored_index = 0
        self._outbox = context.outbox
        self.node_id = settings.node_id
        self.rosters = context.rosters
        self._link = context.surroundings.link
        self._read_roster()
        #: Members, and other connected nodes: a leader may belong to a roster this node has not seen yet.
        self._nodes = {peer: PeerNode(peer) for peer in self.peers}
        self._set_clock()
        # The journal is not a constructor argument, so the function that would build one is replaced.
        original = pysyncobj.syncobj.createJournal
        pysyncobj.syncobj.createJournal = lambda _: context.journal
        try:
            super().__init__(
                PeerNode(settings.node_id),
                [self._nodes[peer] for peer in self.voting_peers],
                _configuration(settings.timing),
                nodeClass=PeerNode,
                transport=context.outbox,
            )
        finally:
            pysyncobj.syncobj.createJournal = original
        pin.check_attributes(self)
        self._poller = _Nothing()
        self._SyncObj__serializer = _Nothing()
        self._SyncObj__needLoadDumpFile = False

    def _set_clock(self) -> None:
        """Have pysyncobj read this node's clock. Done before every call into it that looks at the time.

        Its own is CLOCK_MONOTONIC_RAW, which drifts away from the clock the event loop sleeps by.
        """
        pysyncobj.syncobj.monotonicTime = self.now

    # Members

    def _read_roster(self) -> None:
        roster = self.rosters.current
        #: The other members, with a vote or without.
        self.peers = tuple(sorted(peer for peer in roster.seats if peer != self.node_id))
        self.voting_peers = tuple(peer for peer in self.peers if roster.is_voter(peer))
        self.is_voter = roster.is_voter(self.node_id)
        self._voters_count = len(roster.voters)

    def is_majority(self, count: int) -> bool:
        return 2 * count > self._voters_count

    def is_connected(self, peer: str) -> bool:
        return self._node(peer) in self._SyncObj__connectedNodes

    def voters_connected(self) -> int:
        """How many voters can be reached from here, this node included."""
        return self.is_voter + sum(self.is_connected(peer) for peer in self.voting_peers)

    def follow_roster(self) -> None:
        """Have pysyncobj and the link follow the roster in force. Called whenever it has changed."""
        self._read_roster()
        for peer in self.peers:
            node = self._node(peer)
            self._SyncObj__raftMatchIndex.setdefault(node, 0)
            self._SyncObj__lastResponseTime.setdefault(node, self.now())
        for peer in set(self._nodes) - set(self.peers):
            if not self.is_connected(peer):
                self._forget(peer)
        self._SyncObj__otherNodes = {self._node(peer) for peer in self.voting_peers}
        seats = self.rosters.current.seats
        self._link.set_peers(
            {peer: seats[peer].raft for peer in self.peers}, {peer: seats[peer].key for peer in self.peers}
        )

    def proven_keys(self) -> Mapping[str, str]:
        return self._link.proven_keys()

    def _node(self, peer: str) -> PeerNode:
        node = self._nodes.get(peer)
        if node is None:
            node = self._nodes[peer] = PeerNode(peer)
        return node

    def _forget(self, peer: str) -> None:
        node = self._nodes.pop(peer)
        self._SyncObj__raftMatchIndex.pop(node, None)
        self._SyncObj__lastResponseTime.pop(node, None)

    def send(self, peer: str, message: PeerMessage) -> bool:
        return bool(self._outbox.post(peer, message))

    def has_room(self, peer: str) -> bool:
        return bool(self._outbox.has_room(peer))

    # State

    @property
    def term(self) -> int:
        return int(self._SyncObj__raftCurrentTerm)

    @property
    def state(self) -> int:
        return int(self._SyncObj__raftState)

    @property
    def is_leader(self) -> bool:
        return self.state == LEADER

    @property
    def leader_id(self) -> str | None:
        leader: Any = self._SyncObj__raftLeader
        return None if leader is None else str(leader.id)

    @property
    def commit_index(self) -> int:
        return int(self._SyncObj__raftCommitIndex)

    @property
    def applied_index(self) -> int:
        return int(self._SyncObj__raftLastApplied)

    @property
    def is_transferring(self) -> bool:
        return bool(self._SyncObj__transferInProgress)

    def stand_at(self, index: int) -> None:
        """The state machine has everything up to here, and that much is committed."""
        self._SyncObj__raftLastApplied = index
        self._SyncObj__raftCommitIndex = max(self.commit_index, index)

    def step_down(self, term: int) -> None:
        """Another node is in a later term."""
        self._SyncObj__setCurrentTerm(term, None)
        self._SyncObj__setState(FOLLOWER)
        self._SyncObj__raftLeader = None

    # Followers, as their leader sees them

    def match_of(self, peer: str) -> int:
        return int(self._SyncObj__raftMatchIndex.get(self._node(peer), 0))

    def set_match(self, peer: str, index: int) -> None:
        self._SyncObj__raftMatchIndex[self._node(peer)] = index

    def note_response(self, peer: str) -> None:
        self._SyncObj__lastResponseTime[self._node(peer)] = self.now()

    def heard_within(self, seconds: float) -> int:
        """How many voters this leader has heard from lately, itself included."""
        since = self.now() - seconds
        times: dict[PeerNode, float] = self._SyncObj__lastResponseTime
        return 1 + sum(times.get(self._node(peer), since) > since for peer in self.voting_peers)

    # Deadlines

    @property
    def election_deadline_s(self) -> float:
        return float(self._SyncObj__raftElectionDeadline)

    def campaign_at_once(self) -> None:
        self._SyncObj__raftElectionDeadline = 0.0

    def next_heartbeat_s(self) -> float:
        return float(self._SyncObj__newAppendEntriesTime)


def _configuration(timing: RaftTiming) -> SyncObjConf:
    return SyncObjConf(
        autoTick=False,
        # Sending is the adapter's own; with batches pysyncobj neither sends per command nor opens a pipe.
        appendEntriesUseBatch=True,
        # An entry as large as a batch would be sent as pickled chunks. None ever is.
        appendEntriesBatchSizeBytes=2 * COMMAND_BYTES_MAX,
        commandsWaitLeader=False,
        raftMinTimeout=timing.election_s_min,
        raftMaxTimeout=timing.election_s_max,
        appendEntriesPeriod=timing.heartbeat_s,
        connectionTimeout=timing.silence_s,
        connectionRetryTime=timing.connect_retry_s,
        leaderFallbackTimeout=timing.leader_fallback_s,
        fullDumpFile=None,
        journalFile=None,
        dynamicMembershipChange=False,
    )
