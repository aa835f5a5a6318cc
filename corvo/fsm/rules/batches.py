"""Batches of jobs: every job is counted once per life, and the callback is made once.

The counts are read and written through the transaction, so several jobs of a batch that end in one entry,
or in one request, add up.
"""

import msgspec
from msgspec.structs import replace

from corvo.core.batch import Batch, decode_batch, encode_batch
from corvo.core.errors import NotFound, ValidationFailed
from corvo.core.events import EventType
from corvo.core.job import BatchOutcome, Flow, Job, Priority
from corvo.core.splice import join, members
from corvo.fsm.entry_tx import Turn
from corvo.fsm.rules import job_insert as births
from corvo.storage import keys


def find(turn: Turn, batch_id: str) -> Batch | None:
    stored = turn.tx.get(keys.batch(batch_id))
    return None if stored is None else decode_batch(stored)


def create(
    turn: Turn,
    batch_id: str,
    callback_queue: str | None,
    callback_payload: bytes | None,
    *,
    is_idle: bool,
) -> None:
    # No client can ask for a batch that exists: the id is drawn by the node that takes the request (80 random
    # bits), no road takes one from outside, and a write that makes something is never sent twice unless an
    # Idempotency-Key covers it (actors/repeatable.py), which is then answered from memory. So this would be a
    # bug of ours, and to go on would mean to lose the counts of the first.
    assert find(turn, batch_id) is None, f"batch {batch_id} exists already"
    batch = Batch(batch_id, turn.now_ns, callback_queue, callback_payload, sealed=False)
    _store(turn, replace(batch, idle_ns=turn.now_ns if is_idle else None), None)


def join_batch(turn: Turn, batch_id: str) -> None:
    """One more job."""
    batch = find(turn, batch_id)
    if batch is None:
        raise ValidationFailed(f"batch {batch_id} does not exist")
    if batch.sealed:
        raise ValidationFailed(f"batch {batch_id} is sealed; no more jobs can join it")
    _store(turn, replace(batch, total=batch.total + 1, pending=batch.pending + 1, idle_ns=None), batch)


def seal(turn: Turn, batch_id: str) -> tuple[Batch, Job | None]:
    """No more jobs may join. The callback, if it was made by this."""
    batch = find(turn, batch_id)
    if batch is None:
        raise NotFound(f"batch {batch_id} does not exist")
    if not batch.sealed:
        was, batch = batch, replace(batch, sealed=True, idle_ns=None)
        _store(turn, batch, was)
    return _fire_if_done(turn, batch)


def counted(flow: Flow, *, success: bool) -> Flow:
    """The flow of a job that ends, with its outcome noted, so that it is not counted again."""
    if flow.batch_id is None or flow.batch_outcome is not BatchOutcome.OPEN:
        return flow
    return replace(flow, batch_outcome=BatchOutcome.SUCCEEDED if success else BatchOutcome.FAILED)


def count(turn: Turn, flow: Flow | None, *, success: bool) -> None:
    """A job of the batch has ended, or is gone. `flow` is as it was before."""
    if flow is None or flow.batch_id is None or flow.batch_outcome is not BatchOutcome.OPEN:
        return
    batch = find(turn, flow.batch_id)
    if batch is None:
        return  # It was sealed, done and forgotten before this job was put in motion again.
    was, pending = batch, batch.pending - 1
    batch = replace(
        was,
        pending=pending,
        succeeded=was.succeeded + success,
        failed=was.failed + (not success),
        idle_ns=None if was.sealed or pending else turn.now_ns,
    )
    assert batch.pending >= 0, f"batch {batch.id} counts more ends than jobs"
    _store(turn, batch, was)
    _fire_if_done(turn, batch)


def reopened(turn: Turn, flow: Flow) -> Flow:
    """A job that had ended goes on. Its batch waits for it again, unless the callback is already out."""
    if flow.batch_id is None or flow.batch_outcome is BatchOutcome.OPEN:
        return flow
    batch = find(turn, flow.batch_id)
    if batch is None or batch.callback_job_id is not None:
        return flow
    succeeded = flow.batch_outcome is BatchOutcome.SUCCEEDED
    _store(
        turn,
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


def forget(turn: Turn, over_ns: int, batch_id: str) -> None:
    turn.tx.delete(keys.batch(batch_id))
    turn.tx.delete(keys.timed(keys.BATCH_OVER, over_ns, batch_id))


def _fire_if_done(turn: Turn, batch: Batch) -> tuple[Batch, Job | None]:
    if not batch.sealed or batch.pending or batch.ended_ns is not None:
        return batch, None
    callback = _callback(turn, batch) if batch.callback_queue is not None else None
    callback_job_id = None if callback is None else callback.id
    was, batch = batch, replace(batch, ended_ns=turn.now_ns, callback_job_id=callback_job_id)
    _store(turn, batch, was)
    counts = {
        "batch_id": batch.id,
        "total": batch.total,
        "succeeded": batch.succeeded,
        "failed": batch.failed,
    }
    turn.tell(EventType.BATCH_COMPLETED, batch.callback_queue, counts)
    return batch, callback


def _callback(turn: Turn, batch: Batch) -> Job:
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
    return births.bear(turn, batch.callback_queue, payload, priority=Priority.NORMAL)


def _store(turn: Turn, batch: Batch, was: Batch | None) -> None:
    turn.tx.put(keys.batch(batch.id), encode_batch(batch))
    before_ns = None if was is None else was.over_ns
    if batch.over_ns == before_ns:
        return
    if before_ns is not None:
        turn.tx.delete(keys.timed(keys.BATCH_OVER, before_ns, batch.id))
    if batch.over_ns is not None:
        turn.tx.put(keys.timed(keys.BATCH_OVER, batch.over_ns, batch.id), b"")
        turn.state.due.note(keys.BATCH_OVER, batch.over_ns)
