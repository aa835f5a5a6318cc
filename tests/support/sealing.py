"""Keys for sealed queues, and a look into every file of a data folder."""

import base64
import hashlib
import json
from pathlib import Path


def key(name: str) -> str:
    """A key of its own for each name."""
    return base64.b64encode(hashlib.sha256(name.encode()).digest()).decode()


def write_keys(file: Path, *names: str, current: str | None = None) -> dict[str, str]:
    """Settings of a node that has these keys, the last of them current."""
    file.touch(mode=0o600)
    file.write_text(
        json.dumps({"current": current or names[-1], "keys": {name: key(name) for name in names}})
    )
    return {"seal_keys": str(file)}


def files_with(folder: Path, *marks: bytes) -> dict[str, list[bytes]]:
    """Which files hold any of the marks. LevelDB and SQLite keep texts as they are, so a look suffices."""
    found = {}
    for file in folder.rglob("*"):
        if file.is_file():
            data = file.read_bytes()
            held = [mark for mark in marks if mark in data or base64.b64encode(mark)[:-4] in data]
            if held:
                found[str(file.relative_to(folder))] = held
    return found
