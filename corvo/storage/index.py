"""Which index entries a job document demands. The one rule behind invariant 3 of ARCHITECTURE.md.

The state machine writes the difference between what the old and the new document demand; `corvo
doctor` and the tests compare what is stored with what is demanded.
"""

from corvo.core.job import Job
from corvo.core.states import TERMINAL, JobState
from corvo.storage import keys

_PENDING = JobState.PENDING
_ACTIVE = JobState.ACTIVE
_WAITS_FOR_TIME = (JobState.SCHEDULED, JobState.RETRYING)


def demanded(job: Job) -> tuple[bytes, ...]:
    """The keys that must exist, and no others, while the document is as it is. Values are empty."""
    state = job.state
    if state is _PENDING:
        if job.flow is not None and job.flow.unmet:
            return _parked(job)
        place = keys.pending(job.queue, job.priority, job.order_ns, job.id)
        if job.expire_ns is None:
            return (place,)
        return place, keys.timed(keys.EXPIRY, job.expire_ns, job.id)

    member = keys.member(job.queue, state, job.id)
    if state is _ACTIVE:
        assert job.lease is not None
        return member, keys.timed(keys.LEASE, job.lease.expires_ns, job.id)
    if state in TERMINAL:
        return member, keys.timed(keys.ENDED, ended_ns(job), job.id)

    found = [member]
    if state in _WAITS_FOR_TIME:
        assert job.scheduled_ns is not None
        found.append(keys.timed(keys.DUE, job.scheduled_ns, job.id))
    if job.expire_ns is not None:
        found.append(keys.timed(keys.EXPIRY, job.expire_ns, job.id))
    return tuple(found)


def _parked(job: Job) -> tuple[bytes, ...]:
    """A parked job is kept out of the way of those that can be handed out."""
    place = keys.member(job.queue, keys.PARKED, job.id)
    if job.expire_ns is None:
        return (place,)
    return place, keys.timed(keys.EXPIRY, job.expire_ns, job.id)


def ended_ns(job: Job) -> int:
    """When an ended job ended: what retention counts from."""
    if job.state is JobState.COMPLETED:
        assert job.completed_ns is not None
        return job.completed_ns
    if job.state is JobState.CANCELLED:
        assert job.cancelled_ns is not None
        return job.cancelled_ns
    assert job.failed_ns is not None
    return job.failed_ns
