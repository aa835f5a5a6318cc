"""Ack and fail: a worker says how its job went."""

from corvo.core.backoff import delay_ms
from corvo.core.clock import NS_PER_MS
from corvo.core.events import EventType
from corvo.core.job import Job, Verb
from corvo.core.states import JobState, check
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import fencing, promote, settle
from corvo.ops.finish import Ack, Fail
from corvo.ops.results import Finished


@applies(Ack)
def ack(op: Ack, tx: EntryTx) -> Finished:
    was, repeated = fencing.leased(tx, op.job_id, op.token, Verb.ACK, op.reach)
    if repeated is not None:
        return repeated

    job = was.copy()
    job.lease_losses = 0
    if op.checkpoint is not None:
        job.checkpoint = op.checkpoint
    if op.result is not None:
        job.result = op.result
    if op.hold:
        return _hold(op, tx, job, was)
    job.state = JobState.COMPLETED
    job.completed_ns = tx.now_ns
    fencing.commit(job, was, Verb.ACK)
    settle.end(
        tx,
        job,
        was,
        (EventType.COMPLETED, None),
        result=op.result,
        leave_chain=op.leave_chain,
        exit_reason=op.exit_reason,
    )
    return fencing.answer(tx, job)


def _hold(op: Ack, tx: EntryTx, job: Job, was: Job) -> Finished:
    """The worker wants a human to look before the job goes on."""
    job.state = JobState.HELD
    job.hold_reason = op.hold_reason
    check(was.state, job.state)
    fencing.commit(job, was, Verb.ACK)
    job.lease = None
    tx.save(job, was)
    tx.emit(EventType.HELD, job, {"reason": op.hold_reason})
    return fencing.answer(tx, job)


@applies(Fail)
def fail(op: Fail, tx: EntryTx) -> Finished:
    was, repeated = fencing.leased(tx, op.job_id, op.token, Verb.FAIL, op.reach)
    if repeated is not None:
        return repeated

    job = was.copy()
    job.lease_losses = 0
    job.failed_ns = tx.now_ns
    settle.record_error(tx, job, op.error, op.backtrace)
    if op.retry and job.attempt < job.max_retries and not settle.is_expired(tx, job):
        return _retry(op, tx, job, was)
    return _give_up(tx, job, was)


def _retry(op: Fail, tx: EntryTx, job: Job, was: Job) -> Finished:
    if op.retry_after_ms is not None:
        wait_ms = op.retry_after_ms
    else:
        jitter = op.jitter * job.retry_jitter
        wait_ms = delay_ms(job.backoff, job.attempt, job.retry_base_ms, job.retry_max_ms, jitter)
    job.state = JobState.RETRYING
    job.scheduled_ns = tx.now_ns + wait_ms * NS_PER_MS
    check(was.state, job.state)
    fencing.commit(job, was, Verb.FAIL)
    job.lease = None
    tx.save(job, was)
    tx.emit(
        EventType.FAILED,
        job,
        {"attempt": was.attempt, "error": job.last_error, "next_attempt_ns": job.scheduled_ns},
    )
    if wait_ms == 0:
        promote.promote(tx, job)
    return fencing.answer(tx, job)


def _give_up(tx: EntryTx, job: Job, was: Job) -> Finished:
    expired = settle.is_expired(tx, job)
    job.state = JobState.DEAD
    fencing.commit(job, was, Verb.FAIL)
    news: list[settle.News] = [(EventType.FAILED, {"attempt": was.attempt, "error": job.last_error})]
    if expired:
        news.append((EventType.EXPIRED, {"reason": "job expired"}))
    news.append((EventType.DEAD, {"reason": "job expired" if expired else job.last_error}))
    settle.end(tx, job, was, *news)
    return fencing.answer(tx, job)
