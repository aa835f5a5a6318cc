"""Store writer: one LevelDB batch per entry, in order, on a thread of its own.

    fsm --Land--> [store writer] --> LevelDB --Landed--> fsm

Its fsync overlaps with the journal's fsync of the next entry. A full disk is not the end: the entries
are safe in the journal and in the overlay; the writer waits until the store has been opened again and
gets everything that did not land once more. Any other failure of the disk stops the node, because
after a failed write nobody knows what the file holds.
"""

from typing import ClassVar

import structlog

from corvo.actors.kernel.api import ActorAddress, OnCrash, ThreadActor
from corvo.actors.messages import Adopt, Adopted, Land, Landed, LandFailed, Resume
from corvo.core.errors import StorageFull
from corvo.storage.reopen import Store

log = structlog.get_logger()


class StoreWriter(ThreadActor):
    on_crash: ClassVar[OnCrash] = OnCrash.FAIL_STOP

    def __init__(self, kv: Store, *, sync: bool) -> None:
        self._kv = kv
        self._sync = sync
        self._stuck = False

    def receiveMsg_Land(self, msg: Land, sender: ActorAddress) -> None:
        if self._stuck:
            return  # It comes again after Resume, in order with the one that failed.
        try:
            self._kv.write(msg.writes, sync=self._sync)
        except StorageFull:
            self._stuck = True
            log.warning("store.full", index=msg.index)
            self.send(sender, LandFailed(msg.index))
        else:
            self.send(sender, Landed(msg.index, msg.term))

    def receiveMsg_Resume(self, msg: Resume, sender: ActorAddress) -> None:
        self._stuck = False

    def receiveMsg_Adopt(self, msg: Adopt, sender: ActorAddress) -> None:
        """Here, because what was on its way to the old store has gone there by now."""
        self._kv.adopt(msg.store)
        self._stuck = False
        self.send(sender, Adopted())
