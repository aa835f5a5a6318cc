"""New job: what is checked and stored for a job that a client or a schedule asks for."""

from corvo.core.clock import NS_PER_MS
from corvo.core.errors import ValidationFailed
from corvo.core.job import Flow, Job, Step
from corvo.core.limits import QUEUES_MAX
from corvo.core.namespace import Qualified, namespace_of
from corvo.core.states import JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import batches, job_insert, quotas, unique, waiting
from corvo.ops.enqueue import NewFlow, NewJob
from corvo.ops.results import Enqueued


def take_in(new: NewJob, tx: EntryTx, *, by_client: bool = True) -> Enqueued:
    """Quotas hold for what clients bring, and not for what is made of a schedule when its time has come."""
    if new.unique is not None:
        existing = unique.holder(tx, new.queue, new.unique.key)
        if existing is not None:
            return Enqueued(existing, None)
    check_room(tx, new.queue, by_client=by_client)
    if by_client and tx.state.guarded:
        quotas.check_job(tx, new.queue, len(new.payload))

    now_ns = tx.next_ns()
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
        job.flow = _flow(new.flow, job, tx)
    job_insert.place(tx, job, new.payload)
    if job.unique is not None:
        unique.take(tx, job)
    return Enqueued(job.id, job)


def check_room(tx: EntryTx, queue: Qualified, *, by_client: bool = True) -> None:
    """A request that names a new queue makes it, up to a limit. Jobs the server makes are not refused."""
    if queue in tx.state.queues:
        return
    if by_client:
        quotas.check_queue(tx, queue)
    if len(tx.state.queues) >= QUEUES_MAX:
        raise ValidationFailed(f"there are {QUEUES_MAX} queues already; destroy some that are not used")


def _flow(new: NewFlow, job: Job, tx: EntryTx) -> Flow:
    if job.id in new.depends_on:
        raise ValidationFailed("depends_on: a job cannot wait for itself")
    unmet = waiting.unmet(
        tx, new.depends_on, new.on_dependency_failure, job.queue, allow_missing=new.allow_missing
    )
    waiting.watch(tx, job.id, unmet)
    if new.batch_id is not None:
        batches.join_batch(tx, new.batch_id, job.queue)
    if new.chain is not None and not all(_is_beside(job.queue, step) for step in new.chain.every_step()):
        raise ValidationFailed("chain: its steps must be in the namespace of the job")
    return Flow(
        batch_id=new.batch_id,
        chain_id=new.chain_id,
        chain=new.chain,
        depends_on=new.depends_on,
        unmet=len(unmet),
        on_dependency_failure=new.on_dependency_failure,
    )


def _is_beside(queue: Qualified, step: Step) -> bool:
    return namespace_of(step.queue) == namespace_of(queue)
