"""The one road into the terminal states, and out of existence.

Whatever ends a job (success, exhaustion, expiry, a verdict, a person) comes through `end`, and whatever
removes one through `remove`; so what hangs on it is written down once: lock, batch, chain, dependents.
"""

from typing import Any

from corvo.core.events import EventType
from corvo.core.job import Job, JobError, encode
from corvo.core.states import TERMINAL, JobState, check
from corvo.fsm.entry_tx import Turn
from corvo.fsm.rules import batches, chains, unique, waiting
from corvo.storage import keys

#: How much of the last error is kept in the document itself, for lists and searches.
_LAST_ERROR_CHARS = 500

#: An event to announce, and what is worth knowing about it.
News = tuple[EventType, dict[str, Any] | None]


def end(
    turn: Turn,
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
    turn.save(ended, was)
    for kind, data in news:
        turn.emit(kind, ended, data)
    unique.release_ended(turn, was)
    if was.flow is not None:
        waiting.unwatch(turn, was)
        batches.count(turn, was.flow, success=success)
        if success:
            chains.advance(turn, ended, result, leave=leave_chain, exit_reason=exit_reason)
        elif ended.state is JobState.DEAD:
            chains.fail(turn, ended)
    if was.awaited:
        turn.ended.append((ended.id, None if success else f"is {ended.state.label}"))


def kill(turn: Turn, was: Job, reason: str, event: EventType | None = None) -> Job:
    """The job is dead for a reason that is not a failed attempt. Leaves an error that says which."""
    dead = was.copy()
    dead.state = JobState.DEAD
    dead.failed_ns = turn.now_ns
    record_error(turn, dead, reason, None)
    facts = {"reason": reason}
    if event is None:
        end(turn, dead, was, (EventType.DEAD, facts))
    else:
        end(turn, dead, was, (event, facts), (EventType.DEAD, facts))
    return dead


def expire(turn: Turn, was: Job) -> Job:
    return kill(turn, was, "job expired", EventType.EXPIRED)


def is_expired(turn: Turn, job: Job) -> bool:
    return job.expire_ns is not None and job.expire_ns <= turn.now_ns


def record_error(turn: Turn, job: Job, error: str, backtrace: str | None) -> None:
    """Write down a failure. `job` is the copy about to be saved."""
    record = JobError(attempt=job.attempt, at_ns=turn.now_ns, error=error, backtrace=backtrace)
    turn.tx.put(keys.error(job.id, job.error_count), encode(record))
    job.error_count += 1
    if job.first_error:
        turn.tx.delete(keys.error(job.id, job.first_error - 1))
    job.last_error = error[:_LAST_ERROR_CHARS]


def remove(turn: Turn, was: Job, reason: str) -> None:
    """The job is to be gone altogether. If it had not ended, it has failed those who counted on it."""
    turn.remove(was)
    if was.state not in TERMINAL:
        unique.release_ended(turn, was)
        waiting.unwatch(turn, was)
        batches.count(turn, was.flow, success=False)
    if was.awaited and was.state is not JobState.COMPLETED:
        turn.ended.append((was.id, reason))
