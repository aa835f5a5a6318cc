"""Consensus listener: what consensus says, turned into messages. The state machine as consensus sees it.

consensus --committed, configured, lost, role_changed--> [consensus listener] --> fsm, proposer
          --snapshot of the leader's state-----------------^
"""

from collections.abc import Callable, Iterator

from corvo.actors.cluster.messages import ChangeTicket, MembershipChanged
from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.system import System
from corvo.actors.state.messages import Committed, Configured, InstallStore, RoleChanged
from corvo.actors.state.store_sink import StoreSink
from corvo.actors.write.messages import Declined, EntryBatch, Lost
from corvo.consensus.api import Position, Role, SnapshotSink
from corvo.core.errors import OutcomeUnknown
from corvo.storage import keys
from corvo.storage.datadir import DataDir
from corvo.storage.kv import Kv
from corvo.storage.snapshot import chunks


class ConsensusListener:
    """Implements consensus.api.CommitListener. Made before the proposer, which is introduced later."""

    def __init__(
        self, system: System, fsm: ActorAddress, kv: Kv, position: Position, folder: DataDir | None = None
    ) -> None:
        self._system = system
        self._fsm = fsm
        self._kv = kv
        self._stored = position
        self._roster = kv.get(keys.ROSTER)
        #: The last entry that was handed on.
        self._told = position
        self._folder = folder
        self.proposer: ActorAddress | None = None
        #: Told of every roster that is decided, and where.
        self.on_roster: Callable[[int, bytes], None] | None = None

    def position(self) -> Position:
        return self._stored

    def roster(self) -> bytes | None:
        return self._roster

    def committed(self, position: Position, command: bytes, ticket: object | None) -> None:
        assert ticket is None or isinstance(ticket, EntryBatch)
        self._told = position
        self._system.tell(self._fsm, Committed(position, command, ticket))

    def configured(self, position: Position, roster: bytes, ticket: object | None) -> None:
        self._told = position
        self._system.tell(self._fsm, Configured(position, roster))
        if self.on_roster is not None:
            self.on_roster(position.index, roster)
        if ticket is not None:
            assert isinstance(ticket, ChangeTicket)
            self._system.tell(ticket.asker, MembershipChanged(position.index, ticket.tag))

    def passed(self, position: Position) -> None:
        self._told = position
        self._system.tell(self._fsm, Committed(position, b"", None))

    def lost(self, ticket: object) -> None:
        if isinstance(ticket, ChangeTicket):
            error = OutcomeUnknown("the change was not confirmed in time", retry_after_ms=500)
            self._system.tell(ticket.asker, Declined(error, ticket.tag))
            return
        assert isinstance(ticket, EntryBatch)
        assert self.proposer is not None, "nothing is proposed before there is a proposer"
        self._system.tell(self.proposer, Lost(ticket))

    def role_changed(self, role: Role, term: int, leader_id: str | None) -> None:
        self._system.tell(self._fsm, RoleChanged(role, term, leader_id))

    def stream(self) -> Iterator[bytes]:
        return chunks(self._kv.snapshot())

    def receive(self) -> SnapshotSink:
        assert self._folder is not None, "a node without a folder is sent no snapshots"
        return StoreSink(self._folder, lambda: self._told, self._install)

    def _install(self, store: Kv, position: Position) -> None:
        self._told = position
        self._roster = store.get(keys.ROSTER)
        self._system.tell(self._fsm, InstallStore(store))
