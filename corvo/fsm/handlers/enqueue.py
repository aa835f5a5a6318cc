"""Producers bring jobs."""

from msgspec.structs import replace

from corvo.core.clock import NS_PER_MS
from corvo.core.errors import ValidationFailed
from corvo.core.job import Flow, Job
from corvo.core.limits import QUEUES_MAX
from corvo.core.states import JobState
from corvo.fsm.entry_tx import Turn
from corvo.fsm.registry import applies
from corvo.fsm.rules import batches, unique, waiting
from corvo.fsm.rules import job_insert as births
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewFlow, NewJob
from corvo.ops.results import Enqueued, EnqueuedItem, EnqueuedMany


@applies(Enqueue)
def enqueue(op: Enqueue, turn: Turn) -> Enqueued:
    return take_in(op.job, turn)


@applies(EnqueueMany)
def enqueue_many(op: EnqueueMany, turn: Turn) -> EnqueuedMany:
    if op.batch is not None:
        new_batch = op.batch
        batches.create(
            turn, new_batch.batch_id, new_batch.callback_queue, new_batch.callback_payload, is_idle=False
        )
    items = []
    for new in op.jobs if op.batch is None else _members(op.jobs, op.batch.batch_id):
        born = take_in(new, turn)
        if born.job is None:
            existing = turn.job(born.job_id)
            # The holder of a lock that outlives its job may have been purged; its id is still the answer.
            state = existing.state if existing is not None else JobState.COMPLETED
            items.append(EnqueuedItem(born.job_id, new.queue, state, duplicate=True))
        else:
            items.append(EnqueuedItem(born.job_id, new.queue, born.job.state, duplicate=False))
    if op.batch is None:
        return EnqueuedMany(items)
    batches.seal(turn, op.batch.batch_id)
    return EnqueuedMany(items, op.batch.batch_id)


def _members(jobs: list[NewJob], batch_id: str) -> list[NewJob]:
    return [replace(new, flow=replace(new.flow or NewFlow(), batch_id=batch_id)) for new in jobs]


def take_in(new: NewJob, turn: Turn) -> Enqueued:
    if new.unique is not None:
        existing = unique.holder(turn, new.queue, new.unique.key)
        if existing is not None:
            return Enqueued(existing, None)
    check_room(turn, new.queue)

    now_ns = turn.next_ns()
    later = new.scheduled_ns is not None and new.scheduled_ns > now_ns
    job = Job(
        id=new.job_id,
        queue=new.queue,
        state=JobState.SCHEDULED if later else JobState.PENDING,
        priority=new.priority,
        payload=None,
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
    if new.flow is not None:
        job.flow = _flow(new.flow, job.id, turn)
    births.place(turn, job, new.payload)
    if job.unique is not None:
        unique.take(turn, job)
    return Enqueued(job.id, job)


def check_room(turn: Turn, queue: str) -> None:
    """Whoever names a queue that does not exist makes one. What the server makes itself is not refused."""
    if queue not in turn.state.queues and len(turn.state.queues) >= QUEUES_MAX:
        raise ValidationFailed(f"there are {QUEUES_MAX} queues already; destroy some that are not used")


def _flow(new: NewFlow, job_id: str, turn: Turn) -> Flow:
    if job_id in new.depends_on:
        raise ValidationFailed("depends_on: a job cannot wait for itself")
    unmet = waiting.unmet(turn, new.depends_on, new.on_dependency_failure, allow_missing=new.allow_missing)
    waiting.watch(turn, job_id, unmet)
    if new.batch_id is not None:
        batches.join_batch(turn, new.batch_id)
    return Flow(
        batch_id=new.batch_id,
        chain_id=new.chain_id,
        chain=new.chain,
        depends_on=new.depends_on,
        unmet=len(unmet),
        on_dependency_failure=new.on_dependency_failure,
    )
