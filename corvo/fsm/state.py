"""What the state machine keeps in memory between entries. All of it is derived from the store.

Queue documents and workers are held whole, because every claim needs them; job documents only while
they are warm. Nothing here decides anything: the store does, and this can be rebuilt from it at any time.
"""

from corvo.core.queue import Queue, decode_queue
from corvo.core.worker import Worker, decode_worker
from corvo.fsm.cache import JobCache
from corvo.fsm.due import Due
from corvo.fsm.window import Window
from corvo.storage import keys
from corvo.storage.kv import Kv
from corvo.storage.meta import FORMAT, GENESIS, Meta, decode_meta
from corvo.storage.overlay import Overlay


class FormatUnknown(Exception):
    """The data folder was written by another version of Corvo in a format this one cannot read."""


class QueueState:
    """A queue in memory: its document and its head."""

    __slots__ = ("doc", "pending_prefix", "window")

    def __init__(self, doc: Queue, window: Window) -> None:
        self.doc = doc
        self.window = window
        self.pending_prefix = keys.pending_prefix(doc.name)

    def claimable(self) -> int:
        """How many jobs could be handed out right now."""
        doc = self.doc
        if doc.paused:
            return 0
        if doc.max_concurrency is None:
            return doc.pending
        return max(0, min(doc.pending, doc.max_concurrency - doc.active))


class State:
    def __init__(self, kv: Kv) -> None:
        self.store = Overlay(kv)
        self.meta = self._load_meta()
        self.due = Due()
        self.jobs = JobCache()
        self.queues: dict[str, QueueState] = {}
        self.workers: dict[str, Worker] = {}
        for _, value in kv.scan(keys.QUEUE, keys.after(keys.QUEUE)):
            doc = decode_queue(value)
            self.queues[doc.name] = QueueState(doc, Window(doc.head_floor))
        for _, value in kv.scan(keys.WORKER, keys.after(keys.WORKER)):
            worker = decode_worker(value)
            self.workers[worker.id] = worker

    def _load_meta(self) -> Meta:
        stored = self.store.get(keys.META)
        if stored is None:
            return GENESIS
        meta = decode_meta(stored)
        if meta.format != FORMAT:
            raise FormatUnknown(f"the store has format {meta.format}; this version reads format {FORMAT}")
        return meta
