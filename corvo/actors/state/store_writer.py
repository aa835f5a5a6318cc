"""Store writer: what entries write, into LevelDB, in order, on a thread of its own.

    fsm --Land--> [store writer] --> LevelDB --Landed--> fsm

Its fsync overlaps with the journal's fsync of the next entry. Entries that come while it is busy share one
LevelDB batch and one fsync: no request waits for them, and the disk has the journal to serve. A batch is
atomic, so the store always stands behind a whole entry. A full disk is not the end: the entries are safe
in the journal and in the overlay; the writer waits until the store has been opened again and gets
everything that did not land once more. Any other failure of the disk stops the node, because after a
failed write it is unknown what the file holds.
"""

import time
from typing import ClassVar, Final

import structlog

from corvo.actors.kernel.api import ActorAddress, OnCrash, ThreadActor
from corvo.actors.state.messages import Adopt, Adopted, Land, Landed, LandFailed, Resume
from corvo.core.errors import StorageFull
from corvo.storage.store_protocol import Store

log = structlog.get_logger()

#: Keys after which a batch is written although more entries wait: what is in it is held twice until then.
_KEYS_MAX: Final = 4_096


class StoreWriter(ThreadActor):
    on_crash: ClassVar[OnCrash] = OnCrash.FAIL_STOP

    def __init__(self, kv: Store, *, sync: bool, every_s: float = 0.0) -> None:
        """Nothing is written sooner than `every_s` after the last write began."""
        self._kv = kv
        self._sync = sync
        self._every_s = every_s
        self._stuck = False
        #: What waits to be written, and the last entry in it with its sender.
        self._writes: dict[bytes, bytes | None] = {}
        self._last: tuple[Land, ActorAddress] | None = None

    def receiveMsg_Land(self, msg: Land, sender: ActorAddress) -> None:
        if self._stuck:
            return  # It comes again after Resume, in order with the one that failed.
        # Into a dict of our own: the overlay still reads from the one that came.
        self._writes.update(msg.writes)
        self._last = (msg, sender)
        if len(self._writes) >= _KEYS_MAX:
            self._write()

    def batchEnded(self) -> None:
        if self._last is None:
            return
        began_s = time.monotonic()
        self._write()
        # What comes meanwhile shares the next batch; a disk that is asked less often answers sooner.
        rest_s = self._every_s - (time.monotonic() - began_s)
        if rest_s > 0:
            time.sleep(rest_s)

    def receiveMsg_Resume(self, msg: Resume, sender: ActorAddress) -> None:
        self._stuck = False

    def receiveMsg_Adopt(self, msg: Adopt, sender: ActorAddress) -> None:
        """The store is replaced here, because what was on its way to the old one has been written by now."""
        self._write()
        self._kv.adopt(msg.store)
        self._stuck = False
        self.send(sender, Adopted())

    def _write(self) -> None:
        if self._last is None:
            return
        (land, asker), writes = self._last, self._writes
        self._last, self._writes = None, {}
        try:
            self._kv.write(writes, sync=self._sync)
        except StorageFull:
            self._stuck = True
            log.warning("store.full", index=land.index)
            self.send(asker, LandFailed(land.index))
        else:
            self.send(asker, Landed(land.index, land.term))
