"""The journal's disk: the few file operations it needs, so that tests can replace every one of them.

    journal -> segment -> [disk]

Files are written on the loop's thread. The sync thread syncs them, truncates finished ones and unlinks old
ones; nothing is written to those meanwhile.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from corvo.consensus.errors import DirectoryInUse

#: Pieces per write call; the kernel refuses more.
_PIECES_MAX: Final = 1_024
_LOCK_NAME: Final = "LOCK"


class File(Protocol):
    """An open file of the journal."""

    def read(self) -> bytes: ...

    def write(self, pieces: Sequence[bytes], offset: int) -> None:
        """Write all pieces one after the other, or raise OSError."""
        ...

    def preallocate(self, start: int, size: int) -> None:
        """Claim these bytes from the disk, as zeros, so that writing them cannot fail for want of room."""
        ...

    def truncate(self, size: int) -> None: ...

    def sync(self) -> None:
        """Return when everything written so far survives a power cut."""
        ...

    def close(self) -> None: ...


class Disk(Protocol):
    """One folder of journal files."""

    def names(self) -> list[str]: ...

    def create(self, name: str) -> File: ...

    def open(self, name: str) -> File: ...

    def unlink(self, name: str) -> None: ...

    def sync_directory(self) -> None: ...

    def bytes_total(self) -> int:
        """The size of the file system, to choose limits by."""
        ...

    def close(self) -> None: ...


class OsFile:
    def __init__(self, path: Path, flags: int) -> None:
        self._fd = os.open(path, flags | os.O_RDWR | os.O_CLOEXEC, 0o640)

    def read(self) -> bytes:
        size = os.fstat(self._fd).st_size
        pieces = []
        offset = 0
        while offset < size:
            piece = os.pread(self._fd, size - offset, offset)
            if not piece:
                break
            pieces.append(piece)
            offset += len(piece)
        return b"".join(pieces)

    def write(self, pieces: Sequence[bytes], offset: int) -> None:
        for first in range(0, len(pieces), _PIECES_MAX):
            group = pieces[first : first + _PIECES_MAX]
            size = sum(map(len, group))
            written = os.pwritev(self._fd, group, offset)
            if written < size:
                self._write_rest(b"".join(group)[written:], offset + written)
            offset += size

    def preallocate(self, start: int, size: int) -> None:
        os.posix_fallocate(self._fd, start, size)

    def truncate(self, size: int) -> None:
        os.ftruncate(self._fd, size)

    def sync(self) -> None:
        os.fdatasync(self._fd)

    def close(self) -> None:
        os.close(self._fd)

    def _write_rest(self, rest: bytes, offset: int) -> None:
        # A short write is how a full disk begins; the next call says so by raising.
        while rest:
            written = os.pwrite(self._fd, rest, offset)
            rest, offset = rest[written:], offset + written


class OsDisk:
    """A real folder, held by a lock so that two processes never write one journal."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        _make_durably(directory)
        self._lock_fd = os.open(directory / _LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        try:
            fcntl.flock(self._lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock_fd)
            raise DirectoryInUse(f"the journal in {directory} is in use by another process") from None

    def names(self) -> list[str]:
        return sorted(name for name in os.listdir(self._directory) if name != _LOCK_NAME)

    def create(self, name: str) -> File:
        return OsFile(self._directory / name, os.O_CREAT | os.O_EXCL)

    def open(self, name: str) -> File:
        return OsFile(self._directory / name, 0)

    def unlink(self, name: str) -> None:
        os.unlink(self._directory / name)

    def sync_directory(self) -> None:
        _sync_folder(self._directory)

    def bytes_total(self) -> int:
        stat = os.statvfs(self._directory)
        return stat.f_blocks * stat.f_frsize

    def close(self) -> None:
        os.close(self._lock_fd)


def _make_durably(directory: Path) -> None:
    """Create the folder and its parents, each known to its own parent after a power cut."""
    missing = []
    while not directory.exists():
        missing.append(directory)
        directory = directory.parent
    for folder in reversed(missing):
        folder.mkdir(mode=0o750, exist_ok=True)
        _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
