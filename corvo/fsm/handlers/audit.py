"""The audit log. A record is written in the entry of what it is about, so neither is ever there alone."""

from msgspec.structs import replace

from corvo.core.access.audit import AuditBounds, AuditPlace, AuditRecord, decode_audit
from corvo.core.bulk import ENDED, encode_bulk
from corvo.fsm.entry_tx import EntryTx
from corvo.fsm.registry import applies
from corvo.fsm.rules import audit
from corvo.ops.audit import ExtendAudit, TrimAudit, WriteAudit
from corvo.ops.results import BulkChanged, Outcome, Recorded, Upkept
from corvo.storage import audit_keys, keys


@applies(WriteAudit)
def record(op: WriteAudit, tx: EntryTx) -> Recorded:
    outcomes = _before(tx, op.count)
    if audit.changed_nothing(outcomes):
        return Recorded(None)
    refusal = audit.refusal_among(outcomes)
    place = audit.next_place(tx, op.namespace)
    audit.write(
        tx,
        AuditRecord(
            at_ns=tx.next_ns(),
            place=place,
            principal=op.principal,
            role=op.role,
            client=op.client,
            method=op.method,
            path=op.path,
            query=op.query,
            request_id=op.request_id,
            summary=op.summary,
            facts=op.facts,
            status=op.status if refusal is None else refusal.status,
            code=op.code if refusal is None else refusal.code,
            affected=audit.jobs_changed(outcomes),
            times=op.times,
        ),
    )
    _hand_to_bulk_tasks(tx, outcomes, place)
    return Recorded(place)


@applies(ExtendAudit)
def record_more(op: ExtendAudit, tx: EntryTx) -> Recorded:
    outcomes = _before(tx, op.count)
    if not audit.changed_nothing(outcomes):
        refusal = audit.refusal_among(outcomes)
        status, code = (op.status, op.code) if refusal is None else (refusal.status, refusal.code)
        audit.add(tx, op.place, audit.jobs_changed(outcomes), status, code)
    return Recorded(op.place)


@applies(TrimAudit)
def trim(op: TrimAudit, tx: EntryTx) -> Upkept:
    count = 0
    for namespace in sorted(tx.state.audit):
        was = bounds = tx.state.audit[namespace]
        while count < op.limit and _is_over(bounds, op):
            bounds = _without_first(tx, bounds)
            count += 1
        if bounds is not was:
            audit.set_bounds(tx, bounds)
        if _is_over(bounds, op):
            return Upkept(count, more=True)
    return Upkept(count, more=False)


def _is_over(bounds: AuditBounds, op: TrimAudit) -> bool:
    return bounds.count > op.keep or (bounds.count > 0 and bounds.first_ns < op.at_before_ns)


def _before(tx: EntryTx, count: int) -> list[Outcome]:
    return tx.outcomes[max(0, len(tx.outcomes) - count) :]


def _hand_to_bulk_tasks(tx: EntryTx, outcomes: list[Outcome], place: AuditPlace) -> None:
    """A bulk task that the request has made adds to the record how many jobs it has changed when it ends."""
    for task_id in dict.fromkeys(each.task.id for each in outcomes if isinstance(each, BulkChanged)):
        task = tx.bulk.get(task_id)
        if task is None or task.record is not None or task.status in ENDED:
            continue
        if task.created_ns == tx.now_ns:
            tx.bulk[task_id] = replace(task, record=place)
            tx.kv.put(keys.bulk(task_id), encode_bulk(tx.bulk[task_id]))


def _without_first(tx: EntryTx, bounds: AuditBounds) -> AuditBounds:
    """Remove the oldest record of a namespace. Its bounds stay when the last one goes: numbers do not come
    twice."""
    tx.kv.delete(audit_keys.record(bounds.namespace, bounds.first))
    tx.kv.delete(audit_keys.time(bounds.first_ns))
    if bounds.first == bounds.last:
        return replace(bounds, first=bounds.first + 1)
    stored = tx.kv.get(audit_keys.record(bounds.namespace, bounds.first + 1))
    assert stored is not None, f"audit record {bounds.first + 1} of {bounds.namespace} is missing"
    return replace(bounds, first=bounds.first + 1, first_ns=decode_audit(stored).at_ns)
