"""Bulk tasks: their documents, from the first to the last."""

from msgspec.structs import replace

from corvo.core.bulk import BulkStatus, BulkTask, encode_bulk
from corvo.core.errors import BulkRefused
from corvo.core.limits import BULK_TASKS_UNFINISHED_MAX
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import audit
from corvo.ops.results import BulkChanged
from corvo.storage import keys


def begin(tx: EntryTx, task: BulkTask) -> BulkChanged:
    unfinished = tx.state.bulk_unfinished
    if len(unfinished) >= BULK_TASKS_UNFINISHED_MAX:
        raise BulkRefused(
            f"{BULK_TASKS_UNFINISHED_MAX} bulk tasks have not ended yet; wait for some, or cancel them"
        )
    unfinished.add(task.id)
    tx.on_rollback(lambda: unfinished.discard(task.id))
    return store(tx, task)


def store(tx: EntryTx, task: BulkTask) -> BulkChanged:
    task = replace(task, updated_ns=tx.now_ns)
    tx.kv.put(keys.bulk(task.id), encode_bulk(task))
    tx.bulk[task.id] = task
    return BulkChanged(task)


def end(tx: EntryTx, task: BulkTask, status: BulkStatus) -> BulkChanged:
    unfinished = tx.state.bulk_unfinished
    unfinished.remove(task.id)
    tx.on_rollback(lambda: unfinished.add(task.id))
    tx.kv.put(keys.timed(keys.BULK_ENDED, tx.now_ns, task.id), b"")
    tx.state.due.note(keys.BULK_ENDED, tx.now_ns)
    if task.record is not None:
        audit.add(tx, task.record, task.affected)
    return store(tx, replace(task, status=status, finished_ns=tx.now_ns))
