"""Sealed keys: by which keys anything in a store is sealed. A key that is not among them may be given up."""

from collections import Counter
from collections.abc import Iterator

from corvo.core.batch import decode_batch
from corvo.core.errors import SealDamaged
from corvo.core.events import decode_record
from corvo.core.job import Job, decode_error, decode_job
from corvo.core.schedule import decode_schedule
from corvo.core.sealing.form import from_text, is_sealed, is_sealed_text, key_ids_of
from corvo.storage import keys
from corvo.storage.kv import KvReader


def keys_in_use(store: KvReader) -> Counter[str]:
    """How many values each key is needed for. Reads everything there is."""
    found: Counter[str] = Counter()
    for value in _values(store):
        if isinstance(value, bytes):
            if is_sealed(value):
                found.update(key_ids_of(value))
        elif isinstance(value, str) and is_sealed_text(value):
            try:
                found.update(key_ids_of(from_text(value)))
            except SealDamaged:
                continue  # A client's own text that begins like a sealed one.
    return found


def _values(store: KvReader) -> Iterator[object]:
    for _, stored in _all(store, keys.JOB):
        yield from _of_job(decode_job(stored))
    for _, stored in _all(store, keys.PAYLOAD):
        yield stored
    for _, stored in _all(store, keys.ERROR):
        error = decode_error(stored)
        yield from (error.error, error.backtrace)
    for _, stored in _all(store, keys.BATCH):
        yield decode_batch(stored).callback_payload
    for _, stored in _all(store, keys.SCHEDULE):
        yield decode_schedule(stored).plan.pattern.payload
    for _, stored in _all(store, keys.EVENTS):
        for event in decode_record(stored).events:
            yield from event.data.values() if isinstance(event.data, dict) else (event.data,)


def _all(store: KvReader, family: bytes) -> Iterator[tuple[bytes, bytes]]:
    return store.scan(family, keys.after(family))


def _of_job(job: Job) -> Iterator[object]:
    yield from (job.payload, job.progress, job.checkpoint, job.result, job.last_error)
    if job.flow is not None and job.flow.chain is not None:
        chain = job.flow.chain
        for step in (*chain.steps, chain.on_failure, chain.on_exit):
            if step is not None:
                yield step.payload
