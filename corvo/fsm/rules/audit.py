"""The audit log: where a record is kept, and what the ops of its request came to."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from corvo.core.access.audit import AuditBounds, AuditPlace, AuditRecord, decode_audit, encode_audit
from corvo.core.errors import CorvoError
from corvo.fsm.entry_tx import EntryTx
from corvo.ops.results import Acted, ActedMany, Enqueued, Outcome, Recalled, ScheduleFired, Upkept
from corvo.storage import audit_keys

Thing = TypeVar("Thing")


def next_place(tx: EntryTx, namespace: str) -> AuditPlace:
    bounds = tx.state.audit.get(namespace)
    return AuditPlace(namespace, 1 if bounds is None else bounds.last + 1)


def write(tx: EntryTx, record: AuditRecord) -> None:
    """A new record, at the next place of its namespace."""
    place = record.place
    bounds = tx.state.audit.get(place.namespace)
    if bounds is None or not bounds.count:
        bounds = AuditBounds(place.namespace, place.number, place.number, record.at_ns)
    else:
        bounds = replace(bounds, last=place.number)
    key = audit_keys.record(place.namespace, place.number)
    tx.kv.put(audit_keys.time(record.at_ns), key)
    set_bounds(tx, bounds)
    _put(tx, record)


def add(
    tx: EntryTx, place: AuditPlace, affected: int, status: int | None = None, code: str | None = None
) -> None:
    """More of what a request on record came to. Its record may have been trimmed by now."""
    stored = tx.kv.get(audit_keys.record(place.namespace, place.number))
    if stored is None:
        return
    record = decode_audit(stored)
    _put(
        tx,
        replace(
            record,
            affected=record.affected + affected,
            status=record.status if status is None else status,
            code=record.code if code is None else code,
        ),
    )


def set_bounds(tx: EntryTx, bounds: AuditBounds) -> None:
    known, namespace = tx.state.audit, bounds.namespace
    was = known.get(namespace)
    tx.on_rollback(lambda: _restore(known, namespace, was))
    known[namespace] = bounds
    tx.kv.put(audit_keys.bounds(namespace), encode_audit(bounds))


def changed_nothing(outcomes: Sequence[Outcome]) -> bool:
    """Whether these are the answers of an earlier request, given again."""
    return any(isinstance(outcome, Recalled) and outcome.replayed for outcome in outcomes)


def refusal_among(outcomes: Sequence[Outcome]) -> CorvoError | None:
    return next((outcome for outcome in outcomes if isinstance(outcome, CorvoError)), None)


def jobs_changed(outcomes: Sequence[Outcome]) -> int:
    return sum(map(_jobs_changed, outcomes))


def _jobs_changed(outcome: Outcome) -> int:
    match outcome:
        case Acted():
            return 1
        case ActedMany():
            return outcome.affected
        case Upkept():
            return outcome.count
        case ScheduleFired():
            return outcome.fired
        case Enqueued():
            return 0 if outcome.job is None else 1
        case _:
            return 0


def _put(tx: EntryTx, record: AuditRecord) -> None:
    tx.kv.put(audit_keys.record(record.place.namespace, record.place.number), encode_audit(record))
    was = tx.audit.get(record.id)
    tx.on_rollback(lambda: _restore(tx.audit, record.id, was))
    tx.audit[record.id] = record


def _restore(known: dict[str, Thing], name: str, was: Thing | None) -> None:
    if was is None:
        known.pop(name, None)
    else:
        known[name] = was
