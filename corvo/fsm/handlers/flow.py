"""Flows: batches that are opened and sealed, and dependents that are still to be told of an end."""

from itertools import islice

from corvo.core.namespace import Qualified
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import batches, dependencies, quotas
from corvo.fsm.rules.sweep import sweep
from corvo.ops.flow import OpenBatch, PurgeBatches, Resolve, SealBatch
from corvo.ops.results import BatchOpened, BatchSealed, Upkept, WholeJob
from corvo.storage import keys


@applies(OpenBatch)
def open_batch(op: OpenBatch, tx: EntryTx) -> BatchOpened:
    quotas.guarded(tx, op.namespace)
    batches.create(tx, op.batch_id, op.callback_queue, op.callback_payload, op.namespace, is_idle=True)
    return BatchOpened(op.batch_id)


@applies(SealBatch)
def seal_batch(op: SealBatch, tx: EntryTx) -> BatchSealed:
    batch, callback = batches.seal(tx, op.batch_id, op.namespace)
    return BatchSealed(batch, None if callback is None else WholeJob(callback, tx.payload_of(callback)))


@applies(PurgeBatches)
def purge_batches(op: PurgeBatches, tx: EntryTx) -> Upkept:
    def act(at_ns: int, batch_id: str) -> None:
        batches.forget(tx, at_ns, Qualified(batch_id))

    return sweep(tx, keys.BATCH_OVER, op.ended_before_ns, op.limit, act)


@applies(Resolve)
def resolve(op: Resolve, tx: EntryTx) -> Upkept:
    told, due = 0, tx.state.due
    found = list(islice(due.until(keys.RESOLVING, tx.now_ns + 1, tx.kv), op.limit + 1))
    for at_ns, job_id in found[: op.limit]:
        due.passed(keys.RESOLVING, at_ns)
        count, more = dependencies.resume(tx, at_ns, job_id, op.limit - told)
        told += count
        if more or told >= op.limit:
            return Upkept(told, more=True)
    due.look(keys.RESOLVING, tx.kv)
    return Upkept(told, more=len(found) > op.limit)
