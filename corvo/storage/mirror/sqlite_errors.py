"""SQLite errors, and what each means for the mirror: wait, look closer, or build it again."""

import enum
import sqlite3
from typing import Final

import msgspec

_FULL: Final = frozenset({"SQLITE_FULL"})
_DAMAGED: Final = frozenset({"SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_SCHEMA", "SQLITE_FORMAT"})
#: Plain SQLITE_ERROR, which SQLite also says when a table or a column is gone.
_GONE_TEXTS: Final = ("no such table", "no such column", "has no column", "no such index", "no such module")


class Fault(enum.Enum):
    FULL = "full"  # There is no room; the file itself is sound.
    DAMAGED = "damaged"  # The file cannot be trusted any more.
    INTERRUPTED = "interrupted"  # We stopped the statement ourselves.
    UNKNOWN = "unknown"  # A lock, a failing disk: try again, then look closer.


def fault_of(error: Exception) -> Fault:
    """Judge an exception of sqlite3, or of decoding what it returned."""
    if isinstance(error, msgspec.MsgspecError | UnicodeDecodeError):
        return Fault.DAMAGED  # We wrote it, so it was readable once.
    # SQLite's extended codes begin with the name of the plain one: SQLITE_CORRUPT_VTAB.
    name = getattr(error, "sqlite_errorname", None) or ""
    plain = "_".join(name.split("_")[:2])
    text = str(error)
    if plain in _FULL:
        return Fault.FULL
    if plain == "SQLITE_INTERRUPT":
        return Fault.INTERRUPTED
    # sqlite3 itself, not SQLite, complains of text that is no text; such errors carry no code.
    if plain in _DAMAGED or text.startswith(_GONE_TEXTS) or "Could not decode to UTF-8" in text:
        return Fault.DAMAGED
    return Fault.UNKNOWN


def is_fault(error: Exception) -> bool:
    """Whether the error is about the file, and not a mistake of ours."""
    return isinstance(error, sqlite3.Error | msgspec.MsgspecError | UnicodeDecodeError)
