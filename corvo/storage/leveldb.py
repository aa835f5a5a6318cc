"""LevelDB (plyvel) as a Kv. The only module that imports plyvel.

What LevelDB does and does not promise (docs/design/storage.md) decides the settings: checksums are verified
on every read (LevelDB returns wrong rows silently otherwise, and the check costs nothing measurable); a
database is created only when the caller says it is new, because LevelDB would quietly open a damaged one as
an empty one; an error is sticky after a full disk, so `try_reopen` exists.

The loop's thread reads the database itself. Every other thread reads a snapshot: LevelDB ends the process
when it is closed under a reader, so it stays open for as long as a snapshot does.
"""

import errno
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import plyvel

from corvo.core.errors import StorageFull
from corvo.storage.kv import Kv, KvSnapshot, Writes

_WRITE_BUFFER_BYTES = 32 * 1024 * 1024
_BLOCK_CACHE_BYTES = 32 * 1024 * 1024
_OPEN_FILES_MAX = 500
_BLOOM_BITS_PER_KEY = 10
#: Snappy makes the folder a quarter as large, and takes three quarters of the time of a compaction (ADR 18).
_COMPRESSION = None
#: Room LevelDB needs beyond its write-ahead log to open: a new manifest and log, and some to spare.
_REOPEN_AIR_BYTES = 8 * 1024 * 1024

#: LevelDB hands errors over as text; these are how a full disk or quota reads.
_FULL_TEXTS = (os.strerror(errno.ENOSPC), os.strerror(errno.EDQUOT))


class StoreDamaged(Exception):
    """The database cannot be opened or read; the message names the folder and what LevelDB said."""


class StoreBusy(Exception):
    """Another process has the database open."""


class LevelDbKv:
    def __init__(self, path: Path, *, create: bool) -> None:
        self._path = path
        self._db = self._open(create=create)
        #: Guards what follows: snapshots come and go on other threads.
        self._gate = threading.Lock()
        #: Snapshots that are open, of this database and of those it took the place of.
        self._snapshots: Counter[Any] = Counter()
        self._closing = False

    def _open(self, *, create: bool) -> Any:
        try:
            return plyvel.DB(
                str(self._path),
                create_if_missing=create,
                error_if_exists=create,
                write_buffer_size=_WRITE_BUFFER_BYTES,
                lru_cache_size=_BLOCK_CACHE_BYTES,
                max_open_files=_OPEN_FILES_MAX,
                bloom_filter_bits=_BLOOM_BITS_PER_KEY,
                compression=_COMPRESSION,
            )
        except plyvel.Error as error:
            raise _translate(error, self._path) from error

    def get(self, key: bytes) -> bytes | None:
        value: bytes | None = self._db.get(key, verify_checksums=True)
        return value

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        # plyvel's iterator sees the database as it is now, whatever is written while it runs.
        pairs: Iterator[tuple[bytes, bytes]] = self._db.iterator(
            start=start, stop=stop, verify_checksums=True
        )
        return pairs

    def write(self, writes: Writes, *, sync: bool) -> None:
        batch = self._db.write_batch(sync=sync)
        for key, value in writes.items():
            if value is None:
                batch.delete(key)
            else:
                batch.put(key, value)
        try:
            batch.write()
        except plyvel.Error as error:
            raise _translate(error, self._path) from error

    def snapshot(self) -> KvSnapshot:
        with self._gate:
            if self._closing:
                raise RuntimeError("the store is closed")
            db = self._db
            snapshot = _Snapshot(db.snapshot(), lambda: self._release(db))
            self._snapshots[db] += 1
            return snapshot

    def _release(self, db: Any) -> None:
        with self._gate:
            self._snapshots[db] -= 1
            if not self._snapshots[db]:
                del self._snapshots[db]
                if self._closing or db is not self._db:
                    db.close()

    def adopt(self, other: Kv) -> None:
        assert isinstance(other, LevelDbKv)
        with self._gate:
            old, self._db, self._path = self._db, other._db, other._path
            if not self._snapshots[old]:
                old.close()

    def sync(self) -> None:
        """Make everything written so far survive a power cut, also what was written without sync.

        LevelDB itself syncs tables, but never the write-ahead log it has just filled.
        """
        self._db.write_batch(sync=True).write()
        for file in self._path.glob("*.log"):
            descriptor = os.open(file, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def try_reopen(self) -> bool:
        """Close and open again: the only way out of LevelDB's sticky error after a full disk.

        Opening replays the write-ahead log into a new table, so there must be room for that first: a
        database that was closed and cannot be opened again could not even be read. Runs on the thread that
        reads, while no write is under way.
        """
        with self._gate:
            if self._snapshots[self._db] or not self._has_room_to_open():
                return False
            self._db.close()
            self._db = self._open(create=False)
            return True

    def _has_room_to_open(self) -> bool:
        log_bytes = sum(file.stat().st_size for file in self._path.glob("*.log"))
        disk = os.statvfs(self._path)
        return disk.f_bavail * disk.f_frsize > log_bytes + _REOPEN_AIR_BYTES

    def close(self) -> None:
        """Close the database, or leave that to the last snapshot that is still open."""
        with self._gate:
            self._closing = True
            if not self._snapshots[self._db]:
                self._db.close()


class _Snapshot:
    def __init__(self, snapshot: Any, release: Callable[[], None]) -> None:
        self._snapshot = snapshot
        self._release = release
        self._is_closed = False

    def get(self, key: bytes) -> bytes | None:
        value: bytes | None = self._snapshot.get(key, verify_checksums=True)
        return value

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        pairs: Iterator[tuple[bytes, bytes]]
        pairs = self._snapshot.iterator(start=start, stop=stop, verify_checksums=True)
        return pairs

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._snapshot.close()
            self._release()


def _translate(error: Exception, path: Path) -> Exception:
    said = error.args[0] if error.args else b""
    text = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    if any(full in text for full in _FULL_TEXTS):
        return StorageFull("the disk is full")
    if "already held" in text or "temporarily unavailable" in text:
        return StoreBusy(f"{path} is in use by another process")
    if isinstance(error, plyvel.IOError) and "Corruption" not in text:
        return OSError(errno.EIO, text, str(path))
    return StoreDamaged(f"{path}: {text}")
