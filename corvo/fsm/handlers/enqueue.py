"""Enqueue: producers bring jobs, one at a time or many."""

from msgspec.structs import replace

from corvo.core.states import JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import batches
from corvo.fsm.rules.new_job import take_in
from corvo.ops.enqueue import Enqueue, EnqueueMany, NewFlow, NewJob
from corvo.ops.results import Enqueued, EnqueuedItem, EnqueuedMany


@applies(Enqueue)
def enqueue(op: Enqueue, tx: EntryTx) -> Enqueued:
    return take_in(op.job, tx)


@applies(EnqueueMany)
def enqueue_many(op: EnqueueMany, tx: EntryTx) -> EnqueuedMany:
    if op.batch is not None:
        new_batch = op.batch
        batches.create(
            tx,
            new_batch.batch_id,
            new_batch.callback_queue,
            new_batch.callback_payload,
            new_batch.namespace,
            is_idle=False,
        )
    items = []
    for new in op.jobs if op.batch is None else _members(op.jobs, op.batch.batch_id):
        born = take_in(new, tx)
        if born.job is None:
            existing = tx.job(born.job_id)
            # The holder of a lock that outlives its job may have been purged; its id is still the answer.
            state = existing.state if existing is not None else JobState.COMPLETED
            items.append(EnqueuedItem(born.job_id, new.queue, state, duplicate=True))
        else:
            items.append(EnqueuedItem(born.job_id, new.queue, born.job.state, duplicate=False))
    if op.batch is None:
        return EnqueuedMany(items)
    batches.seal(tx, op.batch.batch_id, op.batch.namespace)
    return EnqueuedMany(items, op.batch.batch_id)


def _members(jobs: list[NewJob], batch_id: str) -> list[NewJob]:
    return [replace(new, flow=replace(new.flow or NewFlow(), batch_id=batch_id)) for new in jobs]
