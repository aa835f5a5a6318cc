"""What time brings: each op costs what is due and no more, and stops at its limit."""

from corvo.core.events import EventType, decode_record
from corvo.core.job import Job
from corvo.core.states import JobState, check
from corvo.fsm.entry_tx import Turn
from corvo.fsm.handlers.idempotency import forget
from corvo.fsm.registry import applies
from corvo.fsm.rules import settle, unique, workers
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
def promote(op: Promote, turn: Turn) -> Upkept:
    def act(job: Job) -> None:
        if settle.is_expired(turn, job):
            settle.expire(turn, job)
        else:
            promote_one(turn, job)

    return sweep_jobs(turn, keys.DUE, turn.now_ns + 1, op.limit, act)


def promote_one(turn: Turn, was: Job) -> None:
    job = was.copy()
    job.state = JobState.PENDING
    job.scheduled_ns = None
    check(was.state, job.state)
    turn.save(job, was)
    turn.emit(EventType.PROMOTED, job)


@applies(Expire)
def expire(op: Expire, turn: Turn) -> Upkept:
    def act(job: Job) -> None:
        settle.expire(turn, job)

    return sweep_jobs(turn, keys.EXPIRY, turn.now_ns + 1, op.limit, act)


@applies(Purge)
def purge(op: Purge, turn: Turn) -> Upkept:
    def act(job: Job) -> None:
        settle.remove(turn, job, "was purged")

    return sweep_jobs(turn, keys.ENDED, op.ended_before_ns, op.limit, act)


@applies(CleanUnique)
def clean_unique(op: CleanUnique, turn: Turn) -> Upkept:
    def act(_at_ns: int, name: str) -> None:
        unique.clean(turn, name)

    return sweep(turn, keys.UNIQUE_EXPIRY, turn.now_ns + 1, op.limit, act)


@applies(CleanIdempotency)
def clean_idempotency(op: CleanIdempotency, turn: Turn) -> Upkept:
    def act(at_ns: int, key: str) -> None:
        forget(turn, at_ns, key)

    return sweep(turn, keys.IDEMPOTENCY_EXPIRY, turn.now_ns + 1, op.limit, act)


@applies(TrimEvents)
def trim_events(op: TrimEvents, turn: Turn) -> Upkept:
    """Whole records, oldest first, while there are too many events or they are too old."""
    last_seq = turn.state.meta.last_seq
    count = 0
    for key, value in turn.tx.scan(keys.events(turn.state.meta.first_event_index), keys.after(keys.EVENTS)):
        record = decode_record(value)
        turn.events_trimmed(record.first_seq, keys.parse_events(key))
        kept = last_seq - record.first_seq + 1
        if kept <= op.keep and record.at_ns >= op.at_before_ns:
            return Upkept(count, more=False)
        if count == op.limit:
            return Upkept(count, more=True)
        turn.tx.delete(key)
        count += 1
    turn.events_trimmed(last_seq + 1, turn.index)
    return Upkept(count, more=False)


@applies(TrimWorkers)
def trim_workers(op: TrimWorkers, turn: Turn) -> Upkept:
    silent = sorted(w.id for w in turn.state.workers.values() if w.last_seen_ns < op.seen_before_ns)
    for worker_id in silent[: op.limit]:
        workers.forget(turn, worker_id)
    return Upkept(min(len(silent), op.limit), more=len(silent) > op.limit)
