"""Building a mirror from nothing: one walk over LevelDB, then the indexes.

    snapshot --> building.db --> (published by the writer) --> mirror-<n>.db

It is a generator that rests after each chunk, so that the actor that runs it can handle messages in between,
and can give up: closing the generator leaves nothing behind. Memory is bounded by the chunk, whatever the
store holds.
"""

import sqlite3
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

import msgspec

from corvo.core.queue import decode_queue
from corvo.storage import keys
from corvo.storage.kv import Kv, KvReader
from corvo.storage.mirror import database, files
from corvo.storage.mirror.batch import RowBatch
from corvo.storage.mirror.catch_up import CHUNK_BYTES, CHUNK_JOBS, read_job, read_meta
from corvo.storage.mirror.write import fill

#: What may go wrong with a build and has to be tried again: SQLite, the disk, a store closed meanwhile.
FAILURES: Final = (sqlite3.Error, OSError, RuntimeError)


class RebuildProgress(msgspec.Struct, frozen=True):
    """How far a rebuild has come. The path is set at the end, when the file is complete."""

    jobs: int
    jobs_expected: int
    index: int
    path: Path | None = None


def build(kv: Kv, folder: Path) -> Generator[RebuildProgress, None, None]:
    """Build a mirror of the store as it is now."""
    path = files.draft(folder)
    snapshot = kv.snapshot()
    done = False
    try:
        for progress in _build(snapshot, path):
            done = progress.path is not None
            yield progress
    finally:
        snapshot.close()
        if not done:
            files.remove(path)


def _build(snapshot: KvReader, path: Path) -> Iterator[RebuildProgress]:
    meta = read_meta(snapshot)
    expected = sum(
        sum(decode_queue(value).counts) for _, value in snapshot.scan(keys.QUEUE, keys.after(keys.QUEUE))
    )
    db = database.create(path)
    try:
        jobs = 0
        for batch in _batches(snapshot, meta.index, meta.last_seq):
            fill(db, batch)
            jobs += len(batch)
            yield RebuildProgress(jobs, expected, meta.index)
        for statement in database.index_steps():
            db.execute(statement)
            yield RebuildProgress(jobs, expected, meta.index)
        database.finish(db, index=meta.index, last_seq=meta.last_seq)
    finally:
        db.close()
    yield RebuildProgress(jobs, expected, meta.index, path)


def _batches(snapshot: KvReader, index: int, last_seq: int) -> Iterator[RowBatch]:
    batch = RowBatch(index, last_seq)
    for key, stored in snapshot.scan(keys.JOB, keys.after(keys.JOB)):
        read_job(snapshot, keys.parse_job(key), stored, batch)
        if len(batch) >= CHUNK_JOBS or batch.text_bytes >= CHUNK_BYTES:
            yield batch
            batch = RowBatch(index, last_seq)
    if batch.jobs:
        yield batch
