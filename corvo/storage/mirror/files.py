"""The folder of the mirror.

    mirror-<n>.db          the mirror; if there are several, the one with the highest number counts
    mirror-<n>.db-wal, -shm   of SQLite
    building.db            one that is being built

A new mirror gets a new name instead of the old one's place, because SQLite finds its log by name: a fresh
file beside the log of its predecessor would be damaged by it. Renaming `building.db` is the switch.
"""

import contextlib
import re
from pathlib import Path
from typing import Final

_NAME: Final = re.compile(r"mirror-(\d{1,9})\.db")
_PARTS: Final = ("", "-wal", "-shm", "-journal")


def current(folder: Path) -> Path | None:
    """The file in use, if there is any."""
    found = _generations(folder)
    return found[max(found)] if found else None


def draft(folder: Path) -> Path:
    """Where a new one is built; what an earlier attempt left there is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "building.db"
    remove(path)
    return path


def publish(folder: Path, built: Path) -> Path:
    """Make this the file in use."""
    path = folder / f"mirror-{max(_generations(folder), default=0) + 1}.db"
    # Leftovers of a file that had this name once would be taken for parts of the new one.
    remove(path)
    built.rename(path)
    return path


def remove_others(folder: Path, keep: Path | None) -> None:
    """A reader that has an old file open may go on reading it; its space is freed when it is closed."""
    for path in _generations(folder).values():
        if path != keep:
            remove(path)


def remove(path: Path) -> None:
    for part in _PARTS:
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + part).unlink()


def identity(path: Path) -> tuple[int, int] | None:
    """What tells this file from another one of the same name; None if there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _generations(folder: Path) -> dict[int, Path]:
    if not folder.is_dir():
        return {}
    return {
        int(match[1]): child
        for child in folder.iterdir()
        if (match := _NAME.fullmatch(child.name)) is not None
    }
