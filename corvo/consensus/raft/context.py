"""Context: what the parts of one member share, and its surroundings. Built once, by `member`."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from corvo.consensus.api import CommitListener
from corvo.consensus.errors import FailStop
from corvo.consensus.journal.disk import Disk
from corvo.consensus.journal.journal import Journal
from corvo.consensus.journal.syncer import Syncer
from corvo.consensus.link.protocol import PeerLink
from corvo.consensus.raft.outbox import Outbox
from corvo.consensus.raft.proposals import Proposals
from corvo.consensus.raft.stats import RaftStats
from corvo.consensus.roster import Rosters
from corvo.consensus.settings import JournalLimits, RaftSettings


class LoopTimer(Protocol):
    def cancel(self) -> None: ...


class LoopScheduler(Protocol):
    """The part of an event loop that is needed, so that a simulator can be one."""

    def call_soon(self, callback: Callable[[], None], /) -> object: ...

    def call_later(self, delay: float, callback: Callable[[], None], /) -> LoopTimer: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Everything outside that a member touches. The simulator has its own of each."""

    disk: Disk
    link: PeerLink
    scheduler: LoopScheduler
    syncer: Syncer
    #: Monotonic seconds, of the clock that the scheduler sleeps by.
    now: Callable[[], float]
    chance: random.Random
    fail_stop: FailStop
    #: Called when messages that were refused for want of room may come again.
    on_room: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RaftContext:
    settings: RaftSettings
    limits: JournalLimits
    surroundings: Surroundings
    listener: CommitListener
    journal: Journal
    proposals: Proposals
    outbox: Outbox
    rosters: Rosters
    stats: RaftStats
