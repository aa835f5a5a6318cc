"""Batches of jobs: every job is counted once per life, and the callback is made once.

The counts are read and written through the transaction, so several jobs of a batch that end in one entry,
or in one request, add up.
"""

import msgspec
from msgspec.structs import replace

from corvo.core.batch import Batch, decode_batch, encode_batch
from corvo.core.errors import NotFound, ValidationFailed
from corvo.core.events import EventType, about_no_queue
from corvo.core.job import BatchOutcome, Flow, Job
from corvo.core.namespace import Qualified, namespace_of, qualified
from corvo.core.priority import Priority
from corvo.core.sealing.form import Part, joined, object_part
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import job_insert
from corvo.storage import keys


def find(tx: EntryTx, batch_id: Qualified) -> Batch | None:
    """A batch is stored under its namespace and its id, so that none is found from another namespace."""
    stored = tx.kv.get(keys.batch(batch_id))
    return None if stored is None else decode_batch(stored)


def create(
    tx: EntryTx,
    batch_id: str,
    callback_queue: Qualified | None,
    callback_payload: bytes | None,
    namespace: str,
    *,
    is_idle: bool,
) -> None:
    if callback_queue is not None and namespace_of(callback_queue) != namespace:
        raise ValidationFailed("callback_queue: it must be in the namespace of the batch")
    # No client can ask for a batch that exists: the id is drawn by the node that takes the request (80 random
    # bits), no request can bring one, and a write that makes something is never sent twice unless an
    # Idempotency-Key covers it (ops/repeatable.py), which then gets its stored answer. So this would be a bug
    # of ours, and going on would lose the counts of the first batch.
    assert find(tx, qualified(namespace, batch_id)) is None, f"batch {batch_id} exists already"
    batch = Batch(
        batch_id,
        tx.now_ns,
        callback_queue,
        callback_payload,
        sealed=False,
        idle_ns=tx.now_ns if is_idle else None,
        namespace=namespace,
    )
    _store(tx, batch, None)


def join_batch(tx: EntryTx, batch_id: str, queue: Qualified) -> None:
    """The batch has one more job, of this queue."""
    batch = find(tx, _beside(queue, batch_id))
    if batch is None:
        raise ValidationFailed(f"batch {batch_id} does not exist")
    if batch.sealed:
        raise ValidationFailed(f"batch {batch_id} is sealed; no more jobs can join it")
    _store(tx, replace(batch, total=batch.total + 1, pending=batch.pending + 1, idle_ns=None), batch)


def seal(tx: EntryTx, batch_id: str, namespace: str) -> tuple[Batch, Job | None]:
    """No more jobs may join. Returns the batch, and its callback if it was made by this."""
    batch = find(tx, qualified(namespace, batch_id))
    if batch is None:
        raise NotFound(f"batch {batch_id} does not exist")
    if not batch.sealed:
        was, batch = batch, replace(batch, sealed=True, idle_ns=None)
        _store(tx, batch, was)
    return _fire_if_done(tx, batch)


def counted(flow: Flow, *, success: bool) -> Flow:
    """The flow of a job that ends, with its outcome noted, so that it is not counted again."""
    if flow.batch_id is None or flow.batch_outcome is not BatchOutcome.OPEN:
        return flow
    return replace(flow, batch_outcome=BatchOutcome.SUCCEEDED if success else BatchOutcome.FAILED)


def count(tx: EntryTx, was: Job, *, success: bool) -> None:
    """A job of the batch has ended, or is gone. This is the job as it was before."""
    flow = was.flow
    if flow is None or flow.batch_id is None or flow.batch_outcome is not BatchOutcome.OPEN:
        return
    batch = find(tx, _beside(was.queue, flow.batch_id))
    if batch is None:
        return  # It was sealed, done and forgotten before this job was put in motion again.
    before, pending = batch, batch.pending - 1
    batch = replace(
        before,
        pending=pending,
        succeeded=before.succeeded + success,
        failed=before.failed + (not success),
        idle_ns=None if before.sealed or pending else tx.now_ns,
    )
    assert batch.pending >= 0, f"batch {batch.id} counts more ends than jobs"
    _store(tx, batch, before)
    _fire_if_done(tx, batch)


def reopened(tx: EntryTx, flow: Flow, queue: Qualified) -> Flow:
    """A job of this queue that had ended goes on. Its batch waits for it again, unless it has called back."""
    if flow.batch_id is None or flow.batch_outcome is BatchOutcome.OPEN:
        return flow
    batch = find(tx, _beside(queue, flow.batch_id))
    if batch is None or batch.callback_job_id is not None:
        return flow
    succeeded = flow.batch_outcome is BatchOutcome.SUCCEEDED
    _store(
        tx,
        replace(
            batch,
            pending=batch.pending + 1,
            succeeded=batch.succeeded - succeeded,
            failed=batch.failed - (not succeeded),
            ended_ns=None,
            idle_ns=None,
        ),
        batch,
    )
    return replace(flow, batch_outcome=BatchOutcome.OPEN)


def forget(tx: EntryTx, over_ns: int, batch_id: Qualified) -> None:
    tx.kv.delete(keys.batch(batch_id))
    tx.kv.delete(keys.timed(keys.BATCH_OVER, over_ns, batch_id))


def _fire_if_done(tx: EntryTx, batch: Batch) -> tuple[Batch, Job | None]:
    if not batch.sealed or batch.pending or batch.ended_ns is not None:
        return batch, None
    callback = _callback(tx, batch) if batch.callback_queue is not None else None
    callback_job_id = None if callback is None else callback.id
    was, batch = batch, replace(batch, ended_ns=tx.now_ns, callback_job_id=callback_job_id)
    _store(tx, batch, was)
    counts = {
        "batch_id": batch.id,
        "total": batch.total,
        "succeeded": batch.succeeded,
        "failed": batch.failed,
    }
    queue = batch.callback_queue or about_no_queue(batch.namespace)
    tx.tell(EventType.BATCH_COMPLETED, queue, counts)
    return batch, callback


def _callback(tx: EntryTx, batch: Batch) -> Job:
    assert batch.callback_queue is not None
    counts = msgspec.json.encode(
        {
            "batch": {
                "id": batch.id,
                "total": batch.total,
                "succeeded": batch.succeeded,
                "failed": batch.failed,
            }
        }
    )
    payload = joined(object_part(batch.callback_payload), Part(counts))
    return job_insert.bear(tx, batch.callback_queue, payload, priority=Priority.NORMAL)


def _beside(queue: Qualified, batch_id: str) -> Qualified:
    """The batch of this id in the namespace of the queue."""
    return qualified(namespace_of(queue), batch_id)


def _store(tx: EntryTx, batch: Batch, was: Batch | None) -> None:
    name = qualified(batch.namespace, batch.id)
    tx.kv.put(keys.batch(name), encode_batch(batch))
    before_ns = None if was is None else was.over_ns
    if batch.over_ns == before_ns:
        return
    if before_ns is not None:
        tx.kv.delete(keys.timed(keys.BATCH_OVER, before_ns, name))
    if batch.over_ns is not None:
        tx.kv.put(keys.timed(keys.BATCH_OVER, batch.over_ns, name), b"")
        tx.state.due.note(keys.BATCH_OVER, batch.over_ns)
