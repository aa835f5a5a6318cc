"""Queue administration: people pause, limit, throttle, clear and delete queues."""

from collections.abc import Iterator
from itertools import chain, islice

from corvo.core.errors import NotFound
from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.namespace import Qualified, name_of
from corvo.core.queue import Queue
from corvo.core.states import JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import settle, throttle, unique
from corvo.fsm.rules.new_job import check_room
from corvo.fsm.state import QueueState
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, LimitQueue, PauseQueue, ThrottleQueue
from corvo.ops.results import QueueChanged, Upkept
from corvo.storage import keys


@applies(PauseQueue)
def pause(op: PauseQueue, tx: EntryTx) -> QueueChanged:
    doc = _changed(tx, op)
    doc.paused = op.paused
    tx.tell(EventType.QUEUE_PAUSED if op.paused else EventType.QUEUE_RESUMED, op.queue)
    return QueueChanged(doc.copy())


@applies(LimitQueue)
def limit(op: LimitQueue, tx: EntryTx) -> QueueChanged:
    doc = _changed(tx, op)
    doc.max_concurrency = op.max_concurrency
    tx.tell(EventType.QUEUE_LIMITED, op.queue, {"max_concurrency": op.max_concurrency})
    return QueueChanged(doc.copy())


@applies(ThrottleQueue)
def throttle_queue(op: ThrottleQueue, tx: EntryTx) -> QueueChanged:
    doc = _changed(tx, op)
    if op.rate is None:
        throttle.forget_all(tx, tx.queue(op.queue))
    doc.rate_limit = op.rate
    doc.rate_window_ms = op.window_ms
    tx.tell(EventType.QUEUE_LIMITED, op.queue, {"rate": op.rate, "window_ms": op.window_ms})
    return QueueChanged(doc.copy())


def _changed(tx: EntryTx, op: PauseQueue | LimitQueue | ThrottleQueue) -> Queue:
    """The document of a queue that is about to change. Settings may come before the first job."""
    if op.existing:
        _existing(tx, op.queue)
    check_room(tx, op.queue)
    return tx.change_queue(op.queue)


@applies(ClearQueue)
def clear(op: ClearQueue, tx: EntryTx) -> Upkept:
    queue = _existing(tx, op.queue)
    waiting = chain(_pending(tx, queue), _members(tx, queue, keys.PARKED, JobState.SCHEDULED))
    removed, more = _remove(tx, queue, waiting, op.limit, "was cleared from its queue")
    tx.tell(EventType.QUEUE_CLEARED, op.queue, {"deleted": removed})
    return Upkept(removed, more)


@applies(DeleteQueue)
def delete(op: DeleteQueue, tx: EntryTx) -> Upkept:
    queue = _existing(tx, op.queue)
    everything = chain(_pending(tx, queue), _members(tx, queue, keys.PARKED, *JobState))
    removed, more = _remove(tx, queue, everything, op.limit, "went with its queue")
    # The last job of a batch may have brought a callback into this very queue.
    more = more or any(queue.doc.counts) or not unique.forget_all(tx, op.queue, op.limit)
    if not more:
        throttle.forget_all(tx, queue)
        tx.drop_queue(op.queue)
        tx.tell(EventType.QUEUE_DELETED, op.queue)
    return Upkept(removed, more)


def _existing(tx: EntryTx, name: Qualified) -> QueueState:
    queue = tx.state.queues.get(name)
    if queue is None:
        raise NotFound(f"queue {name_of(name)} does not exist")
    return queue


def _pending(tx: EntryTx, queue: QueueState) -> Iterator[str]:
    for sort in queue.pending_from(b"", tx.kv):
        yield keys.job_id_of_pending_sort(sort)


def _members(tx: EntryTx, queue: QueueState, *states: int) -> Iterator[str]:
    for state in states:
        prefix = keys.member_state_prefix(queue.doc.name, state)
        for key, _ in tx.kv.scan(prefix, keys.after(prefix)):
            yield keys.parse_member(key)[2]


def _remove(
    tx: EntryTx, queue: QueueState, job_ids: Iterator[str], limit: int, reason: str
) -> tuple[int, bool]:
    # The ids are taken before the jobs are removed: removing writes to what is being read.
    found = list(islice(job_ids, limit + 1))
    for job_id in found[:limit]:
        job = tx.job(job_id)
        assert job is not None, f"{job_id} is in queue {queue.doc.name} but has no document"
        settle.remove(tx, job, reason)
        _raise_floor(queue, job)
    return min(len(found), limit), len(found) > limit


def _raise_floor(queue: QueueState, job: Job) -> None:
    """Pending jobs are removed in order, so the next search can begin behind those already gone."""
    if job.state is JobState.PENDING and not job.is_parked:
        queue.doc.floors[job.priority] = job.order_ns
