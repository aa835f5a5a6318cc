"""Removal: queues with what is in them, schedules and webhooks, by request or with their namespace."""

from collections.abc import Iterator
from itertools import chain, islice

from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.namespace import Qualified
from corvo.core.schedule import Schedule
from corvo.core.states import JobState
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import settle, throttle, unique
from corvo.fsm.state import QueueState
from corvo.storage import keys


def clear_queue(tx: EntryTx, queue: QueueState, limit: int) -> tuple[int, bool]:
    """Remove pending and scheduled jobs. Returns how many, and whether there are more."""
    waiting = chain(_pending(tx, queue), _members(tx, queue, keys.PARKED, JobState.SCHEDULED))
    return _remove(tx, queue, waiting, limit, "was cleared from its queue")


def remove_queue(tx: EntryTx, queue: QueueState, limit: int) -> tuple[int, bool]:
    """Remove all jobs, up to the limit, and the queue itself when none is left."""
    name = queue.doc.name
    everything = chain(_pending(tx, queue), _members(tx, queue, keys.PARKED, *JobState))
    removed, more = _remove(tx, queue, everything, limit, "went with its queue")
    # The last job of a batch may have brought a callback into this very queue.
    more = more or any(queue.doc.counts) or not unique.forget_all(tx, name, limit)
    if not more:
        throttle.forget_all(tx, queue)
        tx.drop_queue(name)
        tx.tell(EventType.QUEUE_DELETED, name)
    return removed, more


def remove_schedule(tx: EntryTx, was: Schedule) -> None:
    tx.kv.delete(keys.schedule(was.id))
    tx.kv.delete(keys.schedule_name(was.plan.name))
    if was.next_ns is not None:
        tx.kv.delete(keys.timed(keys.SCHEDULE_DUE, was.next_ns, was.id))
    tx.state.schedules -= 1


def remove_webhook(tx: EntryTx, webhook_id: Qualified) -> None:
    tx.kv.delete(keys.webhook(webhook_id))
    tx.webhooks[webhook_id] = None


def _pending(tx: EntryTx, queue: QueueState) -> Iterator[str]:
    for sort in queue.pending_from(b"", tx.kv):
        yield keys.job_id_of_pending_sort(sort)


def _members(tx: EntryTx, queue: QueueState, *states: int) -> Iterator[str]:
    for state in states:
        prefix = keys.member_state_prefix(queue.doc.name, state)
        for key, _ in tx.kv.scan(prefix, keys.after(prefix)):
            yield keys.parse_member(key)[2]


def _remove(
    tx: EntryTx, queue: QueueState, job_ids: Iterator[str], limit: int, reason: str
) -> tuple[int, bool]:
    # The ids are taken before the jobs are removed: removing writes to what is being read.
    found = list(islice(job_ids, limit + 1))
    for job_id in found[:limit]:
        job = tx.job(job_id)
        assert job is not None, f"{job_id} is in queue {queue.doc.name} but has no document"
        settle.remove(tx, job, reason)
        _raise_floor(queue, job)
    return min(len(found), limit), len(found) > limit


def _raise_floor(queue: QueueState, job: Job) -> None:
    """Pending jobs are removed in order, so the next search can begin behind those already gone."""
    if job.state is JobState.PENDING and not job.is_parked:
        queue.doc.floors[job.priority] = job.order_ns
