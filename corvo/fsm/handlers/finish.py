"""A worker says how it went."""

from corvo.core.backoff import delay_ms
from corvo.core.clock import NS_PER_MS
from corvo.core.events import EventType
from corvo.core.job import Job, Verb
from corvo.core.states import JobState, check
from corvo.fsm.entry_tx import Turn
from corvo.fsm.handlers import upkeep
from corvo.fsm.registry import applies
from corvo.fsm.rules import fencing, settle
from corvo.ops.finish import Ack, Fail
from corvo.ops.results import Finished


@applies(Ack)
def ack(op: Ack, turn: Turn) -> Finished:
    was, repeated = fencing.held(turn, op.job_id, op.token, Verb.ACK)
    if repeated is not None:
        return repeated

    job = was.copy()
    job.lease_losses = 0
    if op.checkpoint is not None:
        job.checkpoint = op.checkpoint
    if op.result is not None:
        job.result = op.result
    if op.hold:
        return _hold(op, turn, job, was)
    job.state = JobState.COMPLETED
    job.completed_ns = turn.now_ns
    fencing.commit(job, was, Verb.ACK)
    settle.end(
        turn,
        job,
        was,
        (EventType.COMPLETED, None),
        result=op.result,
        leave_chain=op.leave_chain,
        exit_reason=op.exit_reason,
    )
    return fencing.answer(turn, job)


def _hold(op: Ack, turn: Turn, job: Job, was: Job) -> Finished:
    """The worker wants a human to look before the job goes on."""
    job.state = JobState.HELD
    job.hold_reason = op.hold_reason
    check(was.state, job.state)
    fencing.commit(job, was, Verb.ACK)
    job.lease = None
    turn.save(job, was)
    turn.emit(EventType.HELD, job, {"reason": op.hold_reason})
    return fencing.answer(turn, job)


@applies(Fail)
def fail(op: Fail, turn: Turn) -> Finished:
    was, repeated = fencing.held(turn, op.job_id, op.token, Verb.FAIL)
    if repeated is not None:
        return repeated

    job = was.copy()
    job.lease_losses = 0
    job.failed_ns = turn.now_ns
    settle.record_error(turn, job, op.error, op.backtrace)
    if op.retry and job.attempt < job.max_retries and not settle.is_expired(turn, job):
        return _retry(op, turn, job, was)
    return _give_up(turn, job, was)


def _retry(op: Fail, turn: Turn, job: Job, was: Job) -> Finished:
    if op.retry_after_ms is not None:
        wait_ms = op.retry_after_ms
    else:
        jitter = op.jitter * job.retry_jitter
        wait_ms = delay_ms(job.backoff, job.attempt, job.retry_base_ms, job.retry_max_ms, jitter)
    job.state = JobState.RETRYING
    job.scheduled_ns = turn.now_ns + wait_ms * NS_PER_MS
    check(was.state, job.state)
    fencing.commit(job, was, Verb.FAIL)
    job.lease = None
    turn.save(job, was)
    turn.emit(
        EventType.FAILED,
        job,
        {"attempt": was.attempt, "error": job.last_error, "next_attempt_ns": job.scheduled_ns},
    )
    if wait_ms == 0:
        upkeep.promote_one(turn, job)
    return fencing.answer(turn, job)


def _give_up(turn: Turn, job: Job, was: Job) -> Finished:
    expired = settle.is_expired(turn, job)
    job.state = JobState.DEAD
    fencing.commit(job, was, Verb.FAIL)
    news: list[settle.News] = [(EventType.FAILED, {"attempt": was.attempt, "error": job.last_error})]
    if expired:
        news.append((EventType.EXPIRED, {"reason": "job expired"}))
    news.append((EventType.DEAD, {"reason": "job expired" if expired else job.last_error}))
    settle.end(turn, job, was, *news)
    return fencing.answer(turn, job)
