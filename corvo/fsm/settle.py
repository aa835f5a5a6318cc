"""The one road into the terminal states, and the one way a failure is recorded.

Whatever ends a job (success, exhaustion, expiry, a verdict, deletion) comes through here, so that
what hangs on a job's end is written down once.
"""

from corvo.core.events import EventType
from corvo.core.job import Job, JobError, encode
from corvo.core.states import TERMINAL, JobState, check
from corvo.fsm import unique
from corvo.fsm.turn import Turn
from corvo.storage import keys

#: How much of the last error is kept in the document itself, for lists and searches.
_LAST_ERROR_CHARS = 500


def end(turn: Turn, ended: Job, was: Job) -> None:
    """`ended` is a copy of `was` that carries its terminal state and the time it ended."""
    assert ended.state in TERMINAL
    check(was.state, ended.state)
    ended.lease = None
    ended.scheduled_ns = None
    ended.hold_reason = None
    turn.save(ended, was)
    unique.release_ended(turn, was)


def kill(turn: Turn, was: Job, reason: str, event: EventType | None = None) -> Job:
    """The job is dead for a reason that is not a failed attempt. Leaves an error that says which."""
    dead = was.copy()
    dead.state = JobState.DEAD
    dead.failed_ns = turn.now_ns
    record_error(turn, dead, reason, None)
    end(turn, dead, was)
    if event is not None:
        turn.emit(event, dead, {"reason": reason})
    turn.emit(EventType.DEAD, dead, {"reason": reason})
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
    job.last_error = error[:_LAST_ERROR_CHARS]


def remove(turn: Turn, was: Job) -> None:
    """The job is to be gone altogether."""
    turn.remove(was)
    if was.state not in TERMINAL:
        unique.release_ended(turn, was)
