"""One voter without sockets, threads or a clock of its own: the whole of consensus but its surroundings.

    propose -> [member] -> state machine

`Raft` gives it the real surroundings, the simulator gives it simulated ones. What runs between is the same.
"""

from corvo.consensus.api import PeerStatus, Position, Role, StateMachine, Status
from corvo.consensus.driver import Driver
from corvo.consensus.engine import Engine
from corvo.consensus.faults import DiskFull
from corvo.consensus.journal import Journal
from corvo.consensus.outbox import Outbox
from corvo.consensus.parts import Parts, Surroundings
from corvo.consensus.proposals import Proposals
from corvo.consensus.settings import COMMAND_BYTES_MAX, RaftSettings
from corvo.consensus.stats import Stats
from corvo.core.errors import CommandTooLarge, NotLeader, StorageFull


class Member:
    def __init__(self, settings: RaftSettings, machine: StateMachine, surroundings: Surroundings) -> None:
        self._settings = settings
        disk = surroundings.disk
        limits = settings.journal.fitted(disk.bytes_total())
        self.stats = Stats()
        self.journal = Journal(disk, limits, sync=settings.sync)
        self.stats.damage = self.journal.damage
        self._proposals = Proposals(self.journal, machine, self.stats, patience_s=settings.timing.proposal_s)
        parts = Parts(
            settings=settings,
            limits=limits,
            surroundings=surroundings,
            machine=machine,
            journal=self.journal,
            proposals=self._proposals,
            outbox=Outbox(surroundings.link),
            stats=self.stats,
        )
        self.engine = Engine(parts)
        self.driver = Driver(self.engine, parts)

    @property
    def role(self) -> Role:
        return self.engine.role if self.driver.is_running else Role.STOPPED

    def propose(self, command: bytes, ticket: object) -> None:
        if len(command) > COMMAND_BYTES_MAX:
            raise CommandTooLarge(
                f"a command of {len(command)} bytes is over the limit of {COMMAND_BYTES_MAX}"
            )
        if self.role is not Role.LEADER:
            raise NotLeader("this node does not lead", leader_id=self.engine.leader_id)
        try:
            self._proposals.accept(command, ticket, self.engine.now())
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
        self.engine.stored(position)

    def status(self) -> Status:
        engine = self.engine
        is_leader = self.role is Role.LEADER
        connected = [peer for peer in engine.peers if engine.is_connected(peer)]
        return Status(
            node_id=self._settings.node_id,
            role=self.role,
            term=engine.term,
            leader_id=engine.leader_id if self.driver.is_running else None,
            commit_index=engine.commit_index,
            applied_index=engine.applied_index,
            stored_index=engine.stored_index,
            log_first_index=self.journal.first_index,
            log_last_index=self.journal.last_index,
            log_bytes=self.journal.bytes_held,
            has_quorum=self.driver.is_running and engine.is_majority(1 + len(connected)),
            peers={
                peer: PeerStatus(peer in connected, engine.match_of(peer) if is_leader else None)
                for peer in engine.peers
            },
        )
