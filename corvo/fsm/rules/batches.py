"""Batches of jobs: every job is counted once per life, and the callback is made once.

The counts are read and written through the transaction, so several jobs of a batch that end in one entry,
or in one request, add up.
"""

import msgspec
from msgspec.structs import replace

from corvo.core.batch import Batch, decode_batch, encode_batch
from corvo.core.errors import NotFound, ValidationFailed
from corvo.core.events import EventType
from corvo.core.job import BatchOutcome, Flow, Job
from corvo.core.priority import Priority
from corvo.core.splice import join, members
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import job_insert
from corvo.storage import keys


def find(tx: EntryTx, batch_id: str) -> Batch | None:
    stored = tx.kv.get(keys.batch(batch_id))
    return None if stored is None else decode_batch(stored)


def create(
    tx: EntryTx,
    batch_id: str,
    callback_queue: str | None,
    callback_payload: bytes | None,
    *,
    is_idle: bool,
) -> None:
    # No client can ask for a batch that exists: the id is drawn by the node that takes the request (80 random
    # bits), no request can bring one, and a write that makes something is never sent twice unless an
    # Idempotency-Key covers it (ops/repeatable.py), which then gets its stored answer. So this would be a bug
    # of ours, and going on would lose the counts of the first batch.
    assert find(tx, batch_id) is None, f"batch {batch_id} exists already"
    batch = Batch(batch_id, tx.now_ns, callback_queue, callback_payload, sealed=False)
    _store(tx, replace(batch, idle_ns=tx.now_ns if is_idle else None), None)


def join_batch(tx: EntryTx, batch_id: str) -> None:
    """The batch has one more job."""
    batch = find(tx, batch_id)
    if batch is None:
        raise ValidationFailed(f"batch {batch_id} does not exist")
    if batch.sealed:
        raise ValidationFailed(f"batch {batch_id} is sealed; no more jobs can join it")
    _store(tx, replace(batch, total=batch.total + 1, pending=batch.pending + 1, idle_ns=None), batch)


def seal(tx: EntryTx, batch_id: str) -> tuple[Batch, Job | None]:
    """No more jobs may join. Returns the batch, and its callback if it was made by this."""
    batch = find(tx, batch_id)
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


def count(tx: EntryTx, flow: Flow | None, *, success: bool) -> None:
    """A job of the batch has ended, or is gone. `flow` is as it was before."""
    if flow is None or flow.batch_id is None or flow.batch_outcome is not BatchOutcome.OPEN:
        return
    batch = find(tx, flow.batch_id)
    if batch is None:
        return  # It was sealed, done and forgotten before this job was put in motion again.
    was, pending = batch, batch.pending - 1
    batch = replace(
        was,
        pending=pending,
        succeeded=was.succeeded + success,
        failed=was.failed + (not success),
        idle_ns=None if was.sealed or pending else tx.now_ns,
    )
    assert batch.pending >= 0, f"batch {batch.id} counts more ends than jobs"
    _store(tx, batch, was)
    _fire_if_done(tx, batch)


def reopened(tx: EntryTx, flow: Flow) -> Flow:
    """A job that had ended goes on. Its batch waits for it again, unless the callback is already out."""
    if flow.batch_id is None or flow.batch_outcome is BatchOutcome.OPEN:
        return flow
    batch = find(tx, flow.batch_id)
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


def forget(tx: EntryTx, over_ns: int, batch_id: str) -> None:
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
    tx.tell(EventType.BATCH_COMPLETED, batch.callback_queue, counts)
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
    payload = join(members(batch.callback_payload), counts)
    return job_insert.bear(tx, batch.callback_queue, payload, priority=Priority.NORMAL)


def _store(tx: EntryTx, batch: Batch, was: Batch | None) -> None:
    tx.kv.put(keys.batch(batch.id), encode_batch(batch))
    before_ns = None if was is None else was.over_ns
    if batch.over_ns == before_ns:
        return
    if before_ns is not None:
        tx.kv.delete(keys.timed(keys.BATCH_OVER, before_ns, batch.id))
    if batch.over_ns is not None:
        tx.kv.put(keys.timed(keys.BATCH_OVER, batch.over_ns, batch.id), b"")
        tx.state.due.note(keys.BATCH_OVER, batch.over_ns)
