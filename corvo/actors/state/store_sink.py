"""Store sink: a leader's state, received chunk by chunk into a new store beside the one in use.

    consensus --chunks--> [store sink] --> kv-<n+1> ... complete: the folder points to it, the fsm adopts it

Until the last chunk has come the old store is the one that counts, also for the next start. Memory stays
bounded, because every chunk goes straight to disk.
"""

from collections.abc import Callable
from typing import Final

from corvo.consensus.api import Position
from corvo.core.errors import StorageFull
from corvo.storage import keys
from corvo.storage.datadir import DataDir
from corvo.storage.kv import Kv
from corvo.storage.meta import GENESIS, decode_meta
from corvo.storage.snapshot import SnapshotWriter

#: Takes over a complete store, and says where the state stands then.
Install = Callable[[Kv, Position], None]
#: Chunks after which what was written is synced, so that the last sync is short.
_SYNC_EVERY: Final = 64


class StoreSink:
    """Implements consensus.api.SnapshotSink."""

    def __init__(self, folder: DataDir, own: Callable[[], Position], install: Install) -> None:
        self._folder = folder
        self._own = own
        self._install = install
        self._name, self._store = folder.begin_store()
        self._writer = SnapshotWriter(self._store)
        self._chunks = 0

    def write(self, chunk: bytes) -> None:
        try:
            self._writer.write(chunk)
            self._chunks += 1
            if self._chunks % _SYNC_EVERY == 0:
                self._store.sync()
        except StorageFull as error:
            raise OSError(str(error)) from error

    def finish(self) -> Position:
        self._writer.finish()
        stored = self._store.get(keys.META)
        meta = GENESIS if stored is None else decode_meta(stored)
        if meta.index <= self._own().index:
            # The log was faster. A state never goes backwards.
            self.abort()
            return self._own()
        position = Position(meta.index, meta.term)
        self._store.sync()
        self._folder.use_store(self._name)
        self._install(self._store, position)
        return position

    def abort(self) -> None:
        self._store.close()
        self._folder.drop_store(self._name)
