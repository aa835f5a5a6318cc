"""One database file of the mirror: made, opened, checked and closed.

The mirror can always be built again, so nothing here waits for the disk (`synchronous = OFF`): a killed
process loses nothing by that, a power cut may damage the file. Whether it did is found out at the next
start: a file that was not closed by its writer is checked, and not believed at all if the machine was
started in between.
"""

import contextlib
import sqlite3
from pathlib import Path
from typing import Final

import msgspec

from corvo.storage.mirror.sql import queries, script, statements
from corvo.storage.mirror.tokenizer import has_words

#: Bump on any change to schema.sql, indexes.sql, fulltext.sql, to a projection in rows.py or to what makes
#: failures alike (core/failures.py). A mismatch means "build it again from LevelDB", so there are no
#: migrations to write or to get wrong.
SCHEMA_VERSION: Final = 5

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")
_PAGE_BYTES: Final = 4_096
#: Memory of the writing connection, and of a reading one. A scan does better with a small cache: what it
#: has seen it does not need again, and a small cache stays in the processor's own.
_WRITER_CACHE_KIB: Final = 16_384
_READER_CACHE_KIB: Final = 4_096
#: Pages the write-ahead log gathers before it is folded into the file.
_CHECKPOINT_PAGES: Final = 4_000
_LOG_BYTES_MAX: Final = 64 * 1024 * 1024
#: An operator may look into the file with another tool, which holds a lock.
_BUSY_S: Final = 2.0


class Unusable(Exception):
    """The file is missing, damaged, or of another version. The message says which."""


class MirrorState(msgspec.Struct, frozen=True):
    """What a file says of itself."""

    schema_version: int
    applied_index: int
    last_seq: int
    worded_place: int
    clean: bool
    boot_id: str


# Making


def create(path: Path) -> sqlite3.Connection:
    """An empty file to be filled in bulk: tables without indexes, and a journal in memory only. If the
    process dies, the file is worthless, so it must not have its final name yet."""
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in (
        f"page_size = {_PAGE_BYTES}",
        "auto_vacuum = NONE",
        "journal_mode = MEMORY",
        "synchronous = OFF",
        "locking_mode = EXCLUSIVE",
        f"cache_size = -{_WRITER_CACHE_KIB}",
    ):
        db.execute(f"PRAGMA {pragma}")
    db.executescript(script("schema.sql"))
    return db


def index_steps() -> list[str]:
    """What turns a filled file into a searchable one, one statement after the other."""
    return statements("indexes.sql")


def finish(db: sqlite3.Connection, *, index: int, last_seq: int) -> None:
    """The rows are in. From now on the file may be opened by `open_writer`."""
    if has_fts5(db):
        db.executescript(script("fulltext.sql"))
    db.execute(queries()["first_state"], (SCHEMA_VERSION, index, last_seq, 0, 1, boot_id()))
    db.close()


# Opening


def open_writer(path: Path) -> tuple[sqlite3.Connection, MirrorState]:
    """The one connection that writes. The file counts as unclean until `close_writer`."""
    db = _connect(path, "rw")
    try:
        for pragma in (
            # First, because changing the mode of the journal would wait for the disk.
            "synchronous = OFF",
            "journal_mode = WAL",
            # Left on by some builds of SQLite: it overwrites with zeros what is deleted.
            "secure_delete = OFF",
            # What a statement would need to be undone is small; a file for each would make the disk busy.
            "temp_store = MEMORY",
            f"cache_size = -{_WRITER_CACHE_KIB}",
            f"wal_autocheckpoint = {_CHECKPOINT_PAGES}",
            f"journal_size_limit = {_LOG_BYTES_MAX}",
        ):
            db.execute(f"PRAGMA {pragma}")
        state = read_state(db)
        if not state.clean:
            _check(db, state)
        db.execute(queries()["mark"], (0, boot_id()))
    except Unusable:
        db.close()
        raise
    except sqlite3.Error as error:
        db.close()
        raise Unusable(f"{path.name}: {error}") from error
    return db, state


def close_writer(db: sqlite3.Connection) -> None:
    """Fold the log into the file and mark it as clean; if that fails, it counts as unclean."""
    with contextlib.suppress(sqlite3.Error):
        db.execute(queries()["mark"], (1, boot_id()))
    with contextlib.suppress(sqlite3.Error):
        db.close()


def uri(path: Path, mode: str) -> str:
    return f"{path.absolute().as_uri()}?mode={mode}"


#: No memory is mapped: a file that is truncated meanwhile would kill the process.
READER_PRAGMAS: Final = (
    "PRAGMA query_only = ON",
    f"PRAGMA cache_size = -{_READER_CACHE_KIB}",
    "PRAGMA temp_store = MEMORY",
)


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that can only read; for `compare` and for tests."""
    db = _connect(path, "ro")
    try:
        for pragma in READER_PRAGMAS:
            db.execute(pragma)
    except sqlite3.Error as error:
        db.close()
        raise Unusable(f"{path.name}: {error}") from error
    db.create_function("has_words", -1, has_words, deterministic=True)
    return db


def read_state(db: sqlite3.Connection) -> MirrorState:
    """Raises Unusable unless this is a mirror of our version."""
    try:
        rows = db.execute(queries()["read_state"]).fetchall()
    except sqlite3.Error as error:
        raise Unusable(f"it is no mirror: {error}") from error
    if len(rows) != 1:
        raise Unusable(f"it says {len(rows)} times what it holds")
    version, index, last_seq, worded_place, clean, boot = rows[0]
    if version != SCHEMA_VERSION:
        raise Unusable(f"it has schema {version}, this version of Corvo uses schema {SCHEMA_VERSION}")
    return MirrorState(version, index, last_seq, worded_place, bool(clean), boot)


def has_fts5(db: sqlite3.Connection) -> bool:
    return ("ENABLE_FTS5",) in db.execute("PRAGMA compile_options").fetchall()


def boot_id() -> str:
    """Which boot of the machine this is; empty where it is not known."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    if not path.exists():
        raise Unusable(f"{path.name} is missing")
    try:
        return sqlite3.connect(
            uri(path, mode),
            uri=True,
            isolation_level=None,
            timeout=_BUSY_S,
            cached_statements=256,
            # One user at a time, but the consistency check gets its connection from the writer's thread.
            check_same_thread=False,
        )
    except sqlite3.Error as error:
        raise Unusable(f"{path.name}: {error}") from error


def _check(db: sqlite3.Connection, state: MirrorState) -> None:
    if state.boot_id != boot_id():
        # Pages may be missing without a trace: what is left can look sound and be old.
        raise Unusable("the machine was started anew while it was open")
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise Unusable(f"it is damaged: {verdict}")
