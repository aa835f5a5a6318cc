"""Which files are trusted, and what a failure means."""

import sqlite3
from hashlib import blake2b

import msgspec
import pytest

from corvo.storage.mirror import database
from corvo.storage.mirror.database import SCHEMA_VERSION, Unusable
from corvo.storage.mirror.rows import COLUMNS
from corvo.storage.mirror.sql import script
from corvo.storage.mirror.sqlite_errors import Fault, fault_of
from tests.storage.mirror.support import build


@pytest.fixture
def path(fsm, tmp_path):
    for n in range(200):
        fsm.enqueue(payload=b'"%d"' % n)
    return build(fsm.kv, tmp_path)


def leave_open(path):
    """What a process that was killed leaves behind."""
    db, _ = database.open_writer(path)
    db.close()


def change(path, sql):
    with sqlite3.connect(path) as db:
        db.execute(sql)
    db.close()


def test_a_file_that_was_closed_is_trusted(path):
    for _ in range(2):
        db, state = database.open_writer(path)
        assert state.clean
        database.close_writer(db)


def test_a_file_that_was_not_closed_is_checked_and_trusted_if_sound(path):
    leave_open(path)
    db, state = database.open_writer(path)
    assert not state.clean
    database.close_writer(db)


def test_a_file_that_was_open_when_the_machine_went_down_is_not_trusted(path, monkeypatch):
    leave_open(path)
    monkeypatch.setattr(database, "boot_id", lambda: "another boot")
    with pytest.raises(Unusable, match="started anew"):
        database.open_writer(path)


def test_a_file_that_was_closed_before_the_machine_went_down_is_trusted(path, monkeypatch):
    monkeypatch.setattr(database, "boot_id", lambda: "another boot")
    db, _ = database.open_writer(path)
    database.close_writer(db)


def test_a_damaged_file_that_was_not_closed_is_found_out(path):
    leave_open(path)
    data = bytearray(path.read_bytes())
    data[4_096 * 5 : 4_096 * 6] = bytes(4_096)
    path.write_bytes(data)
    with pytest.raises(Unusable):
        database.open_writer(path)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.unlink(), "is missing"),
        (lambda path: path.write_bytes(b""), "no such table"),
        (lambda path: path.write_bytes(b"garbage" * 1_000), "not a database"),
        (lambda path: change(path, "DROP TABLE mirror"), "no such table"),
        (lambda path: change(path, "DELETE FROM mirror"), "0 times"),
        (lambda path: change(path, "UPDATE mirror SET schema_version = 7"), "schema 7"),
    ],
)
def test_what_is_no_mirror_is_refused(path, spoil, reason):
    spoil(path)
    with pytest.raises(Unusable, match=reason):
        database.open_writer(path)


def test_a_reader_cannot_write(path):
    db = database.open_reader(path)
    with pytest.raises(sqlite3.OperationalError):
        db.execute("DELETE FROM jobs")
    db.close()


def test_the_schema_version_goes_with_the_schema():
    """If this fails, the tables have changed: bump SCHEMA_VERSION, then take over the new digest."""
    texts = [script(name) for name in ("schema.sql", "indexes.sql", "fulltext.sql")]
    digest = blake2b("".join([*texts, *COLUMNS]).encode(), digest_size=8).hexdigest()
    assert (SCHEMA_VERSION, digest) == (5, "d14a26168710f4c5")


# Faults


def error_of(act):
    with pytest.raises(sqlite3.Error) as caught:
        act()
    return caught.value


def test_a_full_disk_is_told_from_damage(path):
    db, _ = database.open_writer(path)
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages}")
    error = error_of(lambda: db.execute("INSERT INTO texts SELECT place + 1, zeroblob(10000), '' FROM texts"))
    assert fault_of(error) is Fault.FULL
    db.close()


def test_damage_has_many_names(tmp_path):
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"garbage" * 1_000)
    db = sqlite3.connect(garbage)
    assert fault_of(error_of(lambda: db.execute("SELECT * FROM jobs"))) is Fault.DAMAGED
    db.close()
    db = sqlite3.connect(":memory:")
    assert fault_of(error_of(lambda: db.execute("SELECT * FROM jobs"))) is Fault.DAMAGED
    text = error_of(lambda: db.execute("SELECT CAST(x'ff' AS TEXT)").fetchall())
    assert fault_of(text) is Fault.DAMAGED
    db.close()
    assert fault_of(msgspec.DecodeError("truncated")) is Fault.DAMAGED


def test_a_lock_is_nothing_to_worry_about(path):
    ours, _ = database.open_writer(path)
    ours.execute("BEGIN IMMEDIATE")
    theirs = sqlite3.connect(path, timeout=0)
    assert fault_of(error_of(lambda: theirs.execute("BEGIN IMMEDIATE"))) is Fault.UNKNOWN
    theirs.close()
    ours.close()


def test_a_statement_we_stopped_is_no_fault_of_the_file():
    db = sqlite3.connect(":memory:")
    db.set_progress_handler(lambda: 1, 100)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT sum(x) FROM n"
    assert fault_of(error_of(lambda: db.execute(endless))) is Fault.INTERRUPTED
    db.close()
