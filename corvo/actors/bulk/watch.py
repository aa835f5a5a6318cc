"""Bulk watch: tells the readers of streams how a bulk task gets on.

    fsm --BulkMoved--> [bulk watch] --> one channel per reader (a server-sent event stream)

A reader gets the task as it stands, then every change, then the end, whenever it came. On any node.
"""

from datetime import timedelta

from corvo.actors.bulk.messages import (
    BulkMoved,
    BulkWording,
    CloseWatch,
    FindBulk,
    StopWatching,
    WatchBulk,
    Watching,
)
from corvo.actors.channel import Channel
from corvo.actors.kernel.api import Actor, ActorAddress, WakeupMessage
from corvo.actors.state.messages import Subscribe, Topic
from corvo.core.bulk import ENDED
from corvo.core.errors import NotFound
from corvo.core.namespace import ANYWHERE

_KEEP_ALIVE = timedelta(seconds=15)
READERS_MAX = 1_000


class BulkWatch(Actor):
    def __init__(self, fsm: ActorAddress, wording: BulkWording) -> None:
        self._fsm = fsm
        self._wording = wording
        self._readers: dict[str, list[Channel]] = {}
        self._count = 0

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.BULK,)))
        self.wakeupAfter(_KEEP_ALIVE)

    def crashed(self) -> None:
        """Readers come again, and are told how the task stands."""
        for readers in self._readers.values():
            for channel in readers:
                channel.close()

    def receiveMsg_WatchBulk(self, msg: WatchBulk, sender: ActorAddress) -> None:
        if self._count >= READERS_MAX:
            self.send(sender, Watching(accepted=False))
            return
        self._count += 1
        self._readers.setdefault(msg.task_id, []).append(msg.channel)
        self.send(sender, Watching(accepted=True))
        # Entered first and asked then: what happens in between is told twice rather than not at all.
        self.send(self._fsm, FindBulk(msg.task_id, ANYWHERE))

    def receiveMsg_BulkMoved(self, msg: BulkMoved, sender: ActorAddress) -> None:
        readers = self._readers.get(msg.task.id)
        if readers is None:
            return
        words = self._wording.moved(msg.task)
        for channel in readers.copy():
            if not channel.put(words):
                self._let_go(msg.task.id, channel)
        if msg.task.status in ENDED:
            for channel in self._readers.pop(msg.task.id, ()):
                channel.close()
                self._count -= 1

    def receiveMsg_NotFound(self, msg: NotFound, sender: ActorAddress) -> None:
        """The edge has looked before, so the task was forgotten just now; its readers will give up."""

    def receiveMsg_StopWatching(self, msg: StopWatching, sender: ActorAddress) -> None:
        self._let_go(msg.task_id, msg.channel)

    def _let_go(self, task_id: str, channel: Channel) -> None:
        readers = self._readers.get(task_id, [])
        if channel in readers:
            channel.close()
            readers.remove(channel)
            self._count -= 1
        if not readers:
            self._readers.pop(task_id, None)

    def receiveMsg_CloseWatch(self, msg: CloseWatch, sender: ActorAddress) -> None:
        for readers in self._readers.values():
            for channel in readers:
                channel.close()
        self._readers.clear()
        self._count = 0

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        for task_id, readers in list(self._readers.items()):
            for channel in readers.copy():
                if not channel.put(self._wording.keep_alive):
                    self._let_go(task_id, channel)
        self.wakeupAfter(_KEEP_ALIVE)
