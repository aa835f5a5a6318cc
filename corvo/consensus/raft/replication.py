"""Replication, the leader's side: bringing every follower's log to the state of its own.

    journal -> [replication] -> outbox -> link

pysyncobj lets an acknowledgement move its idea of a follower backwards and walks back one entry per
heartbeat while it keeps sending. Here an acknowledgement only ever moves forward, a refusal is answered by
a single probe at the one place that surely matches, and answers to older messages are recognised as such.
"""

import math
from collections.abc import Iterator
from typing import Final

import structlog

from corvo.consensus.api import CommitListener
from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.raft.progress import FollowerMode, FollowerProgress
from corvo.consensus.raft.snapshot_out import OutgoingSnapshot
from corvo.consensus.raft.stats import RaftStats
from corvo.consensus.raft.syncobj_state import SyncObjState
from corvo.consensus.settings import MESSAGE_ENTRIES_MAX

log = structlog.get_logger()

#: How long a follower that could not store something is left alone.
_REST_S: Final = 1.0
#: Chunks read from the state machine before the loop gets a turn.
_CHUNKS_PER_ROUND: Final = 2
#: After them a snapshot rests this many times as long as they took, if clients wrote meanwhile: clients come
#: first, a follower that is a million jobs behind can wait, and a fifth of this node's time is enough for it.
_REST_PER_WORK: Final = 4


class Replication:
    def __init__(self, core: SyncObjState, listener: CommitListener, stats: RaftStats) -> None:
        self._core = core
        self._listener = listener
        self._stats = stats
        self._followers: dict[str, FollowerProgress] = {}
        self._transfers = 0

    # Beginning and end

    def begin(self) -> None:
        """Elected. Every follower is assumed to be where this log ends, until it says otherwise."""
        self.end()
        self._followers = {
            peer: FollowerProgress(self._core.journal.last_index + 1) for peer in self._core.peers
        }

    def end(self) -> None:
        for follower in self._followers.values():
            follower.drop_snapshot()
        self._followers = {}

    def restart(self, peer: str) -> None:
        """A connection is there, or gone: what was on the way is lost, the follower may have lost more."""
        before = self._followers.pop(peer, None)
        if before is None:
            return
        # A node that is no longer a member was still to hear of it, and that was the last chance.
        if peer not in self._core.peers:
            before.drop_snapshot()
            return
        follower = self._followers[peer] = FollowerProgress(self._core.journal.last_index + 1)
        self._core.set_match(peer, 0)
        if before.snapshot is not None:
            follower.go_on_with(before.snapshot)
            if self._core.is_connected(peer):
                self._stats.snapshots_resumed += 1
                log.info("snapshot.resumed", follower=peer, transfer=before.snapshot.number)
            else:
                follower.held_until_s = self._core.now() + self._core.timing.snapshot_hold_s

    def follow_roster(self) -> None:
        """New members are brought up to date. Removed ones stay until they disconnect, to learn of it."""
        if self._core.is_leader:
            for peer in self._core.peers:
                if peer not in self._followers:
                    self._followers[peer] = FollowerProgress(self._core.journal.last_index + 1)
                    self._core.set_match(peer, 0)

    # Sending

    def send(self, *, heartbeat: bool) -> None:
        for peer, follower in self._followers.items():
            if not self._core.is_connected(peer):
                if self._core.now() > follower.held_until_s:
                    self._break_off(peer, follower, "the follower was away for too long")
                continue
            said = self._send_to(peer, follower)
            if heartbeat and not said:
                self._send_heartbeat(peer, follower)

    def stored_index_of(self, peer: str) -> int:
        """How far the state machine of this follower is durable, as far as is known."""
        follower = self._followers.get(peer)
        return 0 if follower is None else follower.stored_index

    @property
    def is_needed(self) -> bool:
        """Whether there is any follower to send to."""
        return bool(self._followers)

    @property
    def has_more(self) -> bool:
        """Whether another round would send more at once."""
        now = self._core.now()
        return any(due_s <= now for due_s in self._chunks_due())

    def next_deadline_s(self) -> float | None:
        """When followers are to hear something although nothing happens, or None."""
        if not self._followers:
            return None
        return min(self._core.next_heartbeat_s(), *self._chunks_due(), math.inf)

    def _chunks_due(self) -> Iterator[float]:
        """For each follower that could take the next chunk of its snapshot: when it is to have it."""
        for peer, follower in self._followers.items():
            has_chunks = follower.snapshot is not None and follower.snapshot.has_more
            if has_chunks and self._core.is_connected(peer) and self._core.has_room(peer):
                yield follower.resting_until_s

    def _send_to(self, peer: str, follower: FollowerProgress) -> bool:
        if follower.mode is FollowerMode.SNAPSHOT:
            return self._send_chunks(peer, follower)
        now = self._core.now()
        if now < follower.asleep_until_s or not self._core.has_room(peer):
            return False
        if follower.mode is FollowerMode.PROBE:
            if now < follower.probe_until_s:
                return False
            follower.probe_until_s = now + self._core.timing.election_s_max
            return self._send_entries(peer, follower)
        return self._stream(peer, follower)

    def _stream(self, peer: str, follower: FollowerProgress) -> bool:
        said = False
        core = self._core
        last = self._last_index_for(peer)
        while follower.next_index <= last and follower.in_flight_bytes < core.flow.window_bytes:
            if not core.has_room(peer) or not self._send_entries(peer, follower):
                return said
            said = True
        if not said and follower.commit_told < core.commit_index:
            return self._send_entries(peer, follower, entries_max=0)
        return said

    def _send_entries(
        self, peer: str, follower: FollowerProgress, *, entries_max: int = MESSAGE_ENTRIES_MAX
    ) -> bool:
        """One message: where it continues, the entries from there on that fit, and what is committed."""
        journal = self._core.journal
        previous = follower.next_index - 1
        previous_term = journal.term_at(previous)
        if previous_term is None:
            self._begin_snapshot(peer, follower)
            return self._send_chunks(peer, follower)
        entries_max = min(entries_max, max(0, self._last_index_for(peer) - previous))
        entries, size = journal.batch(
            follower.next_index, bytes_max=self._core.flow.message_bytes, entries_max=entries_max
        )
        message = {
            "type": "append_entries",
            "term": self._core.term,
            "sequence": follower.sequence + 1,
            "commit_index": self._core.commit_index,
            "prevLogIdx": previous,
            "prevLogTerm": previous_term,
            "entries": entries,
        }
        if not self._core.send(peer, message):
            return False
        follower.sequence += 1
        follower.commit_told = self._core.commit_index
        if entries:
            follower.sent(entries[-1][1], size)
        return True

    def _last_index_for(self, peer: str) -> int:
        """How far this follower is told. One that was dismissed hears of that once it is decided.

        With the undecided roster in its log it would neither stand for election nor vote for a node that
        lacks it, and should this leader fail, too few might be left to elect another.
        """
        return self._core.journal.last_index if peer in self._core.peers else self._core.commit_index

    def _send_heartbeat(self, peer: str, follower: FollowerProgress) -> None:
        if follower.mode is FollowerMode.STREAM:
            self._send_entries(peer, follower, entries_max=0)
        else:
            # Only says that this leader is there. It proves nothing about the log, so it commits nothing.
            self._core.send(peer, {"type": "keepalive", "term": self._core.term})

    # Hearing

    def on_reply(self, peer: str, message: PeerMessage) -> None:
        core = self._core
        if message["term"] != core.term or not core.is_leader:
            return
        follower = self._followers.get(peer)
        if follower is None:
            return
        core.note_response(peer)
        follower.stored_index = message["stored_index"]
        if follower.mode is FollowerMode.SNAPSHOT:
            return
        if message["success"]:
            self._matched(peer, follower, message["next_node_idx"] - 1)
        if message["is_full"]:
            known = core.match_of(peer) >= core.journal.first_index
            follower.turn_to((core.match_of(peer) if known else core.journal.last_index) + 1)
            follower.asleep_until_s = core.now() + _REST_S
        elif message["reset"] and not follower.is_answered_late(message["sequence"]):
            self._go_back(peer, follower, message["next_node_idx"])

    def _matched(self, peer: str, follower: FollowerProgress, index: int) -> None:
        index = max(index, self._core.match_of(peer))
        self._core.set_match(peer, index)
        follower.acknowledged(index)

    def _go_back(self, peer: str, follower: FollowerProgress, wanted: int) -> None:
        first = self._core.journal.first_index
        wanted = max(wanted, self._core.match_of(peer) + 1)
        if wanted <= first and not follower.start_was_refused:
            # It asks for what it has committed; its log may reach further, so our whole log is tried first.
            follower.start_was_refused = True
            wanted = first + 1
        elif follower.start_was_refused:
            wanted = first
        follower.turn_to(wanted)

    # Snapshots

    def hold_index(self) -> int | None:
        """The first entry that a snapshot on its way or a connected follower still needs."""
        core = self._core
        needed = []
        for peer, follower in self._followers.items():
            if follower.snapshot is not None:
                needed.append(follower.snapshot.floor_index)
            elif core.is_connected(peer) and core.match_of(peer) >= core.journal.first_index:
                needed.append(core.match_of(peer))
        return min(needed, default=None)

    def on_snapshot_reply(self, peer: str, message: PeerMessage) -> None:
        core = self._core
        if message["term"] != core.term or not core.is_leader:
            return
        follower = self._followers.get(peer)
        if follower is None:
            return
        core.note_response(peer)
        snapshot = follower.snapshot
        if snapshot is None or snapshot.number != message["transfer"]:
            return
        if not message["success"]:
            self._break_off(peer, follower, "the follower refused a chunk")
        elif message["installed_index"] is None:
            snapshot.acknowledged(message["number"])
            follower.is_resuming = False
        else:
            follower.drop_snapshot()
            self._stats.snapshots_sent += 1
            follower.turn_to(message["installed_index"] + 1)
            self._matched(peer, follower, message["installed_index"])

    def _begin_snapshot(self, peer: str, follower: FollowerProgress) -> None:
        self._transfers += 1
        follower.mode = FollowerMode.SNAPSHOT
        follower.snapshot = OutgoingSnapshot(
            self._transfers, self._listener.stream(), floor_index=self._core.stored_index
        )
        log.info("snapshot.begun", follower=peer, transfer=self._transfers)

    def _send_chunks(self, peer: str, follower: FollowerProgress) -> bool:
        assert follower.snapshot is not None
        began_s = self._core.now()
        if began_s < follower.resting_until_s:
            return False
        said = False
        for _ in range(_CHUNKS_PER_ROUND):
            if not self._core.has_room(peer):
                break
            message = follower.snapshot.next_message(self._core.term)
            if message is None:
                break
            if not self._core.send(peer, message):
                break  # The connection is gone. On the next one the transfer goes on.
            said = True
        last_index, ended_s = self._core.journal.last_index, self._core.now()
        if last_index > follower.log_was_at:
            follower.resting_until_s = ended_s + _REST_PER_WORK * (ended_s - began_s)
        follower.log_was_at = last_index
        return said

    def _break_off(self, peer: str, follower: FollowerProgress, reason: str) -> None:
        follower.drop_snapshot()
        follower.held_until_s = math.inf
        follower.turn_to(self._core.journal.last_index + 1)
        # A follower that only does not know how to go on can begin again at once.
        follower.asleep_until_s = 0.0 if follower.is_resuming else self._core.now() + _REST_S
        follower.is_resuming = False
        self._stats.snapshots_broken_off += 1
        log.warning("snapshot.broken_off", follower=peer, reason=reason)
