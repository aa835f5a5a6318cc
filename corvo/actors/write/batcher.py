"""Batcher: many small writes in, one log entry out.

    edge, desk, scheduler -> [batcher] -> proposer -> consensus -> fsm
                                `-------> forwarder ~~> the leader's batcher, if this node does not lead

An entry costs one disk sync, so entries are shared. When nothing is under way a batch leaves at once, unless
other clients are about to come back (batch_wait.py). While another entry is under way ops gather, and the
batch leaves when that entry is done, when it is full, or when its timer rings: soon for a small batch, later
for a busy one, since many ops are still coming. Ops are never reordered. What may be pending is bounded;
beyond that the answer is 429, not a queue.
"""

from collections import deque
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any

import msgspec

from corvo.actors.cluster.messages import Bounced, CeaseProposing, ForwardToLeader, Resubmit
from corvo.actors.kernel.api import Actor, ActorAddress, PoisonMessage, Timer, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import LagChanged, RoleChanged, SlowDown, StoreFull, Subscribe, Topic
from corvo.actors.status import BatcherStatus, GetStatus
from corvo.actors.write.batch_wait import BatchWait
from corvo.actors.write.messages import BatchEnded, Declined, EntryBatch, Lost, Propose, Submit
from corvo.actors.write.submitter import unknown
from corvo.core.clock import Clock
from corvo.core.errors import NotLeader, Overloaded, StorageFull
from corvo.core.limits import ENTRY_BYTES_SOFT_MAX, PENDING_BYTES_MAX
from corvo.observe.histogram import Histogram
from corvo.ops.base import Op
from corvo.ops.enqueue import job_count
from corvo.ops.repeatable import may_be_repeated

#: Entries under way at once. The second is appended and synced while the first is being applied.
_BATCHES_UNDER_WAY_MAX = 2
#: A shorter rest is not worth a timer; a longer one would be noticed.
_REST_MIN, _REST_MAX = timedelta(milliseconds=1), timedelta(milliseconds=100)
#: How often a full disk is tried again.
_FULL_RETRY = timedelta(seconds=1)


class BatchSettings(msgspec.Struct, frozen=True):
    """How long a batch may wait, and how large it may get."""

    ops_max: int = 512
    window: timedelta = timedelta(milliseconds=8)
    min_wait: timedelta = timedelta(milliseconds=1)
    extend_at: int = 32
    pending_ops_max: int = 4_096


class _Leave(Message, frozen=True):
    """batcher -> itself: everything that was waiting in the mailbox has been taken in; go."""


class _Rested(Message, frozen=True):
    """batcher -> itself: the next entry may leave."""


class _TryAgain(Message, frozen=True):
    """batcher -> itself: see whether there is room on the disk again."""


class Batcher(Actor):
    def __init__(
        self,
        proposer: ActorAddress,
        fsm: ActorAddress,
        settings: BatchSettings,
        clock: Clock,
        random: Random,
        forwarder: ActorAddress | None = None,
    ) -> None:
        self._proposer = proposer
        self._fsm = fsm
        #: Reaches the leader if that is another node. A node on its own has none.
        self._forwarder = forwarder
        self._leading = forwarder is None
        self._ceased = False
        self._settings = settings
        self._clock = clock
        self._random = random
        #: What has gathered, in order, each with its asker; and how much that is.
        self._gathered: deque[tuple[Submit, ActorAddress]] = deque()
        self._ops = 0
        self._bytes = 0
        #: Ops and clients of each batch under way, by its number.
        self._under_way: dict[int, tuple[int, int]] = {}
        #: How long to rest after the last one that left.
        self._rest = timedelta()
        self._resting = False
        self._ops_under_way = 0
        # Numbers go on from the clock, so that a restarted batcher does not take an old one for its own.
        self._number = clock.now_ns()
        self._lagging = False
        self._rest_us = 0
        self._last_ns = 0
        self._leaving = False
        #: How many clients wait for what has gathered.
        self._clients = 0
        self._batch_wait = BatchWait(settings.min_wait, clock)
        self._timer: Timer | None = None
        self._wait = timedelta()
        self._full = False
        self._overloads = 0
        self._oldest_ns = 0
        self._queue_time = Histogram()

    def started(self) -> None:
        topics = (Topic.WRITES,) if self._forwarder is None else (Topic.WRITES, Topic.ROLE)
        self.send(self._fsm, Subscribe(topics))

    def crashed(self) -> None:
        """What has gathered never left. Its askers would wait for an answer in vain, some for ever."""
        for submit, asker in self._gathered:
            self.send(asker, Declined(unknown(), submit.tag))

    def receiveMsg_PoisonMessage(self, msg: PoisonMessage, sender: ActorAddress) -> None:
        """The proposer or the forwarder crashed over what it was given, and cannot answer for it."""
        poison = msg.poisonMessage
        if isinstance(poison, ForwardToLeader):
            self.send(poison.asker, Declined(unknown(), poison.submit.tag))
        elif isinstance(poison, Propose):
            for asker, tag, _, _ in poison.batch.askers:
                self.send(asker, Declined(unknown(), tag))
            self.receiveMsg_BatchEnded(BatchEnded(poison.batch.number), sender)

    # Leading

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        self._leading = msg.leads
        self._ceased = self._ceased and self._leading
        self._pass_on_unless_proposing()

    def receiveMsg_CeaseProposing(self, msg: CeaseProposing, sender: ActorAddress) -> None:
        self._ceased = msg.ceased
        self._pass_on_unless_proposing()

    def _pass_on_unless_proposing(self) -> None:
        """What was gathered for an entry of this node goes to the leader."""
        if self._leading and not self._ceased:
            return
        for submit, asker in self._let_go():
            self._relay(submit, asker)

    def receiveMsg_Bounced(self, msg: Bounced, sender: ActorAddress) -> None:
        self._arrived(msg.batch.number)
        for submit, asker in _parts(msg.batch):
            self._relay(submit, asker)
        self._leave_if_possible()

    def receiveMsg_Lost(self, msg: Lost, sender: ActorAddress) -> None:
        """It is unknown what became of it. What may be repeated is; of the rest the askers are told."""
        self._arrived(msg.batch.number)
        for submit, asker in _parts(msg.batch):
            if self._forwarder is not None and may_be_repeated(submit.ops):
                self._relay(submit, asker)
            else:
                self.send(asker, Declined(unknown(), submit.tag))
        self._leave_if_possible()

    def _relay(self, submit: Submit, asker: ActorAddress) -> None:
        if self._forwarder is None:
            self.send(asker, Declined(NotLeader("this node does not lead"), submit.tag))
        else:
            self.send(self._forwarder, ForwardToLeader(submit, asker))

    # Gathering

    def receiveMsg_Resubmit(self, msg: Resubmit, sender: ActorAddress) -> None:
        self.receiveMsg_Submit(msg.submit, msg.asker)

    def receiveMsg_Submit(self, msg: Submit, sender: ActorAddress) -> None:
        if not self._leading or self._ceased:
            self._relay(msg, sender)
            return
        if self._full:
            self.send(sender, Declined(_no_room(), msg.tag))
            return
        if self._ops_under_way + self._ops >= self._settings.pending_ops_max or (
            self._bytes + msg.size_bytes > PENDING_BYTES_MAX
        ):
            self._overloads += msg.clients
            self.send(sender, Declined(self._overloaded(), msg.tag))
            return
        if self._gathered and self._bytes + msg.size_bytes > ENTRY_BYTES_SOFT_MAX:
            # What has gathered is an entry by itself; this submit begins the next one.
            self._leave_if_possible()
        if not self._gathered:
            self._oldest_ns = self._clock.monotonic_ns()
        self._gathered.append((msg, sender))
        self._ops += len(msg.ops)
        self._bytes += msg.size_bytes
        self._clients += msg.clients
        self._consider_leaving()

    def _consider_leaving(self) -> None:
        if self._ops >= self._settings.ops_max:
            self._leave_if_possible()
        elif not self._under_way:
            wait = self._batch_wait.wait_with(self._clients)
            if wait:
                self._arm(wait)
            elif not self._leaving:
                # Through the mailbox, so that submits that already wait there come along.
                self._leaving = True
                self.send(self.myAddress, _Leave())
        else:
            # While an entry is under way a small batch waits briefly and a busy one up to the window.
            busy = self._ops >= self._settings.extend_at
            self._arm(self._settings.window if busy else self._settings.min_wait)

    def _arm(self, wait: timedelta) -> None:
        if self._timer is not None:
            if wait == self._wait:
                return
            self._timer.cancel()
        self._wait = wait
        self._timer = self.wakeupAfter(wait)

    # Leaving

    def receiveMsg__Leave(self, msg: _Leave, sender: ActorAddress) -> None:
        self._leaving = False
        self._leave_if_possible()

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, _TryAgain):
            self._full = False
            return
        if isinstance(msg.payload, _Rested):
            self._resting = False
        else:
            self._timer = None
        self._leave_if_possible()

    def receiveMsg_BatchEnded(self, msg: BatchEnded, sender: ActorAddress) -> None:
        self._batch_wait.answered(self._arrived(msg.number), self._clients)
        if self._rest >= _REST_MIN and not self._resting:
            self._resting = True
            self.wakeupAfter(self._rest, _Rested())
        if self._gathered:
            self._consider_leaving()

    def receiveMsg_LagChanged(self, msg: LagChanged, sender: ActorAddress) -> None:
        """While the disk is behind nothing leaves, and what gathers here is bounded."""
        self._lagging = msg.too_far
        self._leave_if_possible()

    def receiveMsg_SlowDown(self, msg: SlowDown, sender: ActorAddress) -> None:
        self._rest_us = msg.rest_us

    def _leave_if_possible(self) -> None:
        # An entry may be without ops: a read from the leader only needs to know that it was agreed on.
        while self._gathered and self._may_leave():
            self._leave()

    def _may_leave(self) -> bool:
        at_once = 1 if self._rest_us else _BATCHES_UNDER_WAY_MAX
        return not self._lagging and not self._resting and len(self._under_way) < at_once

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        ops: list[Op] = []
        askers: list[tuple[ActorAddress, Any, int, int]] = []
        size = clients = 0
        # More may have gathered than an entry can hold. What does not fit leaves with the next one.
        while self._gathered and (
            not askers or size + self._gathered[0][0].size_bytes <= ENTRY_BYTES_SOFT_MAX
        ):
            submit, asker = self._gathered.popleft()
            ops.extend(submit.ops)
            askers.append((asker, submit.tag, len(submit.ops), submit.size_bytes))
            size += submit.size_bytes
            clients += submit.clients
        self._ops -= len(ops)
        self._bytes -= size
        self._clients -= clients
        self._batch_wait.left(clients)
        rest = timedelta(microseconds=self._rest_us * job_count(ops) if self._rest_us else 0)
        self._rest = min(rest, _REST_MAX)
        self._last_ns = max(self._clock.now_ns(), self._last_ns + 1)
        self._queue_time.add(self._clock.monotonic_ns() - self._oldest_ns)
        self._number += 1
        batch = EntryBatch(
            now_ns=self._last_ns,
            ops=ops,
            askers=askers,
            home=self.myAddress,
            number=self._number,
        )
        self._under_way[self._number] = len(ops), clients
        self._ops_under_way += len(ops)
        self.send(self._proposer, Propose(batch))

    def _arrived(self, number: int) -> int:
        """It is no longer under way, however it ended. Returns how many clients it had."""
        ops, clients = self._under_way.pop(number, (0, 0))
        self._ops_under_way -= ops
        return clients

    def _let_go(self) -> deque[tuple[Submit, ActorAddress]]:
        """All that has gathered; no entry will be made of it here."""
        gathered, self._gathered = self._gathered, deque()
        self._ops = self._bytes = self._clients = 0
        return gathered

    # Refusing

    def receiveMsg_StoreFull(self, msg: StoreFull, sender: ActorAddress) -> None:
        """Nothing new is taken in; what was proposed is answered by the proposer or the state machine."""
        self._full = msg.full
        if not msg.full:
            return
        for submit, asker in self._let_go():
            self.send(asker, Declined(_no_room(), submit.tag))
        if msg.try_again:
            self.wakeupAfter(_FULL_RETRY, _TryAgain())

    def _overloaded(self) -> Overloaded:
        """The fuller the batcher, the longer the hint; chance keeps clients from returning together."""
        backlog = self._ops_under_way + self._ops
        score = 1 + 8 * backlog / self._settings.pending_ops_max
        if score >= 8:
            hint_ms = self._random.randint(5, 7)
        elif score >= 5:
            hint_ms = self._random.randint(2, 3)
        else:
            hint_ms = self._random.randint(1, 2)
        return Overloaded("too many writes are waiting", retry_after_ms=hint_ms)

    # Telling

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        status = BatcherStatus(
            pending=self._ops_under_way + self._ops,
            pending_max=self._settings.pending_ops_max,
            overload_total=self._overloads,
            queue_time=self._queue_time.snapshot(),
        )
        self.send(sender, status)


def _parts(batch: EntryBatch) -> Iterator[tuple[Submit, ActorAddress]]:
    """What an entry was made of, as it was submitted."""
    start = 0
    for asker, tag, count, size_bytes in batch.askers:
        yield Submit(tuple(batch.ops[start : start + count]), size_bytes, tag), asker
        start += count


def _no_room() -> StorageFull:
    return StorageFull("the disk is full", retry_after_ms=int(_FULL_RETRY / timedelta(milliseconds=1)))
