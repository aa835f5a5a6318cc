"""Leases: extended by heartbeats, released by workers, reclaimed when they have run out."""

from corvo.core.clock import NS_PER_MS
from corvo.core.events import EventType
from corvo.core.job import Job, Lease, Verb
from corvo.core.namespace import Reach, covers
from corvo.core.states import JobState, check
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import fencing, settle, workers
from corvo.fsm.rules.sweep import sweep_jobs
from corvo.ops.lease import Beat, Heartbeat, Reclaim, Release
from corvo.ops.results import Beaten, Finished, Pulse, Upkept
from corvo.storage import keys


@applies(Heartbeat)
def heartbeat(op: Heartbeat, tx: EntryTx) -> Beaten:
    return Beaten([_beat(beat, tx, op.reach) for beat in op.beats])


def _beat(beat: Beat, tx: EntryTx, reach: Reach | None) -> Pulse:
    was = tx.job(beat.job_id)
    if was is None or not covers(reach, was.queue):
        return Pulse(beat.job_id, None, "not_found")
    if was.state is not JobState.ACTIVE:
        return Pulse(beat.job_id, None, was.state.label)
    assert was.lease is not None
    if beat.token is not None and beat.token != was.lease.token:
        return Pulse(beat.job_id, None, "lease_lost")

    job = was.copy()
    old = was.lease
    expires_ns = tx.now_ns + old.length_ms * NS_PER_MS
    job.lease = Lease(old.token, expires_ns, old.length_ms, old.worker_id, old.hostname)
    if beat.checkpoint is not None:
        job.checkpoint = beat.checkpoint
    if beat.progress is not None:
        job.progress = beat.progress
    tx.save(job, was)
    if beat.progress is not None:
        tx.emit(EventType.PROGRESS, job, beat.progress)
    workers.seen(tx, old.worker_id, old.hostname)
    return Pulse(beat.job_id, expires_ns)


@applies(Release)
def release(op: Release, tx: EntryTx) -> Finished:
    was, repeated = fencing.leased(tx, op.job_id, op.token, Verb.RELEASE, op.reach)
    if repeated is not None:
        return repeated

    job = was.copy()
    if op.checkpoint is not None:
        job.checkpoint = op.checkpoint
    job.attempt -= 1
    job.lease_losses = 0
    if op.delay_ms > 0:
        job.state = JobState.SCHEDULED
        job.scheduled_ns = tx.now_ns + op.delay_ms * NS_PER_MS
    else:
        job.state = JobState.PENDING
    check(was.state, job.state)
    fencing.commit(job, was, Verb.RELEASE)
    job.lease = None
    tx.save(job, was)
    tx.emit(EventType.RELEASED, job)
    return fencing.answer(tx, job)


@applies(Reclaim)
def reclaim(op: Reclaim, tx: EntryTx) -> Upkept:
    def act(job: Job) -> None:
        _lose(tx, job, op.losses_max)

    return sweep_jobs(tx, keys.LEASE, tx.now_ns + 1, op.limit, act)


def _lose(tx: EntryTx, was: Job, losses_max: int) -> None:
    """The lease has run out: its worker went silent. Its token is not accepted from now on."""
    job = was.copy()
    job.state = JobState.PENDING
    job.lease = None
    job.lease_losses += 1
    check(was.state, job.state)
    tx.save(job, was)
    tx.emit(EventType.RECLAIMED, job, {"attempt": job.attempt})
    if losses_max and job.lease_losses >= losses_max:
        settle.kill(tx, job, f"lease_expired: no worker finished it in {job.lease_losses} leases in a row")
    elif settle.is_expired(tx, job):
        settle.expire(tx, job)
