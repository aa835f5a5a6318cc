"""Pending jobs are handed to workers: by priority, then by age, across all queues a worker takes."""

from corvo.core.clock import NS_PER_MS
from corvo.core.events import EventType
from corvo.core.job import Job, Lease
from corvo.core.limits import EXPIRED_BURIED_MAX
from corvo.core.states import JobState
from corvo.fsm.entry_tx import Turn
from corvo.fsm.registry import applies
from corvo.fsm.rules import settle, throttle, unique, workers
from corvo.fsm.state import QueueState
from corvo.ops.fetch import Claim, Fetch
from corvo.ops.results import Fetched, WholeJob
from corvo.storage import keys


@applies(Fetch)
def fetch(op: Fetch, turn: Turn) -> Fetched:
    claims = []
    room = EXPIRED_BURIED_MAX
    for claim in op.claims:
        taken, room = _serve(claim, turn, room)
        claims.append(taken)
    return Fetched(claims)


def _serve(claim: Claim, turn: Turn, room: int) -> tuple[list[WholeJob], int]:
    """The jobs it gets, and how many more expired ones may be buried on the way to the living: a queue may
    hold a million of them. Whoever is not served for that sees that there is more, and asks again."""
    queues = _asked_for(claim, turn)
    taken: list[WholeJob] = []
    while len(taken) < claim.count and turn.has_tokens:
        best = _best(queues, turn)
        if best is None:
            break
        queue, sort = best
        job = turn.job(keys.job_id_of_pending_sort(sort))
        assert job is not None, f"{sort!r} is pending in {queue.doc.name} but has no document"
        if settle.is_expired(turn, job):
            if not room:
                break
            room -= 1
            settle.expire(turn, job)
            # What follows from its end may be a job in a queue that did not exist before.
            queues = _asked_for(claim, turn)
            continue
        # What is handed out is the first of its priority, so nothing pending is left below it.
        queue.doc.floors[job.priority] = job.order_ns
        active = _lease(turn, job, claim)
        throttle.note_claim(turn, queue)
        taken.append(WholeJob(active, turn.payload_of(active)))
    if taken:
        workers.seen(turn, claim.worker_id, claim.hostname, claim.queues)
    return taken, room


def _asked_for(claim: Claim, turn: Turn) -> list[QueueState]:
    queues = [found for name in claim.queues if (found := turn.state.queues.get(name)) is not None]
    for queue in queues:
        turn.asked(queue)
    return queues


def _best(queues: list[QueueState], turn: Turn) -> tuple[QueueState, bytes] | None:
    """The queue whose head comes first among those that may hand out a job now, and that head."""
    best: tuple[QueueState, bytes] | None = None
    for queue in queues:
        if not queue.claimable(turn.now_ns):
            continue
        sort = queue.first_pending(turn.tx, turn.state.warm)
        if sort is not None and (best is None or sort < best[1]):
            best = queue, sort
    return best


def _lease(turn: Turn, job: Job, claim: Claim) -> Job:
    active = job.copy()
    active.state = JobState.ACTIVE
    active.attempt += 1
    active.lease_version += 1
    active.lease = Lease(
        token=turn.next_token(),
        expires_ns=turn.now_ns + claim.lease_ms * NS_PER_MS,
        length_ms=claim.lease_ms,
        worker_id=claim.worker_id,
        hostname=claim.hostname,
    )
    active.commit = None
    active.started_ns = turn.now_ns
    turn.save(active, job)
    unique.release_started(turn, active)
    turn.emit(EventType.STARTED, active, {"attempt": active.attempt, "worker_id": claim.worker_id})
    return active
