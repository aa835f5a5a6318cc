"""Jobs are born."""

from corvo.core.clock import NS_PER_MS
from corvo.core.errors import ValidationFailed
from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.limits import PAYLOAD_INLINE_BYTES_MAX, QUEUES_MAX
from corvo.core.states import JobState
from corvo.fsm import unique
from corvo.fsm.registry import applies
from corvo.fsm.turn import Turn
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewJob
from corvo.ops.results import Enqueued, EnqueuedItem, EnqueuedMany
from corvo.storage import keys


@applies(Enqueue)
def enqueue(op: Enqueue, turn: Turn) -> Enqueued:
    return _bear(op.job, turn)


@applies(EnqueueMany)
def enqueue_many(op: EnqueueMany, turn: Turn) -> EnqueuedMany:
    items = []
    for new in op.jobs:
        born = _bear(new, turn)
        if born.job is None:
            existing = turn.job(born.job_id)
            # The holder of a lock that outlives its job may have been purged; its id is still the answer.
            state = existing.state if existing is not None else JobState.COMPLETED
            items.append(EnqueuedItem(born.job_id, new.queue, state, duplicate=True))
        else:
            items.append(EnqueuedItem(born.job_id, new.queue, born.job.state, duplicate=False))
    return EnqueuedMany(items)


def _bear(new: NewJob, turn: Turn) -> Enqueued:
    if new.unique is not None:
        existing = unique.holder(turn, new.queue, new.unique.key)
        if existing is not None:
            return Enqueued(existing, None)
    if new.queue not in turn.state.queues and len(turn.state.queues) >= QUEUES_MAX:
        raise ValidationFailed(f"there are {QUEUES_MAX} queues already; destroy some that are not used")

    now_ns = turn.next_ns()
    later = new.scheduled_ns is not None and new.scheduled_ns > now_ns
    inline = len(new.payload) <= PAYLOAD_INLINE_BYTES_MAX
    job = Job(
        id=new.job_id,
        queue=new.queue,
        state=JobState.SCHEDULED if later else JobState.PENDING,
        priority=new.priority,
        payload=new.payload if inline else None,
        created_ns=now_ns,
        order_ns=now_ns,
        max_retries=new.max_retries,
        backoff=new.backoff,
        retry_base_ms=new.retry_base_ms,
        retry_max_ms=new.retry_max_ms,
        retry_jitter=new.retry_jitter,
        unique=new.unique,
        tags=new.tags,
        checkpoint=new.checkpoint,
        scheduled_ns=new.scheduled_ns if later else None,
        expire_ns=None if new.expire_after_ms is None else now_ns + new.expire_after_ms * NS_PER_MS,
        expire_after_ms=new.expire_after_ms,
        parent_id=new.parent_id,
        group=new.group,
    )
    if not inline:
        turn.tx.put(keys.payload(job.id), new.payload)
    turn.save(job, None)
    if job.unique is not None:
        unique.take(turn, job)
    turn.emit(EventType.ENQUEUED, job)
    return Enqueued(job.id, job)
