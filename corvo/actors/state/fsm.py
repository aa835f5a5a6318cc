"""Fsm: applies committed entries in order and tells askers and subscribers what came of them.

    consensus -> [fsm] -> store writer
                       -> desk, scheduler, askers      as soon as the entry is applied
                       -> mirror, events               once it is on disk

It answers questions, too: what it reads is always current. It may not be restarted after a crash: a
wrong replica is worse than a dead one.
"""

from collections import deque
from collections.abc import Iterable
from datetime import timedelta
from typing import ClassVar

import structlog

from corvo.actors.access.messages import SessionsChanged
from corvo.actors.audit.messages import AuditWritten
from corvo.actors.bulk.messages import BulkMoved
from corvo.actors.cluster.messages import ChecksumReached
from corvo.actors.fetch.messages import KeysUsed, LevelsChanged
from corvo.actors.kernel.api import ActorAddress, OnCrash, Refused, Timer, WakeupMessage
from corvo.actors.kernel.messages import Message
from corvo.actors.state.messages import (
    Adopt,
    Adopted,
    Committed,
    Configured,
    EntryLanded,
    InstallStore,
    LagChanged,
    Land,
    Landed,
    LandFailed,
    Resume,
    RoleChanged,
    SlowDown,
    StateReplaced,
    StoreFull,
    Subscribe,
    Topic,
)
from corvo.actors.state.queries import Queries
from corvo.actors.state.questions import AwaitDrained, AwaitIndex, Drained, IndexReached
from corvo.actors.status import FsmStatus, GetStatus
from corvo.actors.time.messages import DueChanged
from corvo.actors.write.messages import Answer, BatchEnded, EntryBatch
from corvo.core.clock import Clock
from corvo.core.errors import Stale
from corvo.core.namespace import Qualified
from corvo.fsm.machine import Applied, Machine
from corvo.observe.histogram import Histogram
from corvo.ops.entry import Entry, decode
from corvo.storage.store_protocol import Store

log = structlog.get_logger()

#: Entries applied and not yet on disk: beyond the first the batcher must wait until the second.
_LAG_HIGH, _LAG_LOW = 64, 16
_REOPEN_EVERY = timedelta(seconds=1)
#: Entries after which nodes compare what their states add up to.
CHECK_EVERY = 256


class _Overdue(Message, frozen=True):
    """fsm -> itself: this asker has waited long enough for an index."""

    index: int
    asker: ActorAddress


class _DrainOver(Message, frozen=True):
    """fsm -> itself: this asker has waited long enough for a queue to be drained."""

    queue: Qualified
    asker: ActorAddress


class _Opens(Message, frozen=True):
    """fsm -> itself: this queue may hand out jobs again."""

    queue: Qualified


class _Reopen(Message, frozen=True):
    """fsm -> itself: see whether the store can be opened again."""


class Fsm(Queries):
    on_crash: ClassVar[OnCrash] = OnCrash.FAIL_STOP

    def __init__(self, machine: Machine, writer: ActorAddress, kv: Store, clock: Clock) -> None:
        super().__init__(machine.state, clock)
        self._machine = machine
        self._writer = writer
        self._kv = kv
        self._clock = clock
        self._subscribers: dict[Topic, list[ActorAddress]] = {}
        self._unlanded: deque[Applied] = deque()
        self._waiting: dict[ActorAddress, int] = {}
        self._draining: dict[Qualified, list[ActorAddress]] = {}
        self._role: RoleChanged | None = None
        self._reopening: dict[Qualified, Timer] = {}
        self._too_far = False
        self._slow_down = SlowDown(rest_us=0)
        self._full = False
        self._applied_total = 0
        self._audit_told = 0
        self._apply_time = Histogram()
        #: Set while one store takes the place of another: what came meanwhile.
        self._put_off: list[tuple[object, ActorAddress]] | None = None

    def started(self) -> None:
        """Queues that were closed for their rate when this node stopped open when they would have."""
        self._wait_for_all_reopenings()

    def receiveMessage(self, message: object, sender: ActorAddress) -> None:
        if self._put_off is not None and type(message) is not Adopted:
            self._put_off.append((message, sender))
        else:
            super().receiveMessage(message, sender)

    # Applying

    def receiveMsg_Committed(self, msg: Committed, sender: ActorAddress) -> None:
        started_ns = self._clock.monotonic_ns()
        index, term = msg.position.index, msg.position.term
        if msg.batch is not None:
            # This node proposed it, so the ops need not be read back from the bytes.
            applied = self._machine.apply(index, term, Entry(msg.batch.now_ns, msg.batch.ops))
        elif msg.command:
            applied = self._machine.apply(index, term, decode(msg.command))
        else:
            applied = self._machine.skip(index, term)
        self._apply_time.add(self._clock.monotonic_ns() - started_ns)
        self._tell_all(applied, msg.batch)

    def receiveMsg_Configured(self, msg: Configured, sender: ActorAddress) -> None:
        position = msg.position
        self._tell_all(self._machine.configure(position.index, position.term, msg.roster), None)

    def _tell_all(self, applied: Applied, batch: EntryBatch | None) -> None:
        """Tell the store writer, subscribers and askers what an entry did."""
        self._applied_total += 1
        self._unlanded.append(applied)
        self.send(self._writer, Land(applied.index, applied.term, applied.writes))
        self._tell_of(applied)
        if batch is not None:
            self._answer(batch, applied)
        if self._waiting:
            self._answer_waiting(applied.index)
        if self._draining:
            self._answer_draining(applied.levels)
        if applied.index % CHECK_EVERY == 0:
            self._tell(Topic.AUDIT, ChecksumReached(applied.index, self._machine.state.meta.checksum))
        if not self._too_far and len(self._unlanded) > _LAG_HIGH:
            self._too_far = True
            self._tell(Topic.WRITES, LagChanged(too_far=True))

    def _tell_of(self, applied: Applied) -> None:
        # Levels go first: the desk must not see an answered claim beside a level from before it.
        if applied.levels:
            self._tell(Topic.LEVELS, LevelsChanged(applied.levels))
        if applied.fetched_under:
            self._tell(Topic.LEVELS, KeysUsed(tuple(applied.fetched_under)))
        if applied.due:
            self._tell(Topic.DUE, DueChanged(applied.due))
        if applied.bulk:
            for task in applied.bulk.values():
                self._tell(Topic.BULK, BulkMoved(task))
        if applied.reopenings:
            self._wait_for_reopening(applied.reopenings)
        if applied.audit:
            self._audit_told += 1
            self._tell(Topic.RECORDS, AuditWritten(self._audit_told, applied.audit))
        if applied.access_changed or applied.namespaces:
            self._tell(Topic.ACCESS, self._reader.access())
        if applied.sessions:
            self._tell(Topic.ACCESS, SessionsChanged(applied.sessions))

    def _answer(self, batch: EntryBatch, applied: Applied) -> None:
        start = 0
        outcomes = applied.outcomes
        for asker, tag, count, _ in batch.askers:
            self.send(asker, Answer(applied.index, outcomes[start : start + count], tag))
            start += count
        self.send(batch.home, BatchEnded(batch.number))

    # Queues that are closed for their rate

    def _wait_for_reopening(self, reopenings: dict[Qualified, int]) -> None:
        """Time opens a throttled queue, not an entry; so a timer has to tell of it."""
        now_ns = self._clock.now_ns()
        for queue, at_ns in reopenings.items():
            timer = self._reopening.pop(queue, None)
            if timer is not None:
                timer.cancel()
            wait_us = -(-max(0, at_ns - now_ns) // 1_000)
            self._reopening[queue] = self.wakeupAfter(timedelta(microseconds=wait_us), _Opens(queue))

    def _wait_for_all_reopenings(self) -> None:
        now_ns, queues = self._clock.now_ns(), self._machine.state.queues
        found = {name: queue.reopens_ns(now_ns) for name, queue in queues.items() if queue.claims}
        self._wait_for_reopening({name: at_ns for name, at_ns in found.items() if at_ns is not None})

    def _reopened(self, name: Qualified) -> None:
        self._reopening.pop(name, None)
        queue = self._machine.state.queues.get(name)
        if queue is None:
            return
        now_ns = self._clock.now_ns()
        self._tell(Topic.LEVELS, LevelsChanged({name: queue.claimable(now_ns)}))
        at_ns = queue.reopens_ns(now_ns)
        if at_ns is not None:
            self._wait_for_reopening({name: at_ns})

    # Landing

    def receiveMsg_Landed(self, msg: Landed, sender: ActorAddress) -> None:
        self._machine.state.store.landed(msg.index)
        while self._unlanded and self._unlanded[0].index <= msg.index:
            self._tell(Topic.LANDED, EntryLanded(self._unlanded.popleft()))
        self._tell(Topic.STORED, msg)
        if self._too_far and len(self._unlanded) <= _LAG_LOW:
            self._too_far = False
            self._tell(Topic.WRITES, LagChanged(too_far=False))

    def receiveMsg_SlowDown(self, msg: SlowDown, sender: ActorAddress) -> None:
        self._slow_down = msg
        self._tell(Topic.WRITES, msg)

    def receiveMsg_LandFailed(self, msg: LandFailed, sender: ActorAddress) -> None:
        """No room. Clients have their answers and the journal has the entries, so nothing is lost; but
        nothing more may be taken in until the store can be written again."""
        self._full = True
        self._tell(Topic.WRITES, StoreFull(full=True))
        self.wakeupAfter(_REOPEN_EVERY, _Reopen())

    def _try_reopen(self) -> None:
        if not self._kv.try_reopen():
            self.wakeupAfter(_REOPEN_EVERY, _Reopen())
            return
        log.info("store.reopened", waiting=len(self._unlanded))
        self.send(self._writer, Resume())
        for applied in self._unlanded:
            self.send(self._writer, Land(applied.index, applied.term, applied.writes))
        self._full = False
        self._tell(Topic.WRITES, StoreFull(full=False))

    # Another store, from the leader's snapshot

    def receiveMsg_InstallStore(self, msg: InstallStore, sender: ActorAddress) -> None:
        """What was read from the old store and what is in the new one must not meet, so everything waits."""
        self._put_off = []
        self.send(self._writer, Adopt(msg.store))

    def receiveMsg_Adopted(self, msg: Adopted, sender: ActorAddress) -> None:
        gone = self._machine.state.queues.keys()
        self._machine = Machine(self._kv)
        self._read_from(self._machine.state)
        self._unlanded.clear()
        self._full = self._too_far = False
        meta, now_ns = self._machine.state.meta, self._clock.now_ns()
        log.info("fsm.state_replaced", index=meta.index)
        queues = self._machine.state.queues
        levels = dict.fromkeys(gone, 0) | {name: queue.claimable(now_ns) for name, queue in queues.items()}
        self._wait_for_all_reopenings()
        self._tell(Topic.LEVELS, LevelsChanged(levels))
        self._tell(Topic.STORED, Landed(meta.index, meta.term))
        self._tell(Topic.REPLACED, StateReplaced(meta.index))
        for news in self._present(Topic.ACCESS):
            self._tell(Topic.ACCESS, news)
        for news in self._present(Topic.WRITES):
            self._tell(Topic.WRITES, news)
        self._answer_waiting(meta.index)
        self._answer_draining(levels)
        put_off, self._put_off = self._put_off or [], None
        for message, asker in put_off:
            super().receiveMessage(message, asker)

    # Leadership

    def receiveMsg_RoleChanged(self, msg: RoleChanged, sender: ActorAddress) -> None:
        self._role = msg
        self._tell(Topic.ROLE, msg)

    # Subscribers

    def receiveMsg_Subscribe(self, msg: Subscribe, sender: ActorAddress) -> None:
        for topic in msg.topics:
            listeners = self._subscribers.setdefault(topic, [])
            if sender not in listeners:
                listeners.append(sender)
            # New subscribers, and restarted ones, must learn what they have missed.
            for message in self._present(topic):
                self.send(sender, message)

    def _present(self, topic: Topic) -> list[Message]:
        """How things stand now, for a topic that has a present and not only news."""
        if topic is Topic.LEVELS:
            queues = self._machine.state.queues
            now_ns = self._clock.now_ns()
            return [LevelsChanged({name: queue.claimable(now_ns) for name, queue in queues.items()})]
        if topic is Topic.ACCESS:
            return [self._reader.access(), self._reader.sessions()]
        if topic is Topic.ROLE:
            return [] if self._role is None else [self._role]
        if topic is Topic.WRITES:
            return [StoreFull(full=self._full), LagChanged(too_far=self._too_far), self._slow_down]
        return []

    def _tell(self, topic: Topic, message: Message) -> None:
        for listener in self._subscribers.get(topic, ()):
            self.send(listener, message)

    def receiveMsg_Refused(self, msg: Refused, sender: ActorAddress) -> None:
        """The mirror has no room for an entry, or the audit stream for records; they will notice, and read
        them from the store."""
        is_made_up = isinstance(msg.message, EntryLanded | AuditWritten)
        assert is_made_up, "all else is sent to mailboxes that never fill up"

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        meta = self._machine.state.meta
        status = FsmStatus(
            index=meta.index,
            term=meta.term,
            applied_total=self._applied_total,
            landing=len(self._unlanded),
            first_seq=meta.first_seq,
            last_seq=meta.last_seq,
            queues=len(self._machine.state.queues),
            full=self._full,
            apply_time=self._apply_time.snapshot(),
        )
        self.send(sender, status)

    # Waiting for an index

    def receiveMsg_AwaitIndex(self, msg: AwaitIndex, sender: ActorAddress) -> None:
        if msg.index <= self._machine.index:
            self.send(sender, IndexReached(self._machine.index))
            return
        self._waiting[sender] = msg.index
        self.wakeupAfter(timedelta(milliseconds=msg.wait_ms), _Overdue(msg.index, sender))

    def _answer_waiting(self, index: int) -> None:
        for asker in [asker for asker, wanted in self._waiting.items() if wanted <= index]:
            del self._waiting[asker]
            self.send(asker, IndexReached(index))

    def _is_waiting(self, overdue: _Overdue) -> bool:
        """Whether it is still that index it waits for: an asker may have come again meanwhile."""
        return self._waiting.get(overdue.asker) == overdue.index

    # Waiting for a queue to be drained

    def receiveMsg_AwaitDrained(self, msg: AwaitDrained, sender: ActorAddress) -> None:
        active = self._active(msg.queue)
        if not active or not msg.wait_ms:
            self.send(sender, Drained(active))
            return
        self._draining.setdefault(msg.queue, []).append(sender)
        self.wakeupAfter(timedelta(milliseconds=msg.wait_ms), _DrainOver(msg.queue, sender))

    def _answer_draining(self, touched: Iterable[Qualified]) -> None:
        for queue in touched:
            if queue in self._draining and not self._active(queue):
                for asker in self._draining.pop(queue):
                    self.send(asker, Drained(0))

    def _drain_over(self, queue: Qualified, asker: ActorAddress) -> None:
        waiting = self._draining.get(queue, [])
        if asker in waiting:
            waiting.remove(asker)
            self.send(asker, Drained(self._active(queue)))

    def _active(self, name: Qualified) -> int:
        queue = self._machine.state.queues.get(name)
        return 0 if queue is None else queue.doc.active

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if isinstance(msg.payload, _Reopen):
            self._try_reopen()
        elif isinstance(msg.payload, _Opens):
            self._reopened(msg.payload.queue)
        elif isinstance(msg.payload, _DrainOver):
            self._drain_over(msg.payload.queue, msg.payload.asker)
        elif isinstance(msg.payload, _Overdue) and self._is_waiting(msg.payload):
            wanted = msg.payload.index
            del self._waiting[msg.payload.asker]
            self.send(
                msg.payload.asker,
                Stale(f"index {wanted} was asked for; this node is at {self._machine.index}"),
            )
