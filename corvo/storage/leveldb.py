"""LevelDB (plyvel) as a Kv. The only module that imports plyvel.

What CONSENSUS section 2 found decides the settings: checksums are verified on every read (LevelDB
returns wrong rows silently otherwise, and the check costs nothing measurable); a database is created
only when the caller says it is new, because LevelDB would quietly open a damaged one as an empty one;
an error is sticky after a full disk, so `reopen` exists.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plyvel

from corvo.core.errors import StorageFull
from corvo.storage.kv import KvSnapshot, Writes

_WRITE_BUFFER_BYTES = 32 * 1024 * 1024
_BLOCK_CACHE_BYTES = 32 * 1024 * 1024
_OPEN_FILES_MAX = 500
_BLOOM_BITS_PER_KEY = 10
#: Room LevelDB needs beyond its write-ahead log to open: a new manifest and log, and some air.
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
        return _Snapshot(self._db.snapshot())

    def can_reopen(self) -> bool:
        """Opening replays the write-ahead log into a new table, so there must be room for that first:
        a database that was closed and cannot be opened again could not even be read."""
        log_bytes = sum(file.stat().st_size for file in self._path.glob("*.log"))
        disk = os.statvfs(self._path)
        return disk.f_bavail * disk.f_frsize > log_bytes + _REOPEN_AIR_BYTES

    def reopen(self) -> None:
        """Close and open again: the only way out of LevelDB's sticky error after a full disk.

        Must run on the thread that reads, and when `can_reopen` says so.
        """
        self._db.close()
        self._db = self._open(create=False)

    def close(self) -> None:
        self._db.close()


class _Snapshot:
    def __init__(self, snapshot: Any) -> None:
        self._snapshot = snapshot

    def get(self, key: bytes) -> bytes | None:
        value: bytes | None = self._snapshot.get(key, verify_checksums=True)
        return value

    def scan(self, start: bytes, stop: bytes) -> Iterator[tuple[bytes, bytes]]:
        pairs: Iterator[tuple[bytes, bytes]]
        pairs = self._snapshot.iterator(start=start, stop=stop, verify_checksums=True)
        return pairs

    def close(self) -> None:
        self._snapshot.close()


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
