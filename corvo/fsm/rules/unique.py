"""Unique locks: at most one living job per (queue, unique key), for at most the lock's period."""

from itertools import islice

from corvo.core.clock import NS_PER_S
from corvo.core.errors import CorvoError
from corvo.core.job import Job, UniqueUntil
from corvo.core.namespace import Qualified, name_of
from corvo.fsm.entry_tx import EntryTx
from corvo.storage import keys
from corvo.storage.locks import Lock, decode_lock, encode_lock, expiry_key, parse_expiry_name


def holder(tx: EntryTx, queue: Qualified, key: str) -> str | None:
    """The id of the job that keeps others out at the moment."""
    lock = _stored(tx, queue, key)
    if lock is None or lock.expires_ns <= tx.now_ns:
        return None
    return lock.job_id


def take(tx: EntryTx, job: Job) -> None:
    """Take the lock for this job. One that is still there has expired."""
    assert job.unique is not None
    old = _stored(tx, job.queue, job.unique.key)
    if old is not None:
        _delete(tx, job.queue, job.unique.key, old)
    lock = Lock(job.id, tx.now_ns + job.unique.period_s * NS_PER_S, job.unique.until)
    _put(tx, job.queue, job.unique.key, lock)


def move(tx: EntryTx, was: Job, job: Job, refusal: type[CorvoError]) -> None:
    """The job goes to another queue, and its lock with it; refused if the key is taken there."""
    if was.unique is None:
        return
    lock = _stored(tx, was.queue, was.unique.key)
    # A lock whose period has passed keeps no job out, and is cleaned up where it is.
    if lock is None or lock.job_id != was.id or lock.expires_ns <= tx.now_ns:
        return
    taken_by = holder(tx, job.queue, was.unique.key)
    if taken_by is not None:
        raise refusal(
            f"job {taken_by} holds the unique key in queue {name_of(job.queue)}", unique_job_id=taken_by
        )
    _delete(tx, was.queue, was.unique.key, lock)
    stale = _stored(tx, job.queue, was.unique.key)
    if stale is not None:
        _delete(tx, job.queue, was.unique.key, stale)
    _put(tx, job.queue, was.unique.key, lock)


def release_started(tx: EntryTx, job: Job) -> None:
    """The job has been claimed."""
    if job.unique is not None and job.unique.until is UniqueUntil.START:
        _release(tx, job)


def release_ended(tx: EntryTx, job: Job) -> None:
    """The job has ended, or is gone."""
    if job.unique is not None and job.unique.until is not UniqueUntil.TTL:
        _release(tx, job)


def forget_all(tx: EntryTx, queue: Qualified, limit: int) -> bool:
    """Delete what locks are left in a queue, up to the limit. Returns whether those were all."""
    prefix = keys.unique(queue, "")
    found = [key for key, _ in islice(tx.kv.scan(prefix, keys.after(prefix)), limit + 1)]
    for key in found[:limit]:
        _, unique_key = keys.parse_unique(key)
        lock = _stored(tx, queue, unique_key)
        assert lock is not None
        _delete(tx, queue, unique_key, lock)
    return len(found) <= limit


def clean(tx: EntryTx, name: str) -> None:
    """The period of a lock has passed."""
    queue, key = parse_expiry_name(name)
    lock = _stored(tx, queue, key)
    assert lock is not None, f"the expiry of a lock on {name!r} has no lock"
    assert lock.expires_ns <= tx.now_ns
    _delete(tx, queue, key, lock)


def _release(tx: EntryTx, job: Job) -> None:
    assert job.unique is not None
    lock = _stored(tx, job.queue, job.unique.key)
    # The lock may have expired and now belong to a younger job.
    if lock is not None and lock.job_id == job.id:
        _delete(tx, job.queue, job.unique.key, lock)


def _stored(tx: EntryTx, queue: Qualified, key: str) -> Lock | None:
    stored = tx.kv.get(keys.unique(queue, key))
    return None if stored is None else decode_lock(stored)


def _put(tx: EntryTx, queue: Qualified, key: str, lock: Lock) -> None:
    tx.kv.put(keys.unique(queue, key), encode_lock(lock))
    tx.kv.put(expiry_key(queue, key, lock), b"")
    tx.state.due.note(keys.UNIQUE_EXPIRY, lock.expires_ns)


def _delete(tx: EntryTx, queue: Qualified, key: str, lock: Lock) -> None:
    tx.kv.delete(keys.unique(queue, key))
    tx.kv.delete(expiry_key(queue, key, lock))
