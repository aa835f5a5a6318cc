"""The one road into the terminal states, and out of existence.

Whatever ends a job (success, exhaustion, expiry, a verdict, a person) comes through `end`, and whatever
removes one through `remove`; so what hangs on it is written down once: lock, batch, chain, dependents.
"""

from typing import Any

from corvo.core.events import EventType
from corvo.core.job import Job, JobError, encode
from corvo.core.limits import LAST_ERROR_CHARS
from corvo.core.sealing.form import head_of_text
from corvo.core.states import TERMINAL, JobState, check
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import batches, chains, unique, waiting
from corvo.storage import keys

#: An event to announce, and what is worth knowing about it.
News = tuple[EventType, dict[str, Any] | None]


def end(
    tx: EntryTx,
    ended: Job,
    was: Job,
    *news: News,
    result: bytes | None = None,
    leave_chain: bool = False,
    exit_reason: str | None = None,
) -> None:
    """`ended` is a copy of `was` that carries its terminal state and the time it ended."""
    check(was.state, ended.state)
    success = ended.state is JobState.COMPLETED
    ended.lease = None
    ended.scheduled_ns = None
    ended.hold_reason = None
    if ended.flow is not None:
        ended.flow = batches.counted(ended.flow, success=success)
    tx.save(ended, was)
    for kind, data in news:
        tx.emit(kind, ended, data)
    unique.release_ended(tx, was)
    if was.flow is not None:
        waiting.unwatch(tx, was)
        batches.count(tx, was, success=success)
        if success:
            chains.advance(tx, ended, result, leave=leave_chain, exit_reason=exit_reason)
        elif ended.state is JobState.DEAD:
            chains.fail(tx, ended)
    if was.awaited:
        tx.ended.append((ended.id, None if success else f"is {ended.state.label}"))


def kill(
    tx: EntryTx, was: Job, reason: str, event: EventType | None = None, told: dict[str, Any] | None = None
) -> Job:
    """The job is dead for a reason that is not a failed attempt. Leaves an error that says which.

    `told` is what the event says, if more than the reason is known.
    """
    dead = was.copy()
    dead.state = JobState.DEAD
    dead.failed_ns = tx.now_ns
    record_error(tx, dead, reason, None)
    facts = {"reason": reason}
    if event is None:
        end(tx, dead, was, (EventType.DEAD, facts))
    else:
        end(tx, dead, was, (event, told or facts), (EventType.DEAD, facts))
    return dead


def expire(tx: EntryTx, was: Job) -> Job:
    return kill(tx, was, "job expired", EventType.EXPIRED)


def is_expired(tx: EntryTx, job: Job) -> bool:
    return job.expire_ns is not None and job.expire_ns <= tx.now_ns


def record_error(tx: EntryTx, job: Job, error: str, backtrace: str | None) -> None:
    """Write down a failure. `job` is the copy about to be saved."""
    record = JobError(attempt=job.attempt, at_ns=tx.now_ns, error=error, backtrace=backtrace)
    tx.kv.put(keys.error(job.id, job.error_count), encode(record))
    job.error_count += 1
    if job.first_error:
        tx.kv.delete(keys.error(job.id, job.first_error - 1))
    job.last_error = head_of_text(error, LAST_ERROR_CHARS)


def remove(tx: EntryTx, was: Job, reason: str) -> None:
    """Remove the job. If it had not ended, it has failed for its batch and its dependents."""
    tx.remove(was)
    if was.state not in TERMINAL:
        unique.release_ended(tx, was)
        waiting.unwatch(tx, was)
        batches.count(tx, was, success=False)
    if was.awaited and was.state is not JobState.COMPLETED:
        tx.ended.append((was.id, reason))
