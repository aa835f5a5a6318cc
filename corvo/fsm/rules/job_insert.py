"""How a job comes into the store, whoever brings it: a producer, a chain, a batch, a schedule."""

from typing import Any

from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.limits import PAYLOAD_INLINE_BYTES_MAX
from corvo.core.states import JobState
from corvo.fsm.entry_tx import Turn
from corvo.storage import keys
from corvo.storage.relations import relations


def place(turn: Turn, job: Job, payload: bytes) -> None:
    """Store a new job whose document is complete but for its payload."""
    if len(payload) <= PAYLOAD_INLINE_BYTES_MAX:
        job.payload = payload
    else:
        turn.tx.put(keys.payload(job.id), payload)
    for key in relations(job):
        turn.tx.put(key, b"")
    turn.save(job, None)
    turn.emit(EventType.ENQUEUED, job)


def bear(turn: Turn, queue: str, payload: bytes, **fields: Any) -> Job:
    """A pending job made by the server itself."""
    now_ns = turn.next_ns()
    job = Job(
        id=turn.new_id("job"),
        queue=queue,
        state=JobState.PENDING,
        payload=None,
        created_ns=now_ns,
        order_ns=now_ns,
        **fields,
    )
    place(turn, job, payload)
    return job
