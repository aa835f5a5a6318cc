"""One batch, one transaction: rows, errors, and how far the mirror has come."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from corvo.core.sealing.form import is_sealed_text
from corvo.storage.mirror.batch import Places, RowBatch
from corvo.storage.mirror.bulk_insert import Into, put
from corvo.storage.mirror.database import SCHEMA_VERSION, Unusable
from corvo.storage.mirror.rows import ALWAYS, CHANGING, OPTIONAL
from corvo.storage.mirror.sql import queries

_UPSERT: Final = "ON CONFLICT (id) DO UPDATE SET " + ", ".join(
    f"{name} = excluded.{name}" for name in CHANGING
)
_BARE: Final = (None,) * len(OPTIONAL)

_TEXTS: Final = Into("texts", ("place", "payload"), ("tags",), "ON CONFLICT DO NOTHING")
#: A sealed payload may be another one than before: it was sealed with another key, or for the first time.
_SEALED_TEXTS: Final = _TEXTS._replace(
    tail="ON CONFLICT (place) DO UPDATE SET payload = excluded.payload WHERE payload <> excluded.payload"
)
_ERRORS: Final = Into(
    "errors",
    ("job_id", "number", "error"),
    (),
    "ON CONFLICT (job_id, number) DO UPDATE SET error = excluded.error",
)


def write(db: sqlite3.Connection, batch: RowBatch) -> None:
    """Bring a mirror to the index of the batch."""
    try:
        _transact(db, batch, _update, {})
    except sqlite3.IntegrityError:
        _transact(db, batch, _update, _find_places(db, batch, _places_held(db, batch)))


def fill(db: sqlite3.Connection, batch: RowBatch) -> None:
    """Into a file that has no indexes yet and none of these jobs."""
    try:
        _transact(db, batch, _insert, {})
    except sqlite3.IntegrityError:
        _transact(db, batch, _insert, _find_places(db, batch, {}))


def _update(db: sqlite3.Connection, batch: RowBatch, places: Places) -> None:
    gone = batch.gone()
    if gone:
        db.execute(queries()["delete_jobs"], (_json(gone),))
    if batch.complete_errors:
        db.execute(queries()["delete_errors"], (_json(batch.complete_errors),))
    gone_errors = batch.gone_errors()
    if gone_errors:
        db.executemany(queries()["delete_error"], gone_errors)
    _put_all(db, batch, places, _UPSERT)
    done = db.execute(queries()["advance"], (batch.index, batch.last_seq, SCHEMA_VERSION))
    if done.rowcount != 1:
        raise Unusable("it is no longer of our version")


def _insert(db: sqlite3.Connection, batch: RowBatch, places: Places) -> None:
    _put_all(db, batch, places, "")


def _put_all(db: sqlite3.Connection, batch: RowBatch, places: Places, tail: str) -> None:
    bare, full = _by_shape(batch.rows(places))
    put(db, Into("jobs", ALWAYS, (), tail), bare)
    put(db, Into("jobs", ALWAYS, OPTIONAL, tail), full)
    texts = batch.texts(places)
    sealed = [text for text in texts if is_sealed_text(text[1])]
    put(db, _TEXTS, texts if not sealed else [text for text in texts if not is_sealed_text(text[1])])
    put(db, _SEALED_TEXTS, sealed)
    put(db, _ERRORS, batch.kept_errors())


def _by_shape(rows: Iterable[Sequence[Any]]) -> tuple[list[Sequence[Any]], list[Sequence[Any]]]:
    """Most new jobs have none of the optional columns; not binding those saves half the time. (An upsert of
    such a row empties the other columns, too.)"""
    bare: list[Sequence[Any]] = []
    full: list[Sequence[Any]] = []
    for row in rows:
        if row[len(ALWAYS) :] == _BARE:
            bare.append(row[: len(ALWAYS)])
        else:
            full.append(row)
    return bare, full


def _json(ids: list[str]) -> str:
    return msgspec.json.encode(ids).decode()


# Places. The state machine gives no two jobs one time of creation, but jobs restored from a backup, or
# brought from elsewhere, may share theirs. The second one then gets the next nanosecond that is free.


def _find_places(db: sqlite3.Connection, batch: RowBatch, held: dict[str, int]) -> Places:
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


def _places_held(db: sqlite3.Connection, batch: RowBatch) -> dict[str, int]:
    found = ((job_id, db.execute(queries()["place_of"], (job_id,)).fetchone()) for job_id in batch.jobs)
    return {job_id: row[0] for job_id, row in found if row is not None}


def _transact(
    db: sqlite3.Connection,
    batch: RowBatch,
    act: Callable[[sqlite3.Connection, RowBatch, Places], None],
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
