"""Membership, how the roster changes: one change at a time, by the leader.

    admit, dismiss -> [membership] -> proposals -> log -> rosters

Some changes a leader makes unasked: it writes down where it is to be found, gives a vote to members that have
caught up, and notes the key of a member when it first meets it. Keys are noted once every member is of a
version that can read them.
"""

import contextlib
from dataclasses import replace
from typing import Final

from corvo.consensus.errors import DiskFull
from corvo.consensus.raft.proposals import Proposals
from corvo.consensus.raft.replication import Replication
from corvo.consensus.raft.syncobj_state import SyncObjState
from corvo.consensus.roster import ROSTER, Roster, Seat

#: A newcomer that lacks no more entries than this gets its vote: the rest is on its way.
_NEARLY_THERE: Final = 128


class Membership:
    def __init__(
        self, core: SyncObjState, replication: Replication, proposals: Proposals, seat: Seat | None
    ) -> None:
        self._core = core
        self._replication = replication
        self._proposals = proposals
        self._seat = seat

    @property
    def is_settled(self) -> bool:
        """Whether the last change is decided, so that the next may be made."""
        core = self._core
        return core.rosters.index <= core.commit_index and not self._proposals.is_waiting_for(ROSTER)

    def propose(self, roster: Roster, ticket: object | None) -> None:
        """Change the roster by one member; only on a leader. Raises DiskFull."""
        assert self.is_settled
        self._proposals.accept(roster.encode(), ticket, self._core.now(), kind=ROSTER)

    def tend(self) -> None:
        """What a leader does unasked, once it may lead."""
        core = self._core
        wanted = self._wanted(core.rosters.current)
        if wanted is not None and self.is_settled:
            with contextlib.suppress(DiskFull):
                self.propose(wanted, None)

    def _wanted(self, current: Roster) -> Roster | None:
        """The roster as it should be, if it should be another: of several changes the first."""
        core = self._core
        own = self._own_seat(current)
        if own is not None and not (core.rosters.is_recorded and current.seats.get(core.node_id) == own):
            return current.with_seat(core.node_id, own)
        ready = next((peer for peer in core.peers if self._may_vote(peer)), None)
        if ready is not None:
            return current.with_vote(ready)
        return self._with_new_keys(current)

    def _own_seat(self, current: Roster) -> Seat | None:
        if self._seat is None:
            return None
        known = current.seats.get(self._core.node_id)
        if known != self._seat and not (self._seat.key and self.can_note_keys()):
            return replace(self._seat, key="" if known is None else known.key)
        return self._seat

    # Keys

    def can_note_keys(self, other_than: str = "") -> bool:
        """Whether every other member has shown a key, and so can read a roster with keys."""
        core = self._core
        seats, proven = core.rosters.current.seats, core.proven_keys()
        return all(seats[peer].key or peer in proven for peer in core.peers if peer != other_than)

    def _with_new_keys(self, current: Roster) -> Roster | None:
        if self._seat is None or not self._seat.key:
            return None  # This link proves no keys, so it never will know those of others.
        nameless = [peer for peer in self._core.peers if not current.seats[peer].key]
        if not nameless or not self.can_note_keys():
            return None
        proven = self._core.proven_keys()
        return current.with_keys({peer: proven[peer] for peer in nameless})

    def _may_vote(self, peer: str) -> bool:
        core = self._core
        if core.rosters.current.is_voter(peer) or not core.is_connected(peer):
            return False
        # To have the entries is not enough: one that is busy applying a long log would slow all others down.
        reached = min(core.match_of(peer), self._replication.stored_index_of(peer))
        return reached + _NEARLY_THERE >= core.commit_index
