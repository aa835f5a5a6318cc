"""Promote: a scheduled or retrying job whose time has come becomes pending."""

from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.states import JobState, check
from corvo.fsm.entry_tx import EntryTx


def promote(tx: EntryTx, was: Job) -> None:
    job = was.copy()
    job.state = JobState.PENDING
    job.scheduled_ns = None
    check(was.state, job.state)
    tx.save(job, was)
    tx.emit(EventType.PROMOTED, job)
