"""People change queues."""

from collections.abc import Iterator
from itertools import chain, islice

from corvo.core.errors import NotFound
from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.states import JobState
from corvo.fsm.entry_tx import Turn
from corvo.fsm.handlers.enqueue import check_room
from corvo.fsm.registry import applies
from corvo.fsm.rules import settle, throttle, unique
from corvo.fsm.state import QueueState
from corvo.ops.queue_admin import ClearQueue, DeleteQueue, LimitQueue, PauseQueue, ThrottleQueue
from corvo.ops.results import QueueChanged, Upkept
from corvo.storage import keys


@applies(PauseQueue)
def pause(op: PauseQueue, turn: Turn) -> QueueChanged:
    check_room(turn, op.queue)
    doc = turn.change_queue(op.queue)
    doc.paused = op.paused
    turn.tell(EventType.QUEUE_PAUSED if op.paused else EventType.QUEUE_RESUMED, op.queue)
    return QueueChanged(doc.copy())


@applies(LimitQueue)
def limit(op: LimitQueue, turn: Turn) -> QueueChanged:
    check_room(turn, op.queue)
    doc = turn.change_queue(op.queue)
    doc.max_concurrency = op.max_concurrency
    turn.tell(EventType.QUEUE_LIMITED, op.queue, {"max_concurrency": op.max_concurrency})
    return QueueChanged(doc.copy())


@applies(ThrottleQueue)
def throttle_queue(op: ThrottleQueue, turn: Turn) -> QueueChanged:
    check_room(turn, op.queue)
    doc = turn.change_queue(op.queue)
    if op.rate is None:
        throttle.forget_all(turn, turn.queue(op.queue))
    doc.rate_limit = op.rate
    doc.rate_window_ms = op.window_ms
    turn.tell(EventType.QUEUE_LIMITED, op.queue, {"rate": op.rate, "window_ms": op.window_ms})
    return QueueChanged(doc.copy())


@applies(ClearQueue)
def clear(op: ClearQueue, turn: Turn) -> Upkept:
    queue = _existing(turn, op.queue)
    waiting = chain(_pending(turn, queue), _members(turn, queue, keys.PARKED, JobState.SCHEDULED))
    removed, more = _remove(turn, queue, waiting, op.limit, "was cleared from its queue")
    turn.tell(EventType.QUEUE_CLEARED, op.queue, {"deleted": removed})
    return Upkept(removed, more)


@applies(DeleteQueue)
def delete(op: DeleteQueue, turn: Turn) -> Upkept:
    queue = _existing(turn, op.queue)
    everything = chain(_pending(turn, queue), _members(turn, queue, keys.PARKED, *JobState))
    removed, more = _remove(turn, queue, everything, op.limit, "went with its queue")
    # The last job of a batch may have brought a callback into this very queue.
    more = more or any(queue.doc.counts) or not unique.forget_all(turn, op.queue, op.limit)
    if not more:
        throttle.forget_all(turn, queue)
        turn.drop_queue(op.queue)
        turn.tell(EventType.QUEUE_DELETED, op.queue)
    return Upkept(removed, more)


def _existing(turn: Turn, name: str) -> QueueState:
    queue = turn.state.queues.get(name)
    if queue is None:
        raise NotFound(f"queue {name} does not exist")
    return queue


def _pending(turn: Turn, queue: QueueState) -> Iterator[str]:
    for sort in queue.pending_from(b"", turn.tx):
        yield keys.job_id_of_pending_sort(sort)


def _members(turn: Turn, queue: QueueState, *states: int) -> Iterator[str]:
    for state in states:
        prefix = keys.member_state_prefix(queue.doc.name, state)
        for key, _ in turn.tx.scan(prefix, keys.after(prefix)):
            yield keys.parse_member(key)[2]


def _remove(
    turn: Turn, queue: QueueState, job_ids: Iterator[str], limit: int, reason: str
) -> tuple[int, bool]:
    # The ids are taken before the jobs are removed: removing writes to what is being read.
    found = list(islice(job_ids, limit + 1))
    for job_id in found[:limit]:
        job = turn.job(job_id)
        assert job is not None, f"{job_id} is in queue {queue.doc.name} but has no document"
        settle.remove(turn, job, reason)
        _raise_floor(queue, job)
    return min(len(found), limit), len(found) > limit


def _raise_floor(queue: QueueState, job: Job) -> None:
    """Pending jobs go in order, so the next search need not wade through those already gone."""
    if job.state is JobState.PENDING and not job.is_parked:
        queue.doc.floors[job.priority] = job.order_ns
