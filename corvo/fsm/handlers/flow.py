"""Open batches, and the news that did not fit into the entry that made it."""

from itertools import islice

from corvo.fsm.entry_tx import Turn
from corvo.fsm.registry import applies
from corvo.fsm.rules import batches, dependencies
from corvo.fsm.rules.sweep import sweep
from corvo.ops.flow import OpenBatch, PurgeBatches, Resolve, SealBatch
from corvo.ops.results import BatchOpened, BatchSealed, Upkept, WholeJob
from corvo.storage import keys


@applies(OpenBatch)
def open_batch(op: OpenBatch, turn: Turn) -> BatchOpened:
    batches.create(turn, op.batch_id, op.callback_queue, op.callback_payload, is_idle=True)
    return BatchOpened(op.batch_id)


@applies(SealBatch)
def seal_batch(op: SealBatch, turn: Turn) -> BatchSealed:
    batch, callback = batches.seal(turn, op.batch_id)
    return BatchSealed(batch, None if callback is None else WholeJob(callback, turn.payload_of(callback)))


@applies(PurgeBatches)
def purge_batches(op: PurgeBatches, turn: Turn) -> Upkept:
    def act(at_ns: int, batch_id: str) -> None:
        batches.forget(turn, at_ns, batch_id)

    return sweep(turn, keys.BATCH_OVER, op.ended_before_ns, op.limit, act)


@applies(Resolve)
def resolve(op: Resolve, turn: Turn) -> Upkept:
    told, due = 0, turn.state.due
    found = list(islice(due.until(keys.RESOLVING, turn.now_ns + 1, turn.tx), op.limit + 1))
    for at_ns, job_id in found[: op.limit]:
        due.passed(keys.RESOLVING, at_ns)
        count, more = dependencies.resume(turn, at_ns, job_id, op.limit - told)
        told += count
        if more or told >= op.limit:
            return Upkept(told, more=True)
    due.look(keys.RESOLVING, turn.tx)
    return Upkept(told, more=len(found) > op.limit)
