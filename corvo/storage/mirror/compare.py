"""Mirror against LevelDB: one sentence per difference. Used by `corvo doctor` and after every random test.

Walks both in the order of job ids, so a million jobs take time but not memory.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from corvo.core.job import decode_error, decode_job
from corvo.storage import keys
from corvo.storage.kv import KvReader
from corvo.storage.mirror import fts_indexer
from corvo.storage.mirror.catch_up import read_meta
from corvo.storage.mirror.database import Unusable, open_reader, read_state
from corvo.storage.mirror.rows import COLUMNS, row_of, tags_of, text_of
from corvo.storage.mirror.sql import queries

_TEXT_COLUMNS: Final = ("payload", "tags")


def compare(store: KvReader, mirror: Path) -> Iterator[str]:
    """One sentence per difference; none means equal. The store should be a snapshot, or at rest."""
    try:
        db = open_still(mirror)
    except Unusable as reason:
        yield f"the mirror cannot be opened: {reason}"
        return
    try:
        yield from compare_open(store, db)
    finally:
        db.close()


def open_still(mirror: Path) -> sqlite3.Connection:
    """A connection that sees the mirror as it is now, whatever is written later."""
    db = open_reader(mirror)
    try:
        db.execute("BEGIN")
        read_state(db)
    except BaseException:
        db.close()
        raise
    return db


def compare_open(store: KvReader, db: sqlite3.Connection) -> Iterator[str]:
    try:
        yield from _compare(store, db)
    except (Unusable, sqlite3.Error) as reason:
        yield f"the mirror cannot be read: {reason}"


def _compare(store: KvReader, db: sqlite3.Connection) -> Iterator[str]:
    state, meta = read_state(db), read_meta(store)
    if (state.applied_index, state.last_seq) != (meta.index, meta.last_seq):
        yield (
            f"the mirror is at entry {state.applied_index} and event {state.last_seq}, "
            f"the store at entry {meta.index} and event {meta.last_seq}"
        )
        return
    yield from _compare_jobs(store, db)
    yield from _compare_errors(store, db)
    for (place,) in db.execute(queries()["orphans"]):
        yield f"the text at {place} belongs to no job"
    for failure, queue, over in db.execute(queries()["miscounted"]):
        yield f"the mirror counts {over:+} jobs too many of failure {_short(failure)} in {queue}"
    if fts_indexer.has_index(db):
        for place, how in db.execute(queries()["lost_words"]):
            yield f"the job at {place} {how} the full-text index"


def _compare_jobs(store: KvReader, db: sqlite3.Connection) -> Iterator[str]:
    documents = store.scan(keys.JOB, keys.after(keys.JOB))
    statement = queries()["all_jobs"].replace(":columns", ", ".join(f"j.{column}" for column in COLUMNS))
    rows = ((row[1], row) for row in db.execute(statement))
    for job_id, stored, row in _side_by_side(((keys.parse_job(k), v) for k, v in documents), rows):
        if row is None:
            yield f"{job_id} is missing from the mirror"
        elif stored is None:
            yield f"{job_id} is in the mirror but not in the store"
        else:
            yield from _compare_row(store, job_id, stored, row)


def _compare_row(store: KvReader, job_id: str, stored: bytes, row: tuple[Any, ...]) -> Iterator[str]:
    job = decode_job(stored)
    payload = job.payload if job.payload is not None else store.get(keys.payload(job_id))
    text = None if payload is None else text_of(payload)
    wanted = (*row_of(job), text, tags_of(job))
    # The place is not compared: a job gets another one if its time of creation was taken.
    for column, has, wants in list(zip((*COLUMNS, *_TEXT_COLUMNS), row, wanted, strict=True))[1:]:
        if has != wants and not (column == "document" and _is_same_job(has, wants)):
            yield f"{job_id} has {column} {_short(has)} in the mirror, {_short(wants)} in the store"


def _is_same_job(has: Any, wants: Any) -> bool:
    """A document written by an older version may lack fields that have a default by now."""
    try:
        return decode_job(has) == decode_job(wants)
    except msgspec.MsgspecError:
        return False


def _compare_errors(store: KvReader, db: sqlite3.Connection) -> Iterator[str]:
    stored = ((keys.parse_error(k), v) for k, v in store.scan(keys.ERROR, keys.after(keys.ERROR)))
    rows = (((row[0], row[1]), row[2]) for row in db.execute(queries()["all_errors"]))
    for (job_id, number), error, text in _side_by_side(stored, rows):
        if text is None:
            yield f"error {number} of {job_id} is missing from the mirror"
        elif error is None:
            yield f"error {number} of {job_id} is in the mirror but not in the store"
        elif decode_error(error).error != text:
            yield f"error {number} of {job_id} reads {_short(text)} in the mirror"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _side_by_side(
    left: Iterable[tuple[Any, Any]], right: Iterable[tuple[Any, Any]]
) -> Iterator[tuple[Any, Any, Any]]:
    """Two runs in the order of their keys as one: key, left value, right value; None where there is none."""
    lefts, rights = iter(left), iter(right)
    ours, theirs = next(lefts, None), next(rights, None)
    while ours is not None or theirs is not None:
        if theirs is None or (ours is not None and ours[0] < theirs[0]):
            assert ours is not None
            yield ours[0], ours[1], None
            ours = next(lefts, None)
        elif ours is None or theirs[0] < ours[0]:
            yield theirs[0], None, theirs[1]
            theirs = next(rights, None)
        else:
            yield ours[0], ours[1], theirs[1]
            ours, theirs = next(lefts, None), next(rights, None)
