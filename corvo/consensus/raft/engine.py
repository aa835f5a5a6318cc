"""The Raft engine: pysyncobj's elections, terms and commit rule, with everything unsafe replaced.

    driver -> [engine] -> journal, outbox, state machine

pysyncobj as it comes loses acknowledged entries and runs code that strangers send: docs/design/consensus.md
lists how, and each override below answers one point of it. Overrides keep pysyncobj's names; what they decide
lives in `appending`, `replication`, `prevote` and the two snapshot files. In which order pysyncobj calls
them is told in `driver`.
"""

from collections.abc import Callable

import structlog
from pysyncobj.config import FAIL_REASON

from corvo.consensus.api import JournalEntry, Position, Role
from corvo.consensus.errors import DiskFull, StateBehindLog
from corvo.consensus.journal.recovery import NO_COMMAND
from corvo.consensus.link.protocol import ANSWERS, CLAIMS, PeerMessage
from corvo.consensus.raft.appending import prepare, without_entries
from corvo.consensus.raft.compaction import cut_index
from corvo.consensus.raft.context import RaftContext
from corvo.consensus.raft.feeding import Feeding, is_swamped
from corvo.consensus.raft.membership import Membership
from corvo.consensus.raft.prevote import PreVote
from corvo.consensus.raft.replication import Replication
from corvo.consensus.raft.snapshot_in import ChunkRefused, IncomingSnapshot
from corvo.consensus.raft.syncobj_state import CANDIDATE, FOLLOWER, LEADER, PeerNode, SyncObjState
from corvo.consensus.roster import Roster

log = structlog.get_logger()


class Engine(SyncObjState):
    def __init__(self, context: RaftContext) -> None:
        self._limits = context.limits
        self._proposals = context.proposals
        self._stats = context.stats
        self._heartbeat_is_due = False
        self._is_handing_over = False
        self._heir: str | None = None
        self._tends_roster = context.settings.seat is not None
        self._voters: set[str] = set()
        #: The entry this leader began its term with. Once applied, all earlier ones are too.
        self._first_of_term = 0
        self._feeding = Feeding(context.proposals, context.rosters, context.settings.flow)
        #: Number of the message being handled, to be repeated in the answer.
        self._answering = 0
        self._is_swamped = False
        super().__init__(context)
        self.prevote = PreVote(self)
        self._replication = Replication(self, context.listener, context.stats)
        self.membership = Membership(self, self._replication, context.proposals, context.settings.seat)
        self._incoming = IncomingSnapshot(context.listener)
        self._routes: dict[str, Callable[[PeerNode, PeerMessage], None]] = {
            "append_entries": self._on_entries,
            "keepalive": self._on_keepalive,
            "snapshot_chunk": self._on_chunk,
            "next_node_idx": lambda node, message: self._replication.on_reply(node.id, message),
            "snapshot_reply": lambda node, message: self._replication.on_snapshot_reply(node.id, message),
            "pre_vote": lambda node, message: self.prevote.on_request(node.id, message),
            "pre_vote_ok": lambda node, message: self.prevote.on_grant(node.id, message),
            "stale_term": self._on_stale_term,
            "response_vote": self._on_vote,
            "request_vote": super()._SyncObj__onMessageReceived,
            "timeout_now": super()._SyncObj__onMessageReceived,
        }
        self._listener = context.listener
        self._resume(context.listener.position())
        self.follow_roster()
        if self.is_voter and not self.voting_peers:
            self.campaign_at_once()

    # What the driver asks

    @property
    def role(self) -> Role:
        """A leader counts as candidate until everything before its term is applied: only then may it lead."""
        if self.state == FOLLOWER:
            return Role.FOLLOWER
        if self.state == CANDIDATE or self.applied_index < self._first_of_term:
            return Role.CANDIDATE
        return Role.LEADER

    @property
    def known_leader(self) -> str | None:
        """The leader, as far as this node can tell; None if it has lost the connection to it."""
        leader = self.leader_id
        if leader is None or leader == self.node_id or self.is_connected(leader):
            return leader
        return None

    def tick(self) -> None:
        if self._stats.is_storage_full:
            self._stats.is_storage_full = not self.journal.has_room()
        self._set_clock()
        self.doTick(0)

    def replicate(self) -> None:
        """Send what is new. A heartbeat that is due goes to followers that were not sent anything."""
        if self.is_leader:
            heartbeat, self._heartbeat_is_due = self._heartbeat_is_due, False
            self._replication.send(heartbeat=heartbeat)
            if self._is_handing_over:
                self.hand_over(patiently=True, heir=self._heir)
            elif self._tends_roster and self.role is Role.LEADER:
                self.membership.tend()

    def has_work(self) -> bool:
        """Whether another tick would get further without anything happening first."""
        appliable = min(self.commit_index, self.journal.durable_index)
        durable_term = self.journal.term_at(self.journal.durable_index)
        committable = self.is_leader and not self.voting_peers and durable_term == self.term
        return (
            (self.applied_index < appliable and self._feeding.has_room)
            or (committable and self.commit_index < self.journal.durable_index)
            or (self.is_leader and self._proposals.is_waiting)
            or self._replication.has_more
            or self._cut_index() is not None
        )

    def next_deadline_s(self) -> float | None:
        """When something is due although nothing happens, or None."""
        if self.is_leader:
            return self._replication.next_deadline_s()
        if not self.voting_peers or not self.is_voter:
            return None
        if self.election_deadline_s > self.now():
            return self.election_deadline_s
        if self.voters_connected() > 1 and self._feeding.has_room:
            return self.prevote.next_deadline_s()
        return None

    def receive(self, peer: str, message: PeerMessage) -> None:
        is_rival = self.is_voter and not self.voting_peers and peer not in self.peers
        if is_rival and message["type"] not in ANSWERS:
            return  # No other node has a vote, so no other node can lead.
        self._set_clock()
        self._SyncObj__onMessageReceived(self._node(peer), message)

    def peer_connected(self, peer: str) -> None:
        self._SyncObj__onNodeConnected(self._node(peer))
        self._replication.restart(peer)

    def peer_disconnected(self, peer: str) -> None:
        self._SyncObj__onNodeDisconnected(self._node(peer))
        self._replication.restart(peer)
        if peer not in self.peers and peer != self.leader_id:
            self._forget(peer)

    def stored(self, position: Position) -> bool:
        """The state machine is durable up to here. True if it can be given more again."""
        self.stored_index = max(self.stored_index, position.index)
        return self._feeding.stored(self.stored_index)

    def hand_over(self, *, patiently: bool, heir: str | None = None) -> None:
        """Have a follower with the whole log take the lead; patiently, once all that was taken is applied."""
        if not self.is_leader or not self.voting_peers:
            return
        self._is_handing_over = patiently
        self._heir = heir
        is_idle = self.applied_index == self.journal.last_index and not self._proposals.is_waiting
        if is_idle or not patiently:
            self.transferLeadership(None if heir is None else self._node(heir), self._was_handed_over)

    def keep_lead(self) -> None:
        """No follower could take it, or not in time."""
        self._is_handing_over = False

    def _was_handed_over(self, _: object, reason: int) -> None:
        if reason == FAIL_REASON.SUCCESS:
            self._is_handing_over = False
            self._stats.handovers += 1

    def halt(self) -> None:
        """No more ticks will come."""
        self._replication.end()
        self._incoming.abort()

    # Starting

    def _resume(self, position: Position) -> None:
        """Go on where the state machine is durable; the log behind that will be fed to it again."""
        if position.index <= 1:
            position = Position(1, 0)
        if position.index < self.journal.first_index:
            raise StateBehindLog(
                f"the state machine ends at entry {position.index}, the log begins behind entry "
                f"{self.journal.first_index}: entries are gone, this node must rejoin as a new one"
            )
        if self.journal.term_at(position.index) != position.term:
            # Stopped between the arrival of a snapshot and the journal's note of it.
            self.journal.reset(position.index, position.term)
        if position.term > self.term:
            self._SyncObj__setCurrentTerm(position.term, None)
        self.stored(position)
        self.stand_at(position.index)
        if self.journal.last_index > position.index:
            self.rosters.added(self.journal.between(position.index + 1, self.journal.last_index))

    # Members

    def _roster_changed(self) -> None:
        self.follow_roster()
        self._replication.follow_roster()

    # Messages

    def _SyncObj__onMessageReceived(self, node: PeerNode, message: PeerMessage) -> None:
        if message["type"] in CLAIMS and message["term"] < self.term:
            self.send(node.id, {"type": "stale_term", "term": self.term})
        else:
            self._routes[message["type"]](node, message)

    def _on_stale_term(self, node: PeerNode, message: PeerMessage) -> None:
        if message["term"] > self.term:
            self.step_down(message["term"])

    def _on_vote(self, node: PeerNode, message: PeerMessage) -> None:
        is_asked = self.rosters.current.is_voter(node.id)
        if is_asked and node.id not in self._voters and message["term"] == self.term:
            self._voters.add(node.id)
            super()._SyncObj__onMessageReceived(node, message)

    def _on_keepalive(self, node: PeerNode, message: PeerMessage) -> None:
        self._on_leader_contact(node, message)
        self._answering = 0
        self._SyncObj__sendNextNodeIdx(node)

    def _on_entries(self, node: PeerNode, message: PeerMessage) -> None:
        self.prevote.leader_heard()
        # A leader that sends entries is not, or no longer, sending a snapshot.
        self._incoming.abort()
        self._answering = message["sequence"]
        try:
            message = prepare(message, self.journal, self.commit_index)
        except DiskFull:
            self._stats.is_storage_full = True
            self._on_leader_contact(node, message)
            self._reply(node.id, next_index=0, success=False, reset=False, is_full=True)
            return
        reached = {"commit_index": self.commit_index, "stored_index": self.stored_index}
        if message["entries"] and is_swamped(self.journal, self._limits, **reached):
            message, self._is_swamped = without_entries(message), True
        super()._SyncObj__onMessageReceived(node, message)
        self._is_swamped = False
        is_taken = self.journal.term_at(message["prevLogIdx"]) == message["prevLogTerm"]
        if is_taken and self.rosters.added(message["entries"]):
            self._roster_changed()

    def _on_leader_contact(self, node: PeerNode, message: PeerMessage) -> None:
        """Note that the leader lives, and nothing else: without entries pysyncobj does only that."""
        self.prevote.leader_heard()
        bare = {"type": "append_entries", "term": message["term"], "commit_index": self.commit_index}
        super()._SyncObj__onMessageReceived(node, bare)

    def _on_chunk(self, node: PeerNode, message: PeerMessage) -> None:
        self._on_leader_contact(node, message)
        installed = None
        try:
            position = self._incoming.take(node.id, message)
            if position is not None:
                self._installed(position)
                # Everything applied is committed, so it surely matches the leader's log.
                installed = self.applied_index
            success = True
        except ChunkRefused as refusal:
            log.warning("snapshot.chunk_refused", leader=node.id, reason=str(refusal))
            success = False
        self.send(
            node.id,
            {
                "type": "snapshot_reply",
                "term": self.term,
                "transfer": message["transfer"],
                "number": message["number"],
                "success": success,
                "installed_index": installed,
            },
        )

    def _installed(self, position: Position) -> None:
        self._stats.snapshots_installed += 1
        if position.index <= self.applied_index:
            return  # The state machine was further already and kept its own.
        self.stored(position)
        is_log_kept = self.journal.term_at(position.index) == position.term
        if not is_log_kept:
            self.journal.reset(position.index, position.term)
        self.stand_at(position.index)
        stored = self._listener.roster()
        base = None if stored is None else Roster.decode(stored)
        self.rosters.installed(base, position.index, is_log_kept=is_log_kept)
        self._roster_changed()

    def _SyncObj__sendNextNodeIdx(
        self, node: PeerNode, reset: bool = False, nextNodeIdx: int | None = None, success: bool = False
    ) -> None:
        # A refusal names the only place that is sure to match: what is committed here.
        next_index = self.commit_index + 1 if nextNodeIdx is None or reset else nextNodeIdx
        self._reply(node.id, next_index=next_index, success=success, reset=reset, is_full=self._is_swamped)

    def _reply(
        self, peer: str, *, next_index: int, success: bool, reset: bool, is_full: bool = False
    ) -> None:
        self.send(
            peer,
            {
                "type": "next_node_idx",
                "term": self.term,
                "sequence": self._answering,
                "next_node_idx": next_index,
                "stored_index": self.stored_index,
                "success": success,
                "reset": reset,
                "is_full": is_full,
            },
        )

    # Elections

    def _SyncObj__connectedToAnyone(self) -> bool:
        # A node whose state is far behind could not lead before it has caught up; another may.
        return self._feeding.has_room and self.prevote.may_campaign()

    def _SyncObj__generateRaftTimeout(self) -> float:
        low, high = self.timing.election_s_min, self.timing.election_s_max
        return low + (high - low) * self.chance.random()

    def _SyncObj__setState(self, newState: int) -> None:
        was_leader = self.is_leader
        super()._SyncObj__setState(newState)
        self._voters = set()
        if was_leader and newState != LEADER:
            self._is_handing_over = False
            self._replication.end()
            self._proposals.lose_all()

    def _SyncObj__onBecomeLeader(self) -> None:
        self.prevote.forget()
        self._incoming.abort()
        self._replication.begin()
        self._first_of_term = self.journal.last_index + 1
        self._stats.elections_won += 1
        super()._SyncObj__onBecomeLeader()

    # Sending

    def _SyncObj__sendAppendEntries(self) -> None:
        self._SyncObj__newAppendEntriesTime = self.now() + self.timing.heartbeat_s
        self._heartbeat_is_due = True

    # The log

    def _checkCommandsToApply(self) -> None:
        if self.is_leader and self.rosters.added(self._proposals.append_all(self.term)):
            self._roster_changed()

    def _SyncObj__getEntries(
        self, fromIDx: int, count: int | None = None, maxSizeBytes: int | None = None
    ) -> list[JournalEntry]:
        """Never a copy of the whole log, nor entries to commit or apply that a power cut could take."""
        assert maxSizeBytes is None, "entries to send are chosen by replication"
        if count is None:
            term = self.journal.term_at(fromIDx)
            return [] if term is None else [(NO_COMMAND, fromIDx, term)]
        count = min(count, self.flow.apply_entries, self.journal.durable_index + 1 - fromIDx)
        if count <= 0:
            return []
        return self.journal.batch(fromIDx, bytes_max=self.flow.apply_bytes, entries_max=count)[0]

    def _SyncObj__applyLogEntries(self) -> bool:
        return self._feeding.has_room and bool(super()._SyncObj__applyLogEntries())

    def _SyncObj__deleteEntriesFrom(self, fromIDx: int) -> None:
        raise AssertionError("entries are replaced one by one when they contradict, never deleted")

    def _SyncObj__doApplyCommand(self, command: bytes) -> None:
        position = Position(self.applied_index + 1, self.journal.term_at(self.applied_index + 1) or 0)
        self._feeding.feed(position, command)

    def _SyncObj__tryLogCompaction(self) -> None:
        index = self._cut_index()
        if index is not None:
            self._stats.entries_cut += index - self.journal.first_index
            self.journal.cut_to(index)

    def _SyncObj__loadDumpFile(self, clearJournal: bool) -> None:
        raise AssertionError("snapshots are streamed, there is no dump file")

    def _cut_index(self) -> int | None:
        return cut_index(
            self.journal,
            self._limits,
            stored_index=min(self.stored_index, self.applied_index),
            hold_index=self._replication.hold_index,
            is_alone=not self._replication.is_needed and not self.peers,
            needs_space=self._stats.is_storage_full,
        )
