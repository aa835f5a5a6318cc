"""The mirror as its one writer sees it: a file, how far it has come, and what is not in it yet."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from corvo.core.events import EventRecord
from corvo.core.job import Job
from corvo.storage.kv import KvReader, Writes
from corvo.storage.mirror import database, files, fts_indexer
from corvo.storage.mirror.batch import RowBatch
from corvo.storage.mirror.catch_up import next_chunk
from corvo.storage.mirror.database import Unusable
from corvo.storage.mirror.write import write


class Mirror:
    """Closed at first. Everything that touches the file may raise sqlite3.Error, or Unusable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._db: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._worded_place = 0
        self._has_words = False
        #: The file in use, also while it is closed because it is damaged: readers may still get by with it.
        self.path: Path | None = None
        #: The last entry that is in the file.
        self.held = 0
        self._held_seq = 0
        #: What is to be written next.
        self.batch = RowBatch(0, 0)

    @property
    def is_open(self) -> bool:
        return self._db is not None

    @property
    def index(self) -> int:
        """The last entry seen, be it in the file or in the batch."""
        return self.batch.index

    # The file

    def open(self) -> None:
        """Open the file in use. Raises Unusable if there is none that can be trusted."""
        assert self._db is None
        self.path = files.current(self._folder)
        if self.path is None:
            raise Unusable("there is no mirror yet")
        self._db, state = database.open_writer(self.path)
        self._identity = files.identity(self.path)
        self._worded_place = state.worded_place
        self._has_words = fts_indexer.has_index(self._db)
        self.held, self._held_seq = state.applied_index, state.last_seq
        self.forget()
        files.remove_others(self._folder, self.path)

    def close(self) -> None:
        """Let go of the file. What is in the batch is not written."""
        if self._db is not None:
            database.close_writer(self._db)
            self._db = None

    def abandon(self) -> None:
        """Let go of a file that is not to be trusted any more."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def adopt(self, built: Path) -> None:
        """Go on with a new file in the place of the old one."""
        self.close()
        files.publish(self._folder, built)
        self.open()

    # Writing

    def add(
        self, index: int, rows: Mapping[str, Job | None], writes: Writes, record: EventRecord | None
    ) -> None:
        self.batch.add(index, rows, writes, record)

    def flush(self) -> None:
        """Write what has gathered, and how far that is."""
        if self.batch.index > self.held:
            self._write(self.batch)

    def forget(self) -> None:
        """Give up what is not in the file yet; it has to be caught up with."""
        self.batch = RowBatch(self.held, self._held_seq)

    def catch_up(self, snapshot: KvReader) -> bool:
        """Take one step towards the store. True when the mirror has got there."""
        self.forget()
        chunk = next_chunk(snapshot, self.held, self._held_seq)
        if chunk.batch.index > self.held:
            self._write(chunk.batch)
        return chunk.is_last

    def index_words(self) -> bool:
        """One round of full-text indexing. False when there is nothing left to do."""
        if not self._has_words:
            return False
        last = fts_indexer.index_words(self._file(), self._worded_place)
        if last is None:
            return False
        self._worded_place = last
        return True

    def _write(self, batch: RowBatch) -> None:
        db = self._file()
        write(db, batch)
        self.held, self._held_seq = batch.index, batch.last_seq
        self.forget()

    def _file(self) -> sqlite3.Connection:
        assert self._db is not None
        assert self.path is not None
        # A file that was deleted can still be written to here, but no reader can open it any more.
        if files.identity(self.path) != self._identity:
            raise Unusable(f"{self.path.name} was removed or replaced")
        return self._db
