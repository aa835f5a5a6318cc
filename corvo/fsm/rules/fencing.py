"""Fencing: which request may end a lease, by the table of docs/reference/leases.md.

Ack, fail and release share it.

A lease that has run out but was not yet reclaimed is still owned: reclaiming is what ends a lease, not
the clock. The way a lease ended is kept on the job until the next claim, so that a request whose answer
was lost can be repeated and gets the same answer.
"""

from corvo.core.errors import AckRefused, CorvoError, FailRefused, LeaseConflict, NotFound, ReleaseRefused
from corvo.core.job import Commit, Job, Verb
from corvo.core.namespace import Reach, covers
from corvo.core.states import JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.ops.results import Finished, WholeJob

_REFUSALS: dict[Verb, type[CorvoError]] = {
    Verb.ACK: AckRefused,
    Verb.FAIL: FailRefused,
    Verb.RELEASE: ReleaseRefused,
}


def leased(
    tx: EntryTx, job_id: str, token: int | None, verb: Verb, reach: Reach | None
) -> tuple[Job, Finished | None]:
    """The job, if the caller may end its lease now; with an answer if this request has ended it before."""
    job = tx.job(job_id)
    if job is None or not covers(reach, job.queue):
        raise NotFound(f"job {job_id} does not exist")
    if job.state is JobState.ACTIVE:
        assert job.lease is not None
        if token is not None and token != job.lease.token:
            raise LeaseConflict(
                f"job {job_id} is under another lease than this one", job_state=job.state.label
            )
        return job, None

    commit = job.commit
    if token is not None:
        if commit is not None and commit.token == token and commit.verb is verb:
            return job, _repeat(tx, job, commit)
        raise LeaseConflict(
            f"job {job_id} is {job.state.label}; this lease is over", job_state=job.state.label
        )
    if verb is Verb.ACK and job.state is JobState.COMPLETED:
        assert commit is not None
        return job, _repeat(tx, job, commit)
    raise _REFUSALS[verb](f"job {job_id} is {job.state.label}, not active", job_state=job.state.label)


def commit(job: Job, was: Job, verb: Verb) -> None:
    """Note on `job`, the copy about to be saved, how the lease of `was` ended."""
    assert was.lease is not None
    job.commit = Commit(
        token=was.lease.token,
        verb=verb,
        state=job.state,
        attempt=was.attempt,
        next_attempt_ns=job.scheduled_ns,
    )


def answer(tx: EntryTx, job: Job) -> Finished:
    """What the worker is told about the lease it has just ended."""
    assert job.commit is not None
    return _finished(tx, job, job.commit, duplicate=False)


def _repeat(tx: EntryTx, job: Job, commit: Commit) -> Finished:
    return _finished(tx, job, commit, duplicate=True)


def _finished(tx: EntryTx, job: Job, commit: Commit, *, duplicate: bool) -> Finished:
    whole = WholeJob(job, tx.payload_of(job)) if commit.verb is Verb.FAIL else None
    return Finished(commit.state, commit.attempt, commit.next_attempt_ns, duplicate, whole)
