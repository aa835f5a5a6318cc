"""Feed: what consensus says, turned into messages. The state machine as consensus sees it.

consensus --committed, lost, role_changed--> [feed] --> fsm, proposer
"""

from collections.abc import Iterator

from corvo.actors.kernel.api import ActorAddress
from corvo.actors.kernel.system import System
from corvo.actors.messages import Batch, Committed, Lost, RoleChanged
from corvo.consensus.api import Position, Role, SnapshotSink
from corvo.storage.kv import Kv
from corvo.storage.snapshot import chunks


class Feed:
    """Implements consensus.api.StateMachine. Made before the proposer, who is introduced later."""

    def __init__(self, system: System, fsm: ActorAddress, kv: Kv, position: Position) -> None:
        self._system = system
        self._fsm = fsm
        self._kv = kv
        self._position = position
        self.proposer: ActorAddress | None = None

    def position(self) -> Position:
        return self._position

    def committed(self, position: Position, command: bytes, ticket: object | None) -> None:
        assert ticket is None or isinstance(ticket, Batch)
        self._system.tell(self._fsm, Committed(position, command, ticket))

    def passed(self, position: Position) -> None:
        self._system.tell(self._fsm, Committed(position, b"", None))

    def lost(self, ticket: object) -> None:
        assert isinstance(ticket, Batch)
        assert self.proposer is not None, "nothing is proposed before there is a proposer"
        self._system.tell(self.proposer, Lost(ticket))

    def role_changed(self, role: Role, term: int, leader_id: str | None) -> None:
        self._system.tell(self._fsm, RoleChanged(role, term, leader_id))

    def stream(self) -> Iterator[bytes]:
        return chunks(self._kv.snapshot())

    def receive(self) -> SnapshotSink:
        raise AssertionError("a node without peers is sent no snapshots")
