"""Explain: why a job is not running, in sentences. Everything that stands between it and a worker."""

from itertools import islice

from corvo.actors.state.questions import Reason
from corvo.core.job import Job
from corvo.core.namespace import name_of
from corvo.core.states import TERMINAL, JobState
from corvo.core.wording import count
from corvo.fsm.state import QueueState, State
from corvo.storage import keys

#: Looking further ahead in a queue than this is not worth the time.
AHEAD_MAX = 10_000


def reasons(state: State, job: Job, now_ns: int) -> tuple[list[Reason], int]:
    """What holds the job back, and how many jobs are ahead of it in its queue."""
    if job.state is not JobState.PENDING:
        return [_outside_the_line(job)], 0
    found: list[Reason] = []
    queue = state.queues[job.queue]
    doc = queue.doc
    if job.is_parked:
        assert job.flow is not None
        found.append(_unmet(state, job))
    if doc.paused:
        found.append(Reason("paused", f"queue {name_of(doc.name)} is paused"))
    if doc.max_concurrency is not None and doc.active >= doc.max_concurrency:
        found.append(
            Reason(
                "concurrency",
                f"{doc.active} of at most {count(doc.max_concurrency, 'job')} of the queue "
                f"{'is' if doc.active == 1 else 'are'} active",
            )
        )
    opens_ns = queue.reopens_ns(now_ns)
    if opens_ns is not None:
        window_s = (doc.rate_window_ms or 0) / 1_000
        text = (
            f"the queue has handed out {count(doc.rate_limit or 0, 'job')} within {window_s:g} s, its limit"
        )
        found.append(Reason("throttled", text, opens_ns))
    ahead = 0 if job.is_parked else _ahead(state, queue, job)
    if ahead:
        many = f"more than {AHEAD_MAX} jobs" if ahead > AHEAD_MAX else count(ahead, "job")
        found.append(Reason("behind", f"{many} {'is' if ahead == 1 else 'are'} ahead of it"))
    return found, ahead


def _outside_the_line(job: Job) -> Reason:
    match job.state:
        case JobState.SCHEDULED:
            return Reason("scheduled", "it is to run later", job.scheduled_ns)
        case JobState.RETRYING:
            text = f"attempt {job.attempt} of {job.max_retries} failed; it waits for the next"
            return Reason("retrying", text, job.scheduled_ns)
        case JobState.ACTIVE:
            assert job.lease is not None
            worker = name_of(job.lease.worker_id) or "a worker"
            return Reason("leased", f"{worker} is working on it", job.lease.expires_ns)
        case JobState.HELD:
            why = f": {job.hold_reason}" if job.hold_reason else ""
            return Reason("held", f"it is held until somebody approves it{why}")
    assert job.state in TERMINAL
    why = f": {job.last_error}" if job.last_error and job.state is JobState.DEAD else ""
    return Reason(job.state.label, f"it is {job.state.label}{why}")


def _unmet(state: State, job: Job) -> Reason:
    assert job.flow is not None
    waiting = [
        job_id
        for job_id in job.flow.depends_on
        if state.store.get(keys.dependent(job_id, job.id)) is not None
    ]
    named = ", ".join(waiting[:3]) + (" and others" if len(waiting) > 3 else "")
    return Reason("dependencies", f"it waits for {count(len(waiting), 'job')} to complete: {named}")


def _ahead(state: State, queue: QueueState, job: Job) -> int:
    own = keys.pending_sort(job.priority, job.order_ns, job.id)
    count = 0
    for sort in islice(queue.pending_from(b"", state.store), AHEAD_MAX + 1):
        if sort >= own:
            break
        count += 1
    return count
