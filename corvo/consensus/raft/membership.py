"""Membership, how the roster changes: one change at a time, by the leader.

    admit, dismiss -> [membership] -> proposals -> log -> rosters

Some changes a leader makes unasked: it writes down where it is to be found, and gives a vote to members that
have caught up.
"""

import contextlib
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
        current = core.rosters.current
        is_known = self._seat is None or (
            core.rosters.is_recorded and current.seats.get(core.node_id) == self._seat
        )
        ready = next((peer for peer in core.peers if self._may_vote(peer)), None)
        if (is_known and ready is None) or not self.is_settled:
            return
        with contextlib.suppress(DiskFull):
            if self._seat is not None and not is_known:
                self.propose(current.with_seat(core.node_id, self._seat), None)
            elif ready is not None:
                self.propose(current.with_vote(ready), None)

    def _may_vote(self, peer: str) -> bool:
        core = self._core
        if core.rosters.current.is_voter(peer) or not core.is_connected(peer):
            return False
        # To have the entries is not enough: one that is busy applying a long log would slow all others down.
        reached = min(core.match_of(peer), self._replication.stored_index_of(peer))
        return reached + _NEARLY_THERE >= core.commit_index
