"""Waiting: which jobs wait for which others (docs/reference/flows.md).

A pair is written down once, under the job that is waited for, and taken out when that job has completed; so
it does not matter whether that job is purged afterwards.
"""

from msgspec.structs import replace

from corvo.core.errors import CorvoError, ValidationFailed
from corvo.core.job import DependencyFailure, Flow, Job
from corvo.core.namespace import Qualified, namespace_of
from corvo.core.states import TERMINAL, JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.storage import keys


def unmet(
    tx: EntryTx,
    depends_on: tuple[str, ...],
    mode: DependencyFailure,
    queue: Qualified,
    *,
    allow_missing: bool,
) -> list[str]:
    """Which of these have yet to complete, for a job of this queue. Jobs of another namespace do not exist
    for it."""
    waiting = []
    for job_id in depends_on:
        job = tx.job(job_id)
        if job is None or namespace_of(job.queue) != namespace_of(queue):
            if not allow_missing:
                raise ValidationFailed(f"depends_on: job {job_id} does not exist")
        elif job.state is JobState.COMPLETED:
            continue
        elif job.state not in TERMINAL or mode is DependencyFailure.WAIT:
            waiting.append(job_id)
        elif mode is DependencyFailure.FAIL:
            raise ValidationFailed(f"depends_on: job {job_id} is {job.state.label} and will not complete")
    return waiting


def watch(tx: EntryTx, job_id: str, waiting: list[str]) -> None:
    for dependency in waiting:
        tx.kv.put(keys.dependent(dependency, job_id), b"")
        job = tx.job(dependency)
        assert job is not None
        if not job.awaited:
            awaited = job.copy()
            awaited.awaited = True
            tx.save(awaited, job)


def unwatch(tx: EntryTx, job: Job) -> None:
    """The job has ended, so it need not be told of its dependencies any more."""
    if job.flow is not None and job.flow.unmet:
        for dependency in job.flow.depends_on:
            tx.kv.delete(keys.dependent(dependency, job.id))


def rearmed(tx: EntryTx, job: Job, flow: Flow, refusal: type[CorvoError]) -> Flow:
    """An ended job goes on: it waits again for what has not completed yet."""
    if not flow.depends_on:
        return flow
    try:
        waiting = unmet(tx, flow.depends_on, flow.on_dependency_failure, job.queue, allow_missing=True)
    except ValidationFailed as error:
        raise refusal(error.message, job_state=job.state.label) from None
    watch(tx, job.id, waiting)
    return replace(flow, unmet=len(waiting))
