"""Catching up: what the mirror has missed, read from the event log and from LevelDB itself.

    ev|<index> ... --> ids of the jobs touched --> their documents as they are now --> batch

The log says which jobs an entry touched, the snapshot what became of them. A snapshot may be newer than the
records read so far; that does no harm, because whatever happened to a job later is in a later record, and
is read again.
"""

from itertools import chain
from typing import Final

import msgspec

from corvo.core.events import decode_record
from corvo.core.job import decode_error, decode_job
from corvo.storage import keys
from corvo.storage.kv import KvReader
from corvo.storage.meta import GENESIS, Meta, decode_meta
from corvo.storage.mirror.batch import RowBatch
from corvo.storage.multi_get import get_many

#: Jobs read before a batch is closed. A single entry may bring a few more.
CHUNK_JOBS: Final = 2_048
#: Large payloads and errors must not pile up until a chunk has all its jobs.
CHUNK_BYTES: Final = 8 * 1024 * 1024


class LogTooShort(Exception):
    """The event log no longer reaches back to where the mirror is, or the store is behind the mirror."""


class Chunk(msgspec.Struct, frozen=True):
    batch: RowBatch
    #: Where the store is.
    store_index: int

    @property
    def is_last(self) -> bool:
        return self.batch.index == self.store_index


def read_meta(reader: KvReader) -> Meta:
    stored = reader.get(keys.META)
    return GENESIS if stored is None else decode_meta(stored)


def next_chunk(snapshot: KvReader, index: int, last_seq: int, jobs_max: int = CHUNK_JOBS) -> Chunk:
    """The next stretch of the log after `index`, as far as one transaction should go."""
    meta = read_meta(snapshot)
    if index > meta.index:
        raise LogTooShort(f"the mirror is at {index}, but the store is at {meta.index}")
    if index + 1 < meta.first_event_index:
        raise LogTooShort(f"the mirror is at {index}, but events are kept from {meta.first_event_index} on")
    batch = RowBatch(index, last_seq)
    for at, value in snapshot.scan(keys.events(index + 1), keys.after(keys.EVENTS)):
        record = decode_record(value)
        batch.index = keys.parse_events(at)
        batch.last_seq = record.first_seq + len(record.events) - 1
        told = (event.job_id for event in record.events if event.job_id is not None)
        unread = {keys.job(job_id) for job_id in chain(told, record.touched) if job_id not in batch.jobs}
        for key, stored in get_many(snapshot, unread):
            read_job(snapshot, keys.parse_job(key), stored, batch)
        if len(batch) >= jobs_max or batch.text_bytes >= CHUNK_BYTES:
            break
    else:
        # Entries without a record touched nothing, so the mirror has them, too.
        batch.index, batch.last_seq = meta.index, meta.last_seq
    return Chunk(batch, meta.index)


def read_job(snapshot: KvReader, job_id: str, stored: bytes | None, batch: RowBatch) -> None:
    """One job, with its payload and errors wherever they are."""
    if stored is None:
        batch.put(job_id, None, None, {})
        return
    job = decode_job(stored)
    payload = snapshot.get(keys.payload(job_id)) if job.payload is None else None
    errors = {}
    if job.error_count:
        prefix = keys.error_prefix(job_id)
        found = snapshot.scan(prefix, keys.after(prefix))
        errors = {keys.parse_error(key)[1]: decode_error(error).error for key, error in found}
    batch.put(job_id, job, payload, errors)
