"""Queue administration: people pause, limit, throttle, clear and delete queues."""

from corvo.core.errors import NotFound
from corvo.core.events import EventType
from corvo.core.namespace import Qualified, name_of
from corvo.core.queue import Queue
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import removal, throttle
from corvo.fsm.rules.new_job import check_room
from corvo.fsm.state import QueueState
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, LimitQueue, PauseQueue, ThrottleQueue
from corvo.ops.results import QueueChanged, Upkept


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
    removed, more = removal.clear_queue(tx, _existing(tx, op.queue), op.limit)
    tx.tell(EventType.QUEUE_CLEARED, op.queue, {"deleted": removed})
    return Upkept(removed, more)


@applies(DeleteQueue)
def delete(op: DeleteQueue, tx: EntryTx) -> Upkept:
    removed, more = removal.remove_queue(tx, _existing(tx, op.queue), op.limit)
    return Upkept(removed, more)


def _existing(tx: EntryTx, name: Qualified) -> QueueState:
    queue = tx.state.queues.get(name)
    if queue is None:
        raise NotFound(f"queue {name_of(name)} does not exist")
    return queue
