"""Unique locks: at most one living job per (queue, unique key), for at most the lock's period."""

from itertools import islice

from corvo.core.clock import NS_PER_S
from corvo.core.errors import CorvoError
from corvo.core.job import Job, UniqueUntil
from corvo.fsm.entry_tx import Turn
from corvo.storage import keys
from corvo.storage.locks import Lock, decode_lock, encode_lock, expiry_key, parse_expiry_name


def holder(turn: Turn, queue: str, key: str) -> str | None:
    """The id of the job that keeps others out at the moment."""
    lock = _stored(turn, queue, key)
    if lock is None or lock.expires_ns <= turn.now_ns:
        return None
    return lock.job_id


def take(turn: Turn, job: Job) -> None:
    """Lock for this job. Whatever lock was there has expired."""
    assert job.unique is not None
    old = _stored(turn, job.queue, job.unique.key)
    if old is not None:
        _delete(turn, job.queue, job.unique.key, old)
    lock = Lock(job.id, turn.now_ns + job.unique.period_s * NS_PER_S, job.unique.until)
    _put(turn, job.queue, job.unique.key, lock)


def move(turn: Turn, was: Job, job: Job, refusal: type[CorvoError]) -> None:
    """The job goes to another queue, and its lock with it; refused if the key is taken there."""
    if was.unique is None:
        return
    lock = _stored(turn, was.queue, was.unique.key)
    # One whose period has passed keeps nobody out, wherever it is; it is swept up where it lies.
    if lock is None or lock.job_id != was.id or lock.expires_ns <= turn.now_ns:
        return
    taken_by = holder(turn, job.queue, was.unique.key)
    if taken_by is not None:
        raise refusal(f"job {taken_by} holds the unique key in queue {job.queue}", unique_job_id=taken_by)
    _delete(turn, was.queue, was.unique.key, lock)
    stale = _stored(turn, job.queue, was.unique.key)
    if stale is not None:
        _delete(turn, job.queue, was.unique.key, stale)
    _put(turn, job.queue, was.unique.key, lock)


def release_started(turn: Turn, job: Job) -> None:
    """The job has been claimed."""
    if job.unique is not None and job.unique.until is UniqueUntil.START:
        _release(turn, job)


def release_ended(turn: Turn, job: Job) -> None:
    """The job has ended, or is gone."""
    if job.unique is not None and job.unique.until is not UniqueUntil.TTL:
        _release(turn, job)


def forget_all(turn: Turn, queue: str, limit: int) -> bool:
    """The queue is to be no more. Locks that outlive their jobs go with it, up to the limit: whether all."""
    prefix = keys.unique(queue, "")
    found = [key for key, _ in islice(turn.tx.scan(prefix, keys.after(prefix)), limit + 1)]
    for key in found[:limit]:
        _, unique_key = keys.parse_unique(key)
        lock = _stored(turn, queue, unique_key)
        assert lock is not None
        _delete(turn, queue, unique_key, lock)
    return len(found) <= limit


def clean(turn: Turn, name: str) -> None:
    """The period of a lock has passed."""
    queue, key = parse_expiry_name(name)
    lock = _stored(turn, queue, key)
    assert lock is not None, f"the expiry of a lock on {name!r} has no lock"
    assert lock.expires_ns <= turn.now_ns
    _delete(turn, queue, key, lock)


def _release(turn: Turn, job: Job) -> None:
    assert job.unique is not None
    lock = _stored(turn, job.queue, job.unique.key)
    # The lock may have expired and now belong to a younger job.
    if lock is not None and lock.job_id == job.id:
        _delete(turn, job.queue, job.unique.key, lock)


def _stored(turn: Turn, queue: str, key: str) -> Lock | None:
    stored = turn.tx.get(keys.unique(queue, key))
    return None if stored is None else decode_lock(stored)


def _put(turn: Turn, queue: str, key: str, lock: Lock) -> None:
    turn.tx.put(keys.unique(queue, key), encode_lock(lock))
    turn.tx.put(expiry_key(queue, key, lock), b"")
    turn.state.due.note(keys.UNIQUE_EXPIRY, lock.expires_ns)


def _delete(turn: Turn, queue: str, key: str, lock: Lock) -> None:
    turn.tx.delete(keys.unique(queue, key))
    turn.tx.delete(expiry_key(queue, key, lock))
