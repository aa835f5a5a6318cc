"""Counters of one consensus group, for metrics, status pages and tests."""

from dataclasses import dataclass, field

from corvo.consensus.journal.recovery import Damage
from corvo.observe.histogram import Histogram


@dataclass(slots=True)
class RaftStats:
    """Numbers only ever grow, except where a comment says otherwise. Read them; do not write to them."""

    rounds: int = 0
    elections_won: int = 0
    entries_proposed: int = 0
    entries_committed: int = 0
    proposals_lost: int = 0
    proposals_refused_full: int = 0
    syncs: int = 0
    #: How long the disk took each time.
    sync_time: Histogram = field(default_factory=Histogram)
    #: Times the loop was late by more than half an election timeout, and by how much at worst.
    stalls: int = 0
    stall_s_max: float = 0.0
    handovers: int = 0
    entries_cut: int = 0
    snapshots_sent: int = 0
    snapshots_installed: int = 0
    snapshots_broken_off: int = 0
    snapshots_resumed: int = 0
    #: Whether the disk is full now.
    is_storage_full: bool = False
    #: What was dropped from the end of the journal at start, or None.
    damage: Damage | None = None
