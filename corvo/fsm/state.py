"""What the state machine keeps in memory between entries. All of it is derived from the store.

Queue documents and workers are held whole, because every claim needs them; job documents only while
they are warm. Nothing here decides anything: the store does, and this can be rebuilt from it at any time.
"""

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

from corvo.core.access.audit import AuditBounds, decode_bounds
from corvo.core.bulk import ENDED, decode_bulk
from corvo.core.clock import NS_PER_MS
from corvo.core.job import decode_job
from corvo.core.namespace import Namespace, Qualified, decode_namespace, namespace_of
from corvo.core.priority import Priority
from corvo.core.queue import Queue, decode_queue
from corvo.core.worker import Worker, decode_worker
from corvo.fsm.cache import JobCache
from corvo.fsm.due import Due
from corvo.fsm.queue_head import QueueHead
from corvo.storage import keys
from corvo.storage.kv import Kv, KvReader
from corvo.storage.meta import FORMAT, GENESIS, Meta, decode_meta
from corvo.storage.overlay import Overlay

#: More than the number of any claim within an entry.
_ANY_NUMBER = 1 << 32
#: Fewer documents than this are read one by one.
_WARM_MIN = 16
#: Documents passed on the way to each one that is wanted.
_WARM_STEPS_MAX = 3


class FormatUnknown(Exception):
    """The data folder was written by another version of Corvo in a format this one cannot read."""


class Holdings:
    """What a namespace has: the sum of its queues."""

    __slots__ = ("jobs", "payload_bytes", "queues")

    def __init__(self) -> None:
        self.queues: dict[Qualified, QueueState] = {}
        self.jobs = 0
        self.payload_bytes = 0


class QueueState:
    """A queue in memory: its document and its head."""

    __slots__ = ("claims", "doc", "head", "holdings", "pending_prefix")

    def __init__(self, doc: Queue, head: QueueHead, holdings: Holdings) -> None:
        self.doc = doc
        self.head = head
        #: Of its namespace, to which it adds.
        self.holdings = holdings
        self.pending_prefix = keys.pending_prefix(doc.name)
        #: When jobs were handed out, oldest first, with a number that tells those of one entry apart. Kept
        #: only while the queue is throttled, and only as far back as its rate window reaches.
        self.claims: deque[tuple[int, int]] = deque()

    def pending_from(self, start: bytes, reader: KvReader) -> Iterator[bytes]:
        """The sort keys of pending jobs, from this one on, in order. What lies below the floors was handed
        out; skipping it spares the search its tombstones."""
        prefix = self.pending_prefix
        past_prefix = slice(len(prefix), None)
        for priority, floor in enumerate(self.doc.floors):
            tier_end = keys.pending_sort_start(priority + 1, 0)
            if start < tier_end:
                tier_start = max(start, keys.pending_sort_start(priority, floor))
                for key, _ in reader.scan(prefix + tier_start, prefix + tier_end):
                    yield key[past_prefix]

    def first_pending(self, reader: KvReader, refilled: Callable[[list[bytes]], None]) -> bytes | None:
        """The sort key of the job to hand out next."""
        return self.head.first(lambda start: self.pending_from(start, reader), refilled)

    def oldest_pending_ns(self, reader: KvReader) -> int | None:
        """Since when the job that has waited longest is waiting, whatever its priority."""
        if not self.doc.pending:
            return None
        firsts = (
            next(self.pending_from(keys.pending_sort_start(priority, 0), reader), None)
            for priority in Priority
        )
        return min((keys.parse_pending_sort(first)[1] for first in firsts if first is not None), default=None)

    def claimable(self, now_ns: int) -> int:
        """How many jobs could be handed out right now."""
        doc = self.doc
        if doc.paused:
            return 0
        available = doc.pending - doc.parked
        if doc.max_concurrency is not None:
            available = min(available, doc.max_concurrency - doc.active)
        if doc.rate_limit is not None:
            available = min(available, doc.rate_limit - self._claimed_within_window(now_ns))
        return max(0, available)

    def reopens_ns(self, now_ns: int) -> int | None:
        """When a queue that is closed only for its rate may hand out a job again."""
        doc = self.doc
        if doc.rate_limit is None or doc.paused or doc.pending == doc.parked:
            return None
        assert doc.rate_window_ms is not None
        if self._claimed_within_window(now_ns) < doc.rate_limit:
            return None
        return self.claims[-doc.rate_limit][0] + doc.rate_window_ms * NS_PER_MS

    def _claimed_within_window(self, now_ns: int) -> int:
        assert self.doc.rate_window_ms is not None
        start_ns = now_ns - self.doc.rate_window_ms * NS_PER_MS
        claims = self.claims
        if not claims or claims[0][0] > start_ns:
            return len(claims)
        # Those out of the window are dropped by the next claim; until there is one, they may be many.
        return len(claims) - bisect_right(claims, (start_ns, _ANY_NUMBER))


class State:
    def __init__(self, kv: Kv) -> None:
        self.store = Overlay(kv)
        self.meta = self._load_meta()
        self.due = Due()
        self.jobs = JobCache()
        self.queues: dict[Qualified, QueueState] = {}
        #: By namespace; only of those that have a queue.
        self.holdings: dict[str, Holdings] = {}
        self.workers: dict[Qualified, Worker] = {}
        for _, value in kv.scan(keys.QUEUE, keys.after(keys.QUEUE)):
            doc = decode_queue(value)
            queue = self.add_queue(doc, QueueHead(b""))
            queue.holdings.jobs += sum(doc.counts)
            queue.holdings.payload_bytes += doc.payload_bytes
            if doc.rate_limit is not None:
                prefix = keys.rate_prefix(doc.name)
                queue.claims.extend(keys.parse_rate(key) for key, _ in kv.scan(prefix, keys.after(prefix)))
        for _, value in kv.scan(keys.WORKER, keys.after(keys.WORKER)):
            worker = decode_worker(value)
            self.workers[worker.id] = worker
        #: Ids of bulk tasks that have not ended.
        self.bulk_unfinished: set[str] = set()
        for _, value in kv.scan(keys.BULK, keys.after(keys.BULK)):
            task = decode_bulk(value)
            if task.status not in ENDED:
                self.bulk_unfinished.add(task.id)
        #: Namespaces that were set up, and those of them that may have to refuse something.
        self.namespaces: dict[str, Namespace] = {}
        self.guarded: dict[str, Namespace] = {}
        for _, value in kv.scan(keys.NAMESPACE, keys.after(keys.NAMESPACE)):
            namespace = decode_namespace(value)
            self.set_namespace(namespace.name, namespace)
        #: By namespace, which audit records are kept.
        self.audit: dict[str, AuditBounds] = {}
        for _, value in kv.scan(keys.AUDIT_BOUNDS, keys.after(keys.AUDIT_BOUNDS)):
            bounds = decode_bounds(value)
            self.audit[bounds.namespace] = bounds
        #: How many schedules there are.
        self.schedules = sum(1 for _ in kv.scan(keys.SCHEDULE, keys.after(keys.SCHEDULE)))
        #: Active jobs per worker id.
        self.active_by_worker: dict[Qualified, int] = {}
        for key, _ in kv.scan(keys.LEASE, keys.after(keys.LEASE)):
            stored = kv.get(keys.job(keys.parse_timed(keys.LEASE, key)[1]))
            if stored is not None and (lease := decode_job(stored).lease) is not None:
                self.count_active(lease.worker_id, +1)

    def add_queue(self, doc: Queue, head: QueueHead) -> QueueState:
        """A queue without jobs, as far as its namespace's holdings know."""
        namespace = namespace_of(doc.name)
        holdings = self.holdings.get(namespace)
        if holdings is None:
            holdings = self.holdings[namespace] = Holdings()
        queue = self.queues[doc.name] = holdings.queues[doc.name] = QueueState(doc, head, holdings)
        return queue

    def take_queue(self, name: Qualified) -> QueueState:
        """The queue is gone, and its jobs before it."""
        queue = self.queues.pop(name)
        del queue.holdings.queues[name]
        if not queue.holdings.queues:
            del self.holdings[namespace_of(name)]
        return queue

    def set_namespace(self, name: str, namespace: Namespace | None) -> None:
        """The document of a namespace; None if it has none any more."""
        self.guarded.pop(name, None)
        if namespace is None:
            self.namespaces.pop(name, None)
            return
        self.namespaces[name] = namespace
        if namespace.is_guarded:
            self.guarded[name] = namespace

    def warm(self, sorts: list[bytes]) -> None:
        """Read the documents of jobs that are next in line, in one go: a third of what reading each costs.

        They lie close together if their queue gets most of the jobs, which is when it matters; if jobs of
        other queues lie between them, it is given up before it costs more than it saves.
        """
        if len(sorts) < _WARM_MIN or self.jobs.get(keys.job_id_of_pending_sort(sorts[-1])) is not None:
            return  # If the youngest is known, so are most of the others.
        wanted = set(keys.jobs_of_pending_sorts(sorts))
        found = [
            stored
            for key, stored in islice(
                self.store.scan(min(wanted), max(wanted) + b"\0"), _WARM_STEPS_MAX * len(wanted)
            )
            if key in wanted
        ]
        self.jobs.put_all(map(decode_job, found), sum(map(len, found)))

    def count_active(self, worker_id: Qualified, step: int) -> None:
        count = self.active_by_worker.get(worker_id, 0) + step
        if count:
            self.active_by_worker[worker_id] = count
        else:
            self.active_by_worker.pop(worker_id, None)

    def _load_meta(self) -> Meta:
        stored = self.store.get(keys.META)
        if stored is None:
            return GENESIS
        meta = decode_meta(stored)
        if meta.format != FORMAT:
            raise FormatUnknown(f"the store has format {meta.format}; this version reads format {FORMAT}")
        return meta
