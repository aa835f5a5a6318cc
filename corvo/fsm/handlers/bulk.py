"""Bulk tasks. Each step is one op over one list of ids, so a restart goes on with the next step."""

from msgspec.structs import replace

from corvo.core.bulk import (
    ENDED,
    FAILURES_KEPT,
    STEP_JOBS_MAX,
    BulkFailure,
    BulkStatus,
    BulkTask,
    decode_bulk,
    decode_ids,
    encode_ids,
)
from corvo.core.errors import BulkRefused, NotFound
from corvo.core.namespace import includes
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import actions, namespaces
from corvo.fsm.rules.bulk_tasks import begin, end, store
from corvo.fsm.rules.sweep import sweep
from corvo.ops.bulk import AddBulkIds, CancelBulk, CreateBulk, PurgeBulk, RunBulk, StartBulk
from corvo.ops.job_admin import Action, ActMany
from corvo.ops.results import BulkChanged, Upkept
from corvo.storage import keys


@applies(CreateBulk)
def create(op: CreateBulk, tx: EntryTx) -> BulkChanged:
    return begin(
        tx,
        BulkTask(
            id=op.task_id,
            action=op.action,
            queue=op.queue,
            priority=op.priority,
            reason=op.reason,
            rate=op.rate,
            filter=op.filter,
            expected=op.expected,
            reach=op.reach,
            by=op.by,
            created_ns=tx.now_ns,
            updated_ns=tx.now_ns,
        ),
    )


@applies(AddBulkIds)
def add_ids(op: AddBulkIds, tx: EntryTx) -> BulkChanged:
    task = _existing(tx, op.task_id)
    if task.status is not BulkStatus.QUEUED:
        raise BulkRefused(f"bulk task {task.id} is {task.status.label}; it takes no more jobs")
    if op.chunk != task.chunks:
        return BulkChanged(task)  # Written down already, by an attempt whose answer got lost.
    tx.kv.put(keys.bulk_ids(task.id, task.chunks), encode_ids(op.job_ids))
    return store(
        tx,
        replace(task, chunks=task.chunks + 1, total=task.total + len(op.job_ids), cursor=op.cursor),
    )


@applies(StartBulk)
def start(op: StartBulk, tx: EntryTx) -> BulkChanged:
    task = _existing(tx, op.task_id)
    if task.status is not BulkStatus.QUEUED or op.chunks != task.chunks:
        return BulkChanged(task)
    task = replace(task, status=BulkStatus.RUNNING)
    return end(tx, task, BulkStatus.COMPLETED) if not task.chunks else store(tx, task)


@applies(RunBulk)
def run(op: RunBulk, tx: EntryTx) -> BulkChanged:
    task = _existing(tx, op.task_id)
    if task.status is not BulkStatus.RUNNING or op.chunk != task.next_chunk:
        return BulkChanged(task)  # Cancelled meanwhile, or done by the leader before this one.
    if task.action == Action.DELETE_NAMESPACE:
        return _empty_namespace(tx, task)
    stored = tx.kv.get(keys.bulk_ids(task.id, op.chunk))
    assert stored is not None, f"step {op.chunk} of bulk task {task.id} is missing"
    job_ids = decode_ids(stored)
    order = ActMany(Action(task.action), job_ids, task.queue, task.priority, task.reason, task.reach, task.by)
    acted = actions.act_many(tx, order)
    tx.kv.delete(keys.bulk_ids(task.id, op.chunk))
    failures = tuple(BulkFailure(f.job_id, f.code, f.message) for f in acted.failures)
    task = replace(
        task,
        next_chunk=op.chunk + 1,
        processed=task.processed + len(job_ids),
        affected=task.affected + acted.affected,
        skipped=task.skipped + acted.skipped,
        failures=(task.failures + failures)[:FAILURES_KEPT],
    )
    return end(tx, task, BulkStatus.COMPLETED) if task.next_chunk == task.chunks else store(tx, task)


def _empty_namespace(tx: EntryTx, task: BulkTask) -> BulkChanged:
    name = task.namespace
    assert name is not None
    removed, more = namespaces.empty(tx, name, STEP_JOBS_MAX)
    done = task.processed + removed
    task = replace(
        task,
        next_chunk=task.next_chunk + 1,
        processed=done,
        affected=done,
        # Jobs may have come of others meanwhile.
        total=max(task.total, done),
    )
    if more:
        return store(tx, task)
    namespaces.store(tx, name, None)
    return end(tx, task, BulkStatus.COMPLETED)


@applies(CancelBulk)
def cancel(op: CancelBulk, tx: EntryTx) -> BulkChanged:
    task = _existing(tx, op.task_id)
    if not includes(op.reach, task.reach):
        raise _missing(op.task_id)
    if task.status in ENDED:
        raise BulkRefused(f"bulk task {task.id} is {task.status.label} already")
    for chunk in range(task.next_chunk, task.chunks):
        tx.kv.delete(keys.bulk_ids(task.id, chunk))
    if task.namespace is not None:
        namespaces.store(tx, task.namespace, replace(tx.state.namespaces[task.namespace], deleting=None))
    if op.error is None:
        return end(tx, task, BulkStatus.CANCELLED)
    return end(tx, replace(task, error=op.error), BulkStatus.FAILED)


@applies(PurgeBulk)
def purge(op: PurgeBulk, tx: EntryTx) -> Upkept:
    def act(at_ns: int, task_id: str) -> None:
        tx.kv.delete(keys.bulk(task_id))
        tx.kv.delete(keys.timed(keys.BULK_ENDED, at_ns, task_id))

    return sweep(tx, keys.BULK_ENDED, op.ended_before_ns, op.limit, act)


def _existing(tx: EntryTx, task_id: str) -> BulkTask:
    stored = tx.kv.get(keys.bulk(task_id))
    if stored is None:
        raise _missing(task_id)
    return decode_bulk(stored)


def _missing(task_id: str) -> NotFound:
    return NotFound(f"bulk task {task_id} does not exist")
