"""Fetch: pending jobs are handed to workers by priority, then by age, across all queues a worker takes."""

from corvo.core.clock import NS_PER_MS
from corvo.core.events import EventType
from corvo.core.job import Job, Lease
from corvo.core.limits import EXPIRED_BURIED_MAX
from corvo.core.namespace import name_of
from corvo.core.states import JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import settle, throttle, unique, workers
from corvo.fsm.state import QueueState
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.results import Fetched, WholeJob
from corvo.storage import keys


@applies(Fetch)
def fetch(op: Fetch, tx: EntryTx) -> Fetched:
    claims = []
    room = EXPIRED_BURIED_MAX
    for claim in op.claims:
        taken, room = _serve(claim, tx, room)
        claims.append(taken)
    return Fetched(claims)


def _serve(claim: Claim, tx: EntryTx, room: int) -> tuple[list[WholeJob], int]:
    """The jobs this claim gets, and how many more expired ones the op may end on its way: a queue may hold a
    million of them. A claim that comes back empty for that is tried again: the queue's level is above 0."""
    queues = _asked_for(claim, tx)
    taken: list[WholeJob] = []
    while len(taken) < claim.count and tx.has_tokens:
        best = _best(queues, tx)
        if best is None:
            break
        queue, sort = best
        job = tx.job(keys.job_id_of_pending_sort(sort))
        assert job is not None, f"{sort!r} is pending in {queue.doc.name} but has no document"
        if settle.is_expired(tx, job):
            if not room:
                break
            room -= 1
            settle.expire(tx, job)
            # What follows from its end may be a job in a queue that did not exist before.
            queues = _asked_for(claim, tx)
            continue
        # What is handed out is the first of its priority, so nothing pending is left below it.
        queue.doc.floors[job.priority] = job.order_ns
        active = _lease(tx, job, claim)
        throttle.note_claim(tx, queue)
        taken.append(WholeJob(active, tx.payload_of(active)))
    if taken:
        workers.seen(tx, claim.worker_id, claim.hostname, claim.queues)
    return taken, room


def _asked_for(claim: Claim, tx: EntryTx) -> list[QueueState]:
    queues = [found for name in claim.queues if (found := tx.state.queues.get(name)) is not None]
    for queue in queues:
        tx.asked(queue)
    return queues


def _best(queues: list[QueueState], tx: EntryTx) -> tuple[QueueState, bytes] | None:
    """The queue whose head comes first among those that may hand out a job now, and that head."""
    best: tuple[QueueState, bytes] | None = None
    for queue in queues:
        if not queue.claimable(tx.now_ns):
            continue
        sort = queue.first_pending(tx.kv, tx.state.warm)
        if sort is not None and (best is None or sort < best[1]):
            best = queue, sort
    return best


def _lease(tx: EntryTx, job: Job, claim: Claim) -> Job:
    active = job.copy()
    active.state = JobState.ACTIVE
    active.attempt += 1
    active.lease_version += 1
    active.lease = Lease(
        token=tx.next_token(),
        expires_ns=tx.now_ns + claim.lease_ms * NS_PER_MS,
        length_ms=claim.lease_ms,
        worker_id=claim.worker_id,
        hostname=claim.hostname,
    )
    active.commit = None
    active.started_ns = tx.now_ns
    tx.save(active, job)
    unique.release_started(tx, active)
    tx.emit(EventType.STARTED, active, {"attempt": active.attempt, "worker_id": name_of(claim.worker_id)})
    return active
