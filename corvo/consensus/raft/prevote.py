"""Pre-vote: a node campaigns only if a majority would vote for it and hears no leader either.

Without this, a node that slept for a second or was cut off raises its term and unseats a healthy leader
the moment it is back. pysyncobj has no such round, so it is put in front of its only election condition.
"""

from corvo.consensus.link.protocol import PeerMessage
from corvo.consensus.raft.syncobj_state import SyncObjState


class PreVote:
    def __init__(self, core: SyncObjState) -> None:
        self._core = core
        self._round = 0
        self._granted: set[str] | None = None
        self._until_s = 0.0
        self._leader_heard_s = float("-inf")

    def may_campaign(self) -> bool:
        """Asked whenever the election deadline has passed. Starts a round of asking if none is running."""
        core = self._core
        if not core.is_voter:
            return False
        if not core.voting_peers or core.is_transferring:
            return core.journal.has_room_for_election()
        if core.voters_connected() == 1 or not core.journal.has_room_for_election():
            return False
        if self._granted is not None and core.is_majority(1 + len(self._granted)):
            self._granted = None
            return True
        if self._granted is None or core.now() >= self._until_s:
            self._ask()
        return False

    def next_deadline_s(self) -> float:
        """When an unanswered round is over and the next may start."""
        return self._until_s

    def leader_heard(self) -> None:
        self._leader_heard_s = self._core.now()
        self._granted = None

    def forget(self) -> None:
        """Elected, or in another term: a running round has no meaning any more."""
        self._granted = None

    def on_request(self, peer: str, message: PeerMessage) -> None:
        core = self._core
        if message["term"] <= core.term:
            core.send(peer, {"type": "stale_term", "term": core.term})
            return
        theirs = (message["last_log_term"], message["last_log_index"])
        ours = (core.journal.last_term, core.journal.last_index)
        if theirs >= ours and not self.leader_is_alive(self._core.timing.election_s_min):
            core.send(peer, {"type": "pre_vote_ok", "round": message["round"]})

    def on_grant(self, peer: str, message: PeerMessage) -> None:
        is_asked = self._core.rosters.current.is_voter(peer)
        if self._granted is not None and message["round"] == self._round and is_asked:
            self._granted.add(peer)

    def _ask(self) -> None:
        core = self._core
        low, high = core.timing.election_s_min, core.timing.election_s_max
        self._round += 1
        self._granted = set()
        # Two nodes that ask at the same time must not do so for ever.
        self._until_s = core.now() + (low + core.chance.random() * (high - low)) / 2
        for peer in core.voting_peers:
            core.send(
                peer,
                {
                    "type": "pre_vote",
                    "term": core.term + 1,
                    "round": self._round,
                    "last_log_index": core.journal.last_index,
                    "last_log_term": core.journal.last_term,
                },
            )

    def leader_is_alive(self, lately_s: float) -> bool:
        """Whether the leader was heard of lately; of a leader, whether a majority was."""
        core = self._core
        if core.is_leader:
            return core.is_majority(core.heard_within(lately_s))
        return core.now() - self._leader_heard_s < lately_s
