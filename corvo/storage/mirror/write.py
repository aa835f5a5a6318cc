"""One batch, one transaction: rows, errors, and how far the mirror has come."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

import msgspec

from corvo.storage.mirror.batch import Batch, Places
from corvo.storage.mirror.database import SCHEMA_VERSION, Unusable
from corvo.storage.mirror.rows import CHANGING, COLUMNS
from corvo.storage.mirror.sql import queries, values

#: Rows bound to one statement; what is left over goes in powers of two below it.
_ROWS_PER_STATEMENT: Final = 1024

_INSERT_JOBS: Final = (f"INSERT INTO jobs ({', '.join(COLUMNS)}) VALUES ", "")  # noqa: S608 - our names
_UPSERT_JOBS: Final = (
    _INSERT_JOBS[0],
    " ON CONFLICT (id) DO UPDATE SET " + ", ".join(f"{name} = excluded.{name}" for name in CHANGING),
)
_INSERT_TEXTS: Final = ("INSERT OR IGNORE INTO texts (place, payload, tags) VALUES ", "")
_UPSERT_ERRORS: Final = (
    "INSERT INTO errors (job_id, number, error) VALUES ",
    " ON CONFLICT (job_id, number) DO UPDATE SET error = excluded.error",
)


def write(db: sqlite3.Connection, batch: Batch) -> None:
    """Bring a mirror to the index of the batch."""
    try:
        _transact(db, batch, _update, {})
    except sqlite3.IntegrityError:
        _transact(db, batch, _update, _find_places(db, batch, _places_held(db, batch)))


def fill(db: sqlite3.Connection, batch: Batch) -> None:
    """Into a file that has no indexes yet and none of these jobs."""
    try:
        _transact(db, batch, _insert, {})
    except sqlite3.IntegrityError:
        _transact(db, batch, _insert, _find_places(db, batch, {}))


def _update(db: sqlite3.Connection, batch: Batch, places: Places) -> None:
    gone = batch.gone()
    if gone:
        db.execute(queries()["delete_jobs"], (_json(gone),))
    if batch.complete_errors:
        db.execute(queries()["delete_errors"], (_json(batch.complete_errors),))
    gone_errors = batch.gone_errors()
    if gone_errors:
        db.executemany(queries()["delete_error"], gone_errors)
    _put(db, _UPSERT_JOBS, batch.rows(places))
    _put(db, _INSERT_TEXTS, batch.texts(places))
    _put(db, _UPSERT_ERRORS, batch.kept_errors())
    done = db.execute(queries()["advance"], (batch.index, batch.last_seq, SCHEMA_VERSION))
    if done.rowcount != 1:
        raise Unusable("it is no longer of our version")


def _insert(db: sqlite3.Connection, batch: Batch, places: Places) -> None:
    _put(db, _INSERT_JOBS, batch.rows(places))
    _put(db, _INSERT_TEXTS, batch.texts(places))
    _put(db, _UPSERT_ERRORS, batch.kept_errors())


def _json(ids: list[str]) -> str:
    return msgspec.json.encode(ids).decode()


# Places. The state machine gives no two jobs one time of creation, but jobs restored from a backup, or
# brought from elsewhere, may share theirs. The second one then gets the next nanosecond that is free.


def _find_places(db: sqlite3.Connection, batch: Batch, held: dict[str, int]) -> Places:
    places = dict(held)
    promised = set(places.values())
    # Many may share one time, so a search goes on where the last one for that time ended.
    searched: dict[int, int] = {}
    for job_id, job in batch.jobs.items():
        if job is None or job_id in places:
            continue
        place = searched.get(job.created_ns, job.created_ns)
        while place in promised or db.execute(queries()["is_taken"], (place,)).fetchone() is not None:
            place += 1
        places[job_id] = searched[job.created_ns] = place
        promised.add(place)
    return places


def _places_held(db: sqlite3.Connection, batch: Batch) -> dict[str, int]:
    found = ((job_id, db.execute(queries()["place_of"], (job_id,)).fetchone()) for job_id in batch.jobs)
    return {job_id: row[0] for job_id, row in found if row is not None}


def _transact(
    db: sqlite3.Connection,
    batch: Batch,
    act: Callable[[sqlite3.Connection, Batch, Places], None],
    places: Places,
) -> None:
    """All of it or nothing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        act(db, batch, places)
        db.execute("COMMIT")
    except BaseException:
        # After some errors, a full disk among them, SQLite has rolled back already.
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


# Many rows at once


def _put(db: sqlite3.Connection, statement: tuple[str, str], rows: Sequence[Sequence[Any]]) -> None:
    start = 0
    size = _ROWS_PER_STATEMENT
    while start < len(rows):
        while size > len(rows) - start:
            size //= 2
        part = rows[start : start + size]
        db.execute(_text(statement, size, len(part[0])), _flat(part))
        start += size


@cache
def _text(statement: tuple[str, str], rows: int, columns: int) -> str:
    head, tail = statement
    return head + values(rows, columns) + tail


def _flat(rows: Iterable[Sequence[Any]]) -> list[Any]:
    return list(chain.from_iterable(rows))
