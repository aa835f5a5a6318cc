"""What must always hold in the audit log; part of `invariants.check`."""

from collections.abc import Iterator

from corvo.core.access.audit import AuditBounds, decode_audit, decode_bounds
from corvo.storage import audit_keys, keys
from corvo.storage.kv import KvReader


def check_audit(store: KvReader) -> Iterator[str]:
    """Numbers without gaps, as far as the bounds say, times that grow, and each time listed once."""
    counted = 0
    for _, value in store.scan(keys.AUDIT_BOUNDS, keys.after(keys.AUDIT_BOUNDS)):
        bounds = decode_bounds(value)
        counted += bounds.count
        yield from _check_audit_of(store, bounds)
    held = sum(1 for _ in store.scan(keys.AUDIT, keys.after(keys.AUDIT)))
    if held != counted:
        yield f"the audit log has {held} records, and its bounds say {counted}"
    for key, place in store.scan(keys.AUDIT_TIME, keys.after(keys.AUDIT_TIME)):
        stored = store.get(place)
        if stored is None or decode_audit(stored).at_ns != audit_keys.parse_time(key):
            yield f"the audit log lists a record at {audit_keys.parse_time(key)} that is not there"


def _check_audit_of(store: KvReader, bounds: AuditBounds) -> Iterator[str]:
    number, last_ns = bounds.first, 0
    prefix = audit_keys.prefix(bounds.namespace)
    for key, value in store.scan(prefix, keys.after(prefix)):
        record = decode_audit(value)
        if audit_keys.parse_record(key)[1] != number or record.place.number != number:
            yield f"audit record {record.id} is not number {number} of {bounds.namespace}"
        if record.at_ns <= last_ns or (number == bounds.first and record.at_ns != bounds.first_ns):
            yield f"audit record {number} of {bounds.namespace} is out of its time"
        if store.get(audit_keys.time(record.at_ns)) != key:
            yield f"audit record {number} of {bounds.namespace} is not listed by its time"
        number, last_ns = number + 1, record.at_ns
    if number != bounds.last + 1:
        yield f"audit records of {bounds.namespace} end with {number - 1}, should end with {bounds.last}"
