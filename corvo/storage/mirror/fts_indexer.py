"""FTS indexer: brings the full-text index up to date, in rounds small enough to run between other work."""

import sqlite3
from typing import Final

from corvo.storage.mirror.sql import queries

#: Jobs indexed in one round: 20 to 50 ms, all of it inside SQLite.
ROUND_JOBS: Final = 4_000


def has_index(db: sqlite3.Connection) -> bool:
    row = db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'fulltext'").fetchone()
    return bool(row[0])


def index_words(db: sqlite3.Connection, worded_place: int, jobs_max: int = ROUND_JOBS) -> int | None:
    """Index the next jobs after this place. The new place, or None if there was nothing to do."""
    last, found = db.execute(queries()["next_words"], (worded_place, jobs_max)).fetchone()
    if not found:
        return None
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute(queries()["add_words"], (worded_place, last))
        db.execute(queries()["advance_words"], (last,))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    place: int = last
    return place
