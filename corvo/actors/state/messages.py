"""What the state machine's actor hears from consensus and the store, and what it tells its subscribers.

The imperative asks, the past tense tells; the docstring names sender and receiver. What it can be asked is in
questions.py.
"""

import enum

from corvo.actors.kernel.messages import Message
from corvo.actors.write.messages import EntryBatch
from corvo.consensus.api import Position, Role
from corvo.fsm.machine import Applied
from corvo.storage.kv import Kv, Writes

# From consensus


class Committed(Message, frozen=True):
    """consensus -> fsm: this entry is decided; apply it."""

    position: Position
    #: Empty for an entry of consensus itself.
    command: bytes
    #: Set on the node that proposed it.
    batch: EntryBatch | None


class Configured(Message, frozen=True):
    """consensus -> fsm: the cluster has another roster; keep it with the state, as of this entry."""

    position: Position
    roster: bytes


class InstallStore(Message, frozen=True):
    """consensus -> fsm: a snapshot of the leader's state was received; go on from there."""

    store: Kv


class RoleChanged(Message, frozen=True):
    """consensus -> fsm -> subscribers: another node leads, or none, or this node does now."""

    role: Role
    term: int
    leader_id: str | None

    @property
    def leads(self) -> bool:
        """Whether this node leads: what only a leader does begins and ends with this."""
        return self.role is Role.LEADER


# The store


class Land(Message, frozen=True):
    """fsm -> store writer: write this entry's batch to disk."""

    index: int
    term: int
    writes: Writes


class Landed(Message, frozen=True):
    """store writer -> fsm: everything up to this entry is on disk."""

    index: int
    term: int


class LandFailed(Message, frozen=True):
    """store writer -> fsm: there is no room on the disk. Nothing is written until Resume."""

    index: int


class Resume(Message, frozen=True):
    """fsm -> store writer: the store was opened again; what did not land follows."""


class Adopt(Message, frozen=True):
    """fsm -> store writer: what follows belongs into this store, which takes the place of the old one."""

    store: Kv


class Adopted(Message, frozen=True):
    """store writer -> fsm: the new store is in use."""


# What subscribers are told


class Topic(enum.Enum):
    """What can be subscribed to."""

    LEVELS = "levels"  # LevelsChanged, KeysUsed
    DUE = "due"  # DueChanged
    ROLE = "role"  # RoleChanged
    WRITES = "writes"  # StoreFull, LagChanged, SlowDown
    STORED = "stored"  # Landed: the store is durable up to here
    LANDED = "landed"  # EntryLanded: what each entry that landed did
    REPLACED = "replaced"  # StateReplaced
    BULK = "bulk"  # BulkMoved
    AUDIT = "audit"  # ChecksumReached
    ACCESS = "access"  # AccessChanged
    RECORDS = "records"  # AuditWritten


class Subscribe(Message, frozen=True):
    """any actor -> fsm: from now on tell me of this kind of thing. May be repeated."""

    topics: tuple["Topic", ...]


class EntryLanded(Message, frozen=True):
    """fsm -> subscribers, such as the mirror: this entry is on disk, and this is what it did."""

    applied: Applied


class StateReplaced(Message, frozen=True):
    """fsm -> subscribers: entries were skipped, so what you know from landed entries may be old."""

    index: int


class StoreFull(Message, frozen=True):
    """fsm, proposer -> batcher: refuse writes for want of room, or take them again."""

    full: bool
    #: Whether trying is the only way to find out that there is room again.
    try_again: bool = False


class LagChanged(Message, frozen=True):
    """fsm -> batcher: whether too many entries are applied that have not reached the disk."""

    too_far: bool


class SlowDown(Message, frozen=True):
    """mirror writer -> fsm -> batcher: how long to rest after an entry, so that the mirror can keep up."""

    #: For each job in it.
    rest_us: int
