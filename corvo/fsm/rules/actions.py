"""What people can do to a job: the table of docs/reference/jobs.md, one function per row."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from corvo.core.clock import NS_PER_MS
from corvo.core.errors import (
    ApproveRefused,
    BulkRefused,
    CancelRefused,
    CorvoError,
    HoldRefused,
    MoveRefused,
    NotFound,
    PriorityRefused,
    RejectRefused,
    RetryRefused,
)
from corvo.core.events import EventType
from corvo.core.job import Job
from corvo.core.namespace import covers, name_of, namespace_of
from corvo.core.states import JobState, check
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.rules import batches, dependencies, settle, unique, waiting
from corvo.fsm.rules.new_job import check_room
from corvo.ops.job_admin import Act, Action, ActMany
from corvo.ops.results import ActedMany, ActFailure

S = JobState
Order = Act | ActMany


class Rule(NamedTuple):
    """From which states an action is possible, how it is refused otherwise, and what it does."""

    states: frozenset[JobState]
    refusal: type[CorvoError]
    act: Callable[[EntryTx, Job, Order], None]


def act(tx: EntryTx, job_id: str, order: Order) -> Job:
    """Carry out the order. Returns the job as it was before."""
    job = tx.job(job_id)
    if job is None or not covers(order.reach, job.queue):
        raise NotFound(f"job {job_id} does not exist")
    rule = RULES[order.action]
    if job.state not in rule.states:
        verb = order.action.name.lower().replace("_", " of ")
        raise rule.refusal(
            f"job {job_id} is {job.state.label}; {verb} is not possible", job_state=job.state.label
        )
    rule.act(tx, job, order)
    return job


def act_many(tx: EntryTx, order: ActMany) -> ActedMany:
    """Each job by itself: one that is refused leaves no trace and does not disturb the others."""
    affected = 0
    failures = []
    room: int | None = None
    for job_id in order.job_ids:
        tx.begin()
        try:
            act(tx, job_id, order)
        except CorvoError as error:
            tx.rollback()
            failures.append(ActFailure(job_id, error.code, error.message))
        else:
            room = dependencies.tell_all(tx, room)
            affected += 1
    tx.begin()
    return ActedMany(affected, failures, len(failures))


def _told(order: Order, facts: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """What an event says of what a person did: the facts, and who it was, if that is known."""
    return (facts or {}) | {"by": order.by} if order.by else facts


def _retry(tx: EntryTx, was: Job, order: Order) -> None:
    job = _put_back(tx, was)
    job.attempt = 0
    job.completed_ns = None
    job.result = None
    tx.save(job, was)
    _take_lock(tx, job, was)
    tx.emit(EventType.RETRIED, job, _told(order))


def _requeue(tx: EntryTx, was: Job, order: Order) -> None:
    """Like a retry, but attempts and errors count on: the next failure may be final."""
    job = _put_back(tx, was)
    tx.save(job, was)
    _take_lock(tx, job, was)
    tx.emit(EventType.REQUEUED, job, _told(order))


def _put_back(tx: EntryTx, was: Job) -> Job:
    """A copy that is pending again, at the end of its queue; its batch waits for it again."""
    if was.awaited and was.state is not S.SCHEDULED:
        dependencies.tell_the_rest(tx, was)
    job = was.copy()
    job.state = S.PENDING
    check(was.state, job.state)
    job.order_ns = tx.next_ns()
    job.scheduled_ns = None
    job.failed_ns = None
    job.cancelled_ns = None
    job.hold_reason = None
    job.lease_losses = 0
    if settle.is_expired(tx, job) and job.expire_after_ms is not None:
        job.expire_ns = tx.now_ns + job.expire_after_ms * NS_PER_MS
    if job.flow is not None and was.state is not S.SCHEDULED:
        flow = batches.reopened(tx, job.flow, job.queue)
        job.flow = waiting.rearmed(tx, was, flow, RetryRefused)
    return job


def _take_lock(tx: EntryTx, job: Job, was: Job) -> None:
    """A job that lives again is unique again. Refused if another job has taken the lock meanwhile."""
    if job.unique is None or was.state is S.SCHEDULED:
        return
    holder = unique.holder(tx, job.queue, job.unique.key)
    if holder is not None and holder != job.id:
        raise RetryRefused(f"job {holder} holds the unique key now", unique_job_id=holder)
    if holder is None:
        unique.take(tx, job)


def _cancel(tx: EntryTx, was: Job, order: Order) -> None:
    job = was.copy()
    job.state = S.CANCELLED
    job.cancelled_ns = tx.now_ns
    job.failed_ns = tx.now_ns
    settle.end(tx, job, was, (EventType.CANCELLED, _told(order)))


def _hold(tx: EntryTx, was: Job, order: Order) -> None:
    job = was.copy()
    job.state = S.HELD
    check(was.state, job.state)
    job.lease = None
    job.scheduled_ns = None
    job.hold_reason = order.reason
    tx.save(job, was)
    tx.emit(EventType.HELD, job, _told(order, {"reason": order.reason}))


def _approve(tx: EntryTx, was: Job, order: Order) -> None:
    if settle.is_expired(tx, was):
        settle.expire(tx, was)
        return
    job = was.copy()
    job.state = S.PENDING
    check(was.state, job.state)
    job.hold_reason = None
    tx.save(job, was)
    tx.emit(EventType.APPROVED, job, _told(order))


def _reject(tx: EntryTx, was: Job, order: Order) -> None:
    reason = "rejected" if order.reason is None else f"rejected: {order.reason}"
    settle.kill(tx, was, reason, EventType.REJECTED, _told(order, {"reason": reason}))


def _move(tx: EntryTx, was: Job, order: Order) -> None:
    assert order.queue is not None
    if namespace_of(order.queue) != namespace_of(was.queue):
        raise MoveRefused(f"job {was.id} cannot leave its namespace", job_state=was.state.label)
    check_room(tx, order.queue)
    job = was.copy()
    job.queue = order.queue
    job.order_ns = tx.next_ns()
    if job.queue != was.queue:
        unique.move(tx, was, job, MoveRefused)
    tx.save(job, was)
    moved = {"from": name_of(was.queue), "to": name_of(job.queue)}
    tx.emit(EventType.MOVED, job, _told(order, moved))


def _change_priority(tx: EntryTx, was: Job, order: Order) -> None:
    assert order.priority is not None
    job = was.copy()
    job.priority = order.priority
    job.order_ns = tx.next_ns()
    tx.save(job, was)
    changed = {"from": int(was.priority), "to": int(job.priority)}
    tx.emit(EventType.PRIORITY_CHANGED, job, _told(order, changed))


def _delete(tx: EntryTx, was: Job, order: Order) -> None:
    settle.remove(tx, was, "was deleted")
    tx.emit(EventType.DELETED, was, _told(order, {"state": was.state.label}))


def _count(_tx: EntryTx, _was: Job, _order: Order) -> None:
    """Nothing is left to be done: what a job was resealed to came by ops of its own."""


_LIVING = frozenset({S.PENDING, S.ACTIVE, S.SCHEDULED, S.RETRYING})

RULES: Final[dict[Action, Rule]] = {
    Action.RETRY: Rule(frozenset({S.DEAD, S.CANCELLED, S.COMPLETED, S.SCHEDULED}), RetryRefused, _retry),
    Action.REQUEUE: Rule(frozenset({S.DEAD}), RetryRefused, _requeue),
    Action.CANCEL: Rule(_LIVING | {S.HELD}, CancelRefused, _cancel),
    Action.HOLD: Rule(_LIVING, HoldRefused, _hold),
    Action.APPROVE: Rule(frozenset({S.HELD}), ApproveRefused, _approve),
    Action.REJECT: Rule(frozenset({S.HELD}), RejectRefused, _reject),
    Action.MOVE: Rule(frozenset(S) - {S.ACTIVE}, MoveRefused, _move),
    Action.CHANGE_PRIORITY: Rule(
        frozenset({S.PENDING, S.SCHEDULED, S.RETRYING, S.HELD}), PriorityRefused, _change_priority
    ),
    Action.DELETE: Rule(frozenset(S), CancelRefused, _delete),
    # No job is in a state for that.
    Action.DELETE_NAMESPACE: Rule(frozenset(), CancelRefused, _delete),
    Action.RESEAL: Rule(frozenset(S), BulkRefused, _count),
}
assert RULES.keys() == set(Action), "every action needs a row"
