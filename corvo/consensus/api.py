"""What the rest of a node knows of consensus: bytes in, the same bytes out in one order everywhere.

    batcher -> proposer -> [consensus] -> fsm -> store

Consensus knows nothing of jobs. It is handed commands (opaque bytes) by the leader's proposer and
hands every node the same commands in the same order. The state machine it feeds is durable by
itself: it stores its own position together with its data, so the log may be cut behind it.
"""

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from corvo.observe.histogram import Histogram

#: An entry as pysyncobj holds it: command, index, term.
JournalEntry = tuple[bytes, int, int]


class Role(enum.Enum):
    """What this node is in its group at the moment."""

    FOLLOWER = "follower"
    #: Asking for votes, or elected and still applying what earlier leaders left.
    CANDIDATE = "candidate"
    #: Takes proposals. Everything committed before its term has been handed to the state machine.
    LEADER = "leader"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in the log. The index orders entries, the term says which leader wrote this one."""

    index: int
    term: int


@dataclass(frozen=True, slots=True)
class ConsensusStatus:
    """A snapshot of one node's view, for /cluster/status, metrics and tests."""

    node_id: str
    role: Role
    term: int
    leader_id: str | None
    commit_index: int
    applied_index: int
    stored_index: int
    log_first_index: int
    log_last_index: int
    log_bytes: int
    has_quorum: bool
    #: How long the disk took to make entries durable.
    sync_time: Histogram
    peers: dict[str, "PeerStatus"]
    members: dict[str, "MemberStatus"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PeerStatus:
    """One other member, seen from here."""

    connected: bool
    match_index: int | None


@dataclass(frozen=True, slots=True)
class MemberStatus:
    """One member as the roster in force has it."""

    raft: str
    http: str
    is_voter: bool
    #: Its public key in hex; empty until it is known.
    key: str = ""


class SnapshotSink(Protocol):
    """Where a received snapshot is written, piece by piece, beside the state that is in use."""

    def write(self, chunk: bytes) -> None: ...

    def finish(self) -> Position:
        """Make the new state the one in use and say where it stands. Never goes backwards."""
        ...

    def abort(self) -> None: ...


class CommitListener(Protocol):
    """The state machine as consensus sees it; on a node, actors/state/consensus_listener.py.

    All calls come on the thread that ticks; none may block.
    """

    def position(self) -> Position:
        """The last entry whose effects are durable. Where feeding resumes after a restart."""
        ...

    def committed(self, position: Position, command: bytes, ticket: object | None) -> None:
        """Take this entry; it is decided. `ticket` is what `propose` was given, if this node proposed it.

        Every index is given once and in order, here, to `configured` or to `passed`. Must not raise: a node
        whose state machine does is stopped.
        """
        ...

    def roster(self) -> bytes | None:
        """What `configured` was last given before this state was stored, or None."""
        ...

    def configured(self, position: Position, roster: bytes, ticket: object | None) -> None:
        """The group has another roster. Keep these bytes with the state, as of this entry."""
        ...

    def passed(self, position: Position) -> None:
        """An entry of the group's own is decided: nothing to do, but the place in the log has moved on."""
        ...

    def lost(self, ticket: object) -> None:
        """The outcome of this proposal cannot be known here: it may or may not be committed one day.

        Every accepted ticket is answered exactly once, by this or by `committed`, within a bounded time.
        """
        ...

    def role_changed(self, role: Role, term: int, leader_id: str | None) -> None: ...

    def stream(self) -> Iterator[bytes]:
        """The whole state as chunks of at most 256 KiB, from one consistent snapshot."""
        ...

    def receive(self) -> SnapshotSink: ...


class HasStatus(Protocol):
    """The part of consensus that says which node leads and how far each node is."""

    def status(self) -> ConsensusStatus: ...


class KnowsLately(Protocol):
    """The part of consensus that says whether this node is up to date."""

    def is_current(self, within_s: float) -> bool:
        """Whether this node has heard of all that was decided up to so long ago, but for a round trip."""
        ...


class Consensus(Protocol):
    """One group of nodes that agree on a log."""

    def propose(self, command: bytes, ticket: object) -> None:
        """Append a command. Raises NotLeader, StorageFull or CommandTooLarge and then nothing happened."""
        ...

    def stored(self, position: Position) -> None:
        """The state machine is durable up to here: the log may be cut behind it, and more be handed over.

        A state machine that has too much left to store is given no more.
        """
        ...

    def status(self) -> ConsensusStatus: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...
