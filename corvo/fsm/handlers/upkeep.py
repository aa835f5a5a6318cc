"""Upkeep: what time makes due. Each op costs what is due and no more, and stops at its limit."""

from corvo.core.events import decode_record
from corvo.core.job import Job
from corvo.core.namespace import Qualified
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import promote as due
from corvo.fsm.rules import settle, unique, workers
from corvo.fsm.rules.stored_answers import forget
from corvo.fsm.rules.sweep import sweep, sweep_jobs
from corvo.ops.results import Upkept
from corvo.ops.upkeep import (
    CleanIdempotency,
    CleanUnique,
    Expire,
    Promote,
    Purge,
    TrimEvents,
    TrimWorkers,
)
from corvo.storage import keys


@applies(Promote)
def promote(op: Promote, tx: EntryTx) -> Upkept:
    def act(job: Job) -> None:
        if settle.is_expired(tx, job):
            settle.expire(tx, job)
        else:
            due.promote(tx, job)

    return sweep_jobs(tx, keys.DUE, tx.now_ns + 1, op.limit, act)


@applies(Expire)
def expire(op: Expire, tx: EntryTx) -> Upkept:
    def act(job: Job) -> None:
        settle.expire(tx, job)

    return sweep_jobs(tx, keys.EXPIRY, tx.now_ns + 1, op.limit, act)


@applies(Purge)
def purge(op: Purge, tx: EntryTx) -> Upkept:
    def act(job: Job) -> None:
        settle.remove(tx, job, "was purged")

    return sweep_jobs(tx, keys.ENDED, op.ended_before_ns, op.limit, act)


@applies(CleanUnique)
def clean_unique(op: CleanUnique, tx: EntryTx) -> Upkept:
    def act(_at_ns: int, name: str) -> None:
        unique.clean(tx, name)

    return sweep(tx, keys.UNIQUE_EXPIRY, tx.now_ns + 1, op.limit, act)


@applies(CleanIdempotency)
def clean_idempotency(op: CleanIdempotency, tx: EntryTx) -> Upkept:
    def act(at_ns: int, key: str) -> None:
        forget(tx, at_ns, Qualified(key))

    return sweep(tx, keys.IDEMPOTENCY_EXPIRY, tx.now_ns + 1, op.limit, act)


@applies(TrimEvents)
def trim_events(op: TrimEvents, tx: EntryTx) -> Upkept:
    """Whole records, oldest first, while there are too many events or they are too old."""
    last_seq = tx.state.meta.last_seq
    count = 0
    for key, value in tx.kv.scan(keys.events(tx.state.meta.first_event_index), keys.after(keys.EVENTS)):
        record = decode_record(value)
        tx.events_trimmed(record.first_seq, keys.parse_events(key))
        kept = last_seq - record.first_seq + 1
        if kept <= op.keep and record.at_ns >= op.at_before_ns:
            return Upkept(count, more=False)
        if count == op.limit:
            return Upkept(count, more=True)
        tx.kv.delete(key)
        count += 1
    tx.events_trimmed(last_seq + 1, tx.index)
    return Upkept(count, more=False)


@applies(TrimWorkers)
def trim_workers(op: TrimWorkers, tx: EntryTx) -> Upkept:
    silent = sorted(w.id for w in tx.state.workers.values() if w.last_seen_ns < op.seen_before_ns)
    for worker_id in silent[: op.limit]:
        workers.forget(tx, worker_id)
    return Upkept(min(len(silent), op.limit), more=len(silent) > op.limit)
