"""Entry transaction: what the op handlers of one entry read and write through.

Handlers change job documents by `save(new, old)`. From the two documents everything else follows: index
entries, queue counters, the queue's head, due times. No handler touches an index by itself.

Each op runs between `begin` and, if it is refused, `rollback`; then the transaction is as it was before the
op.
"""

from collections.abc import Callable
from typing import Any
from zlib import crc32

from corvo.core.access.audit import AuditRecord
from corvo.core.access.session import LoginSession
from corvo.core.bulk import BulkTask
from corvo.core.events import Event, EventRecord, EventType, encode_record
from corvo.core.ids import derived
from corvo.core.job import TRAIL_MAX, Job, decode_job, encode
from corvo.core.namespace import Namespace, Qualified
from corvo.core.queue import Queue, encode_queue
from corvo.core.states import JobState
from corvo.core.webhook import Webhook
from corvo.fsm.queue_head import QueueHead
from corvo.fsm.state import QueueState, State
from corvo.ops.results import Outcome, WholeJob
from corvo.storage import keys
from corvo.storage.index import demanded
from corvo.storage.meta import FORMAT, Meta, encode_meta
from corvo.storage.relations import relations
from corvo.storage.tx import Tx

_PENDING = JobState.PENDING
_TOKENS_PER_ENTRY_BITS = 20
_TOKENS_PER_ENTRY_MAX = (1 << _TOKENS_PER_ENTRY_BITS) - 1


class EntryTx:
    def __init__(self, state: State, index: int, term: int, now_ns: int) -> None:
        self.state = state
        self.index = index
        self.term = term
        # The leader's stamp, but never behind what this replica has already seen.
        self.now_ns = max(now_ns, state.meta.last_ns + 1)
        self.kv = Tx(state.store)
        #: Every document this entry changed, as it is now; None if the job is gone.
        self.rows: dict[str, Job | None] = {}
        self.events: list[Event] = []
        #: Every webhook this entry changed, as it is now; None if it is gone.
        self.webhooks: dict[Qualified, Webhook | None] = {}
        #: Every namespace this entry set up or changed, as it is now; None if it is gone.
        self.namespaces: dict[str, Namespace | None] = {}
        #: How many jobs of each queue were enqueued, completed, failed.
        self.tallies: dict[Qualified, list[int]] = {}
        #: Bulk tasks this entry changed.
        self.bulk: dict[str, BulkTask] = {}
        #: Audit records this entry wrote or added to, by id.
        self.audit: dict[str, AuditRecord] = {}
        #: What the ops before the one under way came to.
        self.outcomes: list[Outcome] = []
        #: Whether this entry changed who may do what.
        self.access_changed = False
        #: Sessions this entry changed, as they are now; None if over.
        self.sessions: dict[str, LoginSession | None] = {}
        #: Keys under which this entry handed out jobs.
        self.fetched_under: list[Qualified] = []
        #: All that happened, once the transaction is finished.
        self.record: EventRecord | None = None
        self._last_ns = self.now_ns
        self._claims = 0
        self._births = 0
        self._first_seq = state.meta.first_seq
        self._first_event_index = state.meta.first_event_index
        self._queues_touched: dict[Qualified, QueueState] = {}
        self._queues_asked: dict[Qualified, QueueState] = {}
        #: Awaited jobs that ended in the op under way, each with why it did not complete.
        self.ended: list[tuple[str, str | None]] = []
        self._queues_gone: set[Qualified] = set()
        self._saves: list[tuple[Job | None, Job | None, Job | None, bool]] = []
        self._undo: list[Callable[[], Any]] = []
        self._events_before = 0

    # Ops

    def begin(self) -> None:
        """What follows is one op."""
        self.kv.begin()
        self._saves.clear()
        self._undo.clear()
        self.ended.clear()
        self._events_before = len(self.events)

    def rollback(self) -> None:
        """The op was refused. It leaves no trace."""
        self.kv.rollback()
        for new, old, before, known in reversed(self._saves):
            self._move(new, old)
            job_id = (new or old).id  # type: ignore[union-attr]  # a save has at least one of the two
            if known:
                self.rows[job_id] = before
            else:
                del self.rows[job_id]
        for event in self.events[self._events_before :]:
            self._count(event, -1)
        del self.events[self._events_before :]
        # Last, because it may take away the very queues that were counted down above.
        for undo in reversed(self._undo):
            undo()
        self._saves.clear()
        self._undo.clear()

    def on_rollback(self, undo: Callable[[], Any]) -> None:
        self._undo.append(undo)

    # Time, tokens, ids

    def next_ns(self) -> int:
        """A time that no other job was given. It orders the jobs made in one entry."""
        self._last_ns += 1
        return self._last_ns

    @property
    def has_tokens(self) -> bool:
        """Whether one more job can be handed out in this entry. A fetch that gets none now is tried again."""
        return self._claims < _TOKENS_PER_ENTRY_MAX

    def next_token(self) -> int:
        """A lease token: the place of the claim in the log, so it never repeats and all replicas agree."""
        assert self.has_tokens
        self._claims += 1
        return (self.index << _TOKENS_PER_ENTRY_BITS) | self._claims

    def new_id(self, prefix: str) -> str:
        """An id for something made in this entry, the same on all replicas."""
        self._births += 1
        return derived(prefix, self.now_ns, self.index, self._births)

    # Jobs

    def job(self, job_id: str) -> Job | None:
        """The document as it is now. Not to be changed: `copy` it first."""
        if job_id in self.rows:
            return self.rows[job_id]
        job = self.state.jobs.get(job_id)
        if job is None:
            stored = self.state.store.get(keys.job(job_id))
            if stored is None:
                return None
            job = decode_job(stored)
        return job

    def save(self, new: Job, old: Job | None) -> None:
        """`new` replaces `old`, which is None for a new job. Not to be changed any more, except by `emit`."""
        wanted = demanded(new)
        held = () if old is None else demanded(old)
        for key in held:
            if key not in wanted:
                self.kv.delete(key)
        for key in wanted:
            if key not in held:
                self.kv.put(key, b"")
                self._note_due(key)
        self._record(new, old)

    def remove(self, old: Job) -> None:
        """Remove a job with its index entries, payload, errors and relations."""
        for key in demanded(old):
            self.kv.delete(key)
        if old.payload is None:
            self.kv.delete(keys.payload(old.id))
        for number in range(old.first_error, old.error_count):
            self.kv.delete(keys.error(old.id, number))
        if old.first_error:
            # Versions that had no limit kept all errors.
            older = self.kv.scan(keys.error(old.id, 0), keys.error(old.id, old.first_error))
            for key in [key for key, _ in older]:
                self.kv.delete(key)
        for key in relations(old):
            self.kv.delete(key)
        self._record(None, old)

    def whole_job(self, job_id: str) -> WholeJob | None:
        job = self.job(job_id)
        return None if job is None else WholeJob(job, self.payload_of(job))

    def payload_of(self, job: Job) -> bytes:
        if job.payload is not None:
            return job.payload
        stored = self.kv.get(keys.payload(job.id))
        assert stored is not None, f"the payload of {job.id} is missing"
        return stored

    def _note_due(self, key: bytes) -> None:
        family = key[:2]
        if family in _TIMED:
            self.state.due.note(family, int.from_bytes(key[2:10], "big"))

    def _record(self, new: Job | None, old: Job | None) -> None:
        job_id = (new or old).id  # type: ignore[union-attr]  # a save has at least one of the two
        known = job_id in self.rows
        self._saves.append((new, old, self.rows.get(job_id), known))
        self.rows[job_id] = new
        self._move(old, new)

    def _move(self, old: Job | None, new: Job | None) -> None:
        """Move a job from one document to the other in what is kept in memory: counts and queue heads."""
        if old is None or new is None or old.queue != new.queue or old.size != new.size:
            self._hold(old, -1)
            self._hold(new, +1)
        if old is not None:
            queue = self._touch(old.queue)
            queue.doc.counts[old.state] -= 1
            if old.lease is not None:
                self.state.count_active(old.lease.worker_id, -1)
            if old.is_parked:
                queue.doc.parked -= 1
            elif old.state is _PENDING:
                queue.head.discard(keys.pending_sort(old.priority, old.order_ns, old.id))
        if new is not None:
            queue = self._touch(new.queue)
            queue.doc.counts[new.state] += 1
            if new.lease is not None:
                self.state.count_active(new.lease.worker_id, +1)
            if new.is_parked:
                queue.doc.parked += 1
            elif new.state is _PENDING:
                queue.head.add(keys.pending_sort(new.priority, new.order_ns, new.id))
                floors = queue.doc.floors
                floors[new.priority] = min(floors[new.priority], new.order_ns)

    def _hold(self, job: Job | None, step: int) -> None:
        """Count what a queue and its namespace hold."""
        if job is not None:
            queue = self._touch(job.queue)
            queue.doc.payload_bytes += step * job.size
            queue.holdings.jobs += step
            queue.holdings.payload_bytes += step * job.size

    # Queues

    def queue(self, name: Qualified) -> QueueState:
        """The queue, made on first use."""
        found = self.state.queues.get(name)
        if found is None:
            # A queue made now has no pending job anywhere, so its head is complete.
            found = self.state.add_queue(Queue(name=name, created_ns=self.now_ns), QueueHead(None))
            was_gone = name in self._queues_gone
            self._queues_gone.discard(name)
            self.on_rollback(lambda: self._unmake_queue(name, was_gone=was_gone))
        return found

    def _unmake_queue(self, name: Qualified, *, was_gone: bool) -> None:
        self.state.take_queue(name)
        self._queues_touched.pop(name, None)
        if was_gone:
            self._queues_gone.add(name)

    def change_queue(self, name: Qualified) -> Queue:
        """The document of a queue whose settings are about to change."""
        return self._touch(name).doc

    def drop_queue(self, name: Qualified) -> None:
        """Remove an empty queue. An op that names it later in this entry makes a new one."""
        self.state.take_queue(name)
        self._queues_touched.pop(name, None)
        self._queues_asked.pop(name, None)
        self._queues_gone.add(name)

    def _touch(self, name: Qualified) -> QueueState:
        found = self._queues_touched.get(name)
        if found is None:
            found = self._queues_touched[name] = self.queue(name)
        return found

    # Events

    def emit(self, kind: EventType, job: Job, data: dict[str, Any] | bytes | None = None) -> None:
        event = Event(kind, job.id, job.queue, data)
        self.events.append(event)
        self._count(event, +1)
        # The document was saved in this entry and is encoded at its end, so its trail may still grow.
        trail = job.trail
        if not trail or trail[-1] != self.index:
            job.trail = (*trail[1 - TRAIL_MAX :], self.index)

    def tell(self, kind: EventType, queue: Qualified | None, data: dict[str, Any] | None = None) -> None:
        """Something happened that is not about a single job."""
        self.events.append(Event(kind, None, queue, data))

    def _count(self, event: Event, step: int) -> None:
        """Lifetime totals of a queue are counts of its events."""
        place = _COUNTED.get(event.type)
        if place is None or event.queue is None:
            return
        doc = self._touch(event.queue).doc
        if place == 0:
            doc.enqueued_total += step
        elif place == 1:
            doc.completed_total += step
        else:
            doc.failed_total += step
        tally = self.tallies.get(event.queue)
        if tally is None:
            tally = self.tallies[event.queue] = [0, 0, 0]
        tally[place] += step

    @property
    def last_seq(self) -> int:
        """The number of the last event so far."""
        return self.state.meta.last_seq + len(self.events)

    def events_trimmed(self, first_seq: int, first_index: int) -> None:
        """Events before this number, written by entries before this one, are no longer kept."""
        self._first_seq = first_seq
        self._first_event_index = first_index

    # The end

    def finish(self) -> None:
        """Turn what the entry did into one write batch, laid over the store."""
        writes = self.kv.writes
        state = self.state
        for job_id, job in self.rows.items():
            if job is None:
                writes[keys.job(job_id)] = None
                state.jobs.drop(job_id)
            else:
                data = encode(job)
                writes[keys.job(job_id)] = data
                state.jobs.put(job, len(data))
        for name, queue in self._queues_touched.items():
            writes[keys.queue(name)] = encode_queue(queue.doc)
        for name in sorted(self._queues_gone):
            writes[keys.queue(name)] = None
        self.record = self._event_record()
        if self.record is not None:
            writes[keys.events(self.index)] = encode_record(self.record)
        state.meta = Meta(
            format=FORMAT,
            index=self.index,
            term=self.term,
            last_ns=self._last_ns,
            last_seq=state.meta.last_seq + len(self.events),
            first_seq=self._first_seq,
            first_event_index=self._first_event_index,
            checksum=_sum_up(writes, state.meta.checksum),
        )
        writes[keys.META] = encode_meta(state.meta)
        state.store.lay(self.index, writes)

    def _event_record(self) -> EventRecord | None:
        if not self.rows and not self.events:
            return None
        told = {event.job_id for event in self.events}
        return EventRecord(
            first_seq=self.state.meta.last_seq + 1,
            at_ns=self.now_ns,
            events=self.events,
            touched=[job_id for job_id in self.rows if job_id not in told],
        )

    def asked(self, queue: QueueState) -> None:
        """A fetch asked for jobs of this queue, so the fetch desks are to hear its level."""
        self._queues_asked[queue.doc.name] = queue

    def levels(self) -> dict[Qualified, int]:
        """How many jobs each queue that this entry touched, or asked for jobs, could hand out now."""
        concerned = self._queues_touched | self._queues_asked
        levels = {name: queue.claimable(self.now_ns) for name, queue in concerned.items()}
        return levels | dict.fromkeys(self._queues_gone, 0)

    def reopenings(self) -> dict[Qualified, int]:
        """For each of those queues that only its rate keeps from handing out jobs: when it may again."""
        concerned = self._queues_touched | self._queues_asked
        found = {name: queue.reopens_ns(self.now_ns) for name, queue in concerned.items() if queue.claims}
        return {name: at_ns for name, at_ns in found.items() if at_ns is not None}


def _sum_up(writes: dict[bytes, bytes | None], before: int) -> int:
    """The checksum of all entries before, with this entry's writes added. Their order counts: it is the same
    on all replicas."""
    values = b"".join([value for value in writes.values() if value is not None])
    return crc32(values, crc32(b"".join(writes), before))


_TIMED = frozenset(keys.TIMED)
#: Events that are counted, and where in a tally.
_COUNTED = {EventType.ENQUEUED: 0, EventType.COMPLETED: 1, EventType.FAILED: 2}

assert all(len(family) == 2 for family in keys.TIMED), "a timed family is told by its first two bytes"
