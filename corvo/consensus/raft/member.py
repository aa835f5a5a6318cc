"""One member without sockets, threads or a clock of its own: all of consensus but its surroundings.

    propose -> [member] -> state machine

`RaftNode` gives it real surroundings, the simulator gives it simulated ones. What runs between is the same.
"""

from collections.abc import Callable
from dataclasses import replace

from corvo.consensus.api import CommitListener, ConsensusStatus, MemberStatus, PeerStatus, Position, Role
from corvo.consensus.errors import DiskFull
from corvo.consensus.journal.journal import Journal
from corvo.consensus.raft.context import RaftContext, Surroundings
from corvo.consensus.raft.driver import Driver
from corvo.consensus.raft.engine import Engine
from corvo.consensus.raft.outbox import Outbox
from corvo.consensus.raft.proposals import Proposals
from corvo.consensus.raft.stats import RaftStats
from corvo.consensus.roster import MEMBERS_MAX, Roster, Rosters, Seat
from corvo.consensus.settings import COMMAND_BYTES_MAX, RaftSettings
from corvo.core.errors import CommandTooLarge, MembershipBusy, MembershipRefused, NotLeader, StorageFull
from corvo.core.hosts import is_node_id


class Member:
    def __init__(self, settings: RaftSettings, listener: CommitListener, surroundings: Surroundings) -> None:
        self._settings = settings
        disk = surroundings.disk
        limits = settings.journal.fitted(disk.bytes_total())
        self.stats = RaftStats()
        self.journal = Journal(disk, limits, sync=settings.sync)
        self.stats.damage = self.journal.damage
        self._proposals = Proposals(self.journal, listener, self.stats, patience_s=settings.timing.proposal_s)
        recorded = listener.roster()
        rosters = Rosters(
            settings.first_roster() if recorded is None else Roster.decode(recorded),
            listener.position().index,
            is_recorded=recorded is not None,
        )
        context = RaftContext(
            settings=settings,
            limits=limits,
            surroundings=surroundings,
            listener=listener,
            journal=self.journal,
            proposals=self._proposals,
            outbox=Outbox(surroundings.link),
            rosters=rosters,
            stats=self.stats,
        )
        self.engine = Engine(context)
        self.driver = Driver(self.engine, context)

    @property
    def role(self) -> Role:
        return self.engine.role if self.driver.is_running else Role.STOPPED

    def propose(self, command: bytes, ticket: object) -> None:
        if len(command) > COMMAND_BYTES_MAX:
            raise CommandTooLarge(
                f"a command of {len(command)} bytes is over the limit of {COMMAND_BYTES_MAX}"
            )
        self._check_leading()
        self._accept(lambda: self._proposals.accept(command, ticket, self.engine.now()))

    def admit(self, node_id: str, member: MemberStatus, ticket: object) -> bool:
        """Take a node in, or note its new address. False if all of it is known already.

        It has no vote at first and gets one once it has caught up. Its key stays what it is once it is known.
        Raises NotLeader, StorageFull, MembershipRefused or MembershipBusy, and then nothing happened.
        """
        self._check_leading()
        if not is_node_id(node_id):
            raise MembershipRefused(
                "a node's id has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a "
                "letter or digit"
            )
        current = self.engine.rosters.current
        known = current.seats.get(node_id)
        if known is not None and known.key and member.key not in ("", known.key):
            raise MembershipRefused(
                f"{node_id} is a member with another key. If it is the same node and has lost its key, run "
                f"`corvo cluster forget-key {node_id}`; if it has lost its data, remove it first."
            )
        seat = Seat(member.raft, member.http, is_voter=known is not None and known.is_voter)
        seat = replace(seat, key="" if known is None else known.key)
        if member.key and self.engine.membership.can_note_keys(other_than=node_id):
            seat = replace(seat, key=member.key)
        if known == seat:
            return False
        if known is None and len(current.seats) >= MEMBERS_MAX:
            raise MembershipRefused(f"a cluster has at most {MEMBERS_MAX} members")
        self._change(current.with_seat(node_id, seat), ticket)
        return True

    def dismiss(self, node_id: str, ticket: object) -> bool:
        """Take a node out. False if it is no member. The leader cannot leave: it hands over first."""
        self._check_leading()
        current = self.engine.rosters.current
        if node_id not in current.seats:
            return False
        if node_id == self._settings.node_id:
            raise MembershipRefused("a leader cannot be removed; transfer the lead first")
        self._change(current.without(node_id), ticket)
        return True

    def forget_key(self, node_id: str, ticket: object) -> bool:
        """Whichever key this member shows next is its own. False if none was known."""
        self._check_leading()
        current = self.engine.rosters.current
        if node_id not in current.seats:
            raise MembershipRefused(f"{node_id} is no member; those are {', '.join(sorted(current.seats))}")
        if node_id == self._settings.node_id:
            raise MembershipRefused(f"{node_id} leads, so the other nodes know its key")
        if not current.seats[node_id].key:
            return False
        self._change(current.with_keys({node_id: ""}), ticket)
        return True

    def _change(self, roster: Roster, ticket: object) -> None:
        if not self.engine.membership.is_settled:
            raise MembershipBusy("another change of the membership is under way", retry_after_ms=200)
        self._accept(lambda: self.engine.membership.propose(roster, ticket))

    def _check_leading(self) -> None:
        if self.role is not Role.LEADER:
            raise NotLeader("this node does not lead", leader_id=self.engine.leader_id)

    def _accept(self, take: Callable[[], None]) -> None:
        try:
            take()
        except DiskFull:
            self.stats.is_storage_full = True
            self.stats.proposals_refused_full += 1
            self.driver.wake()
            raise StorageFull("the disk of the leader is full") from None
        except OSError as error:
            self.driver.fail(f"the disk failed: {error!r}")
            raise NotLeader("this node has just failed") from error
        self.driver.proposed()

    def stored(self, position: Position) -> None:
        if self.engine.stored(position):
            self.driver.wake()

    def status(self) -> ConsensusStatus:
        engine = self.engine
        is_leader = self.role is Role.LEADER
        return ConsensusStatus(
            node_id=self._settings.node_id,
            role=self.role,
            term=engine.term,
            leader_id=engine.known_leader if self.driver.is_running else None,
            commit_index=engine.commit_index,
            applied_index=engine.applied_index,
            stored_index=engine.stored_index,
            log_first_index=self.journal.first_index,
            log_last_index=self.journal.last_index,
            log_bytes=self.journal.bytes_held,
            sync_time=self.stats.sync_time.snapshot(),
            has_quorum=self.driver.is_running and engine.is_majority(engine.voters_connected()),
            peers={
                peer: PeerStatus(engine.is_connected(peer), engine.match_of(peer) if is_leader else None)
                for peer in engine.peers
            },
            members={
                node_id: MemberStatus(seat.raft, seat.http, seat.is_voter, seat.key)
                for node_id, seat in sorted(engine.rosters.current.seats.items())
            },
        )
