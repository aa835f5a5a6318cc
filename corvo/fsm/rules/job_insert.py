"""Job insert: how a job comes into the store, be it of a producer, a chain, a batch or a schedule."""

from typing import Any

from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.limits import PAYLOAD_INLINE_BYTES_MAX
from corvo.core.namespace import Qualified
from corvo.core.states import JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.storage import keys
from corvo.storage.relations import relations


def place(tx: EntryTx, job: Job, payload: bytes) -> None:
    """Store a new job whose document is complete but for its payload."""
    job.size = len(payload)
    if len(payload) <= PAYLOAD_INLINE_BYTES_MAX:
        job.payload = payload
    else:
        tx.kv.put(keys.payload(job.id), payload)
    for key in relations(job):
        tx.kv.put(key, b"")
    tx.save(job, None)
    tx.emit(EventType.ENQUEUED, job)


def bear(tx: EntryTx, queue: Qualified, payload: bytes, **fields: Any) -> Job:
    """A pending job made by the server itself."""
    now_ns = tx.next_ns()
    job = Job(
        id=tx.new_id("job"),
        queue=queue,
        state=JobState.PENDING,
        payload=None,
        created_ns=now_ns,
        order_ns=now_ns,
        **fields,
    )
    place(tx, job, payload)
    return job
