"""Reading the audit log: newest first for people, oldest first for the stream.

A question looks at a bounded number of records, however few of them it wants: the answer says where to go on.
"""

from collections.abc import Iterator
from itertools import islice

from corvo.actors.audit.messages import AuditFilter, AuditFound, AuditRead, FindAudit
from corvo.core.access.audit import AuditBounds, AuditRecord, decode_audit
from corvo.fsm.state import State
from corvo.storage import audit_keys, keys
from corvo.storage.kv import KvReader

#: Records of a namespace are read so many at a time.
_WINDOW = 128


def find(state: State, question: FindAudit) -> AuditFound:
    wanted, found = question.wanted, list[AuditRecord]()
    held = _held(state, wanted.namespace)
    records = _newest_first(state, wanted, question.before_ns)
    before_ns = question.before_ns
    for record in islice(records, question.look_at):
        before_ns = record.at_ns
        if before_ns < wanted.since_ns:
            return AuditFound(found, None, held)
        if wanted.wants(record):
            found.append(record)
            if len(found) == question.count:
                break
    return AuditFound(found, before_ns if next(records, None) is not None else None, held)


def read(state: State, after_ns: int, limit: int) -> AuditRead:
    """The oldest records after this time, of all namespaces."""
    found: list[AuditRecord] = []
    for bounds in state.audit.values():
        first = _number_from(state.store, bounds, after_ns + 1)
        found += _read(state.store, bounds.namespace, first, min(bounds.last, first + limit - 1))
    found.sort(key=lambda record: record.at_ns)
    return AuditRead(found[:limit])


def oldest_ns(state: State, kept_max: int) -> int | None:
    """Since when the oldest record is there; 0 if some namespace has more than it may keep."""
    held = [bounds for bounds in state.audit.values() if bounds.count]
    if any(bounds.count > kept_max for bounds in held):
        return 0
    return min((bounds.first_ns for bounds in held), default=None)


def _held(state: State, namespace: str | None) -> int:
    if namespace is None:
        return sum(bounds.count for bounds in state.audit.values())
    bounds = state.audit.get(namespace)
    return 0 if bounds is None else bounds.count


def _newest_first(state: State, wanted: AuditFilter, before_ns: int) -> Iterator[AuditRecord]:
    store = state.store
    if wanted.namespace is None:
        start = audit_keys.time(before_ns - 1) if before_ns else keys.after(keys.AUDIT_TIME)
        for _, key in store.scan(start, keys.after(keys.AUDIT_TIME)):
            stored = store.get(key)
            assert stored is not None, "the audit log lacks a record that it lists"
            yield decode_audit(stored)
        return
    bounds = state.audit.get(wanted.namespace)
    if bounds is None:
        return
    end = _number_from(store, bounds, before_ns)
    while end > bounds.first:
        start_number = max(bounds.first, end - _WINDOW)
        yield from reversed(_read(store, bounds.namespace, start_number, end - 1))
        end = start_number


def _read(store: KvReader, namespace: str, first: int, last: int) -> list[AuditRecord]:
    pairs = store.scan(audit_keys.record(namespace, first), audit_keys.record(namespace, last + 1))
    return [decode_audit(stored) for _, stored in pairs]


def _number_from(store: KvReader, bounds: AuditBounds, at_ns: int) -> int:
    """The number of the first record that is not before this time, or the one after the last."""
    low, high = bounds.first, bounds.last + 1
    while low < high:
        middle = (low + high) // 2
        stored = store.get(audit_keys.record(bounds.namespace, middle))
        assert stored is not None, f"audit record {middle} of {bounds.namespace} is missing"
        if decode_audit(stored).at_ns < at_ns:
            low = middle + 1
        else:
            high = middle
    return low
