"""Lease watch: tells workers on a stream at once when a job of theirs is no longer theirs.

    fsm --EntryLanded--> [lease watch] --job id--> the stream that holds the job

Without it a worker learns by its next heartbeat, which may be a quarter of a minute later.
"""

from collections.abc import Callable
from typing import Final

from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.kernel.messages import Message
from corvo.actors.messages import EntryLanded, Subscribe, Topic
from corvo.core.events import EventType

#: What ends a lease other than its own worker.
_TAKEN_AWAY: Final = frozenset({EventType.CANCELLED, EventType.HELD, EventType.DELETED, EventType.RECLAIMED})

#: Called with the id of a job that was taken away.
Tell = Callable[[str], None]


class HoldJobs(Message, frozen=True):
    """stream -> lease watch: these jobs are worked on here."""

    job_ids: list[str]
    tell: Tell


class LetGo(Message, frozen=True):
    """stream -> lease watch: these are not any more."""

    job_ids: list[str]
    tell: Tell


class LeaseWatch(Actor):
    def __init__(self, fsm: ActorAddress) -> None:
        self._fsm = fsm
        self._holders: dict[str, Tell] = {}

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.LANDED,)))

    def receiveMsg_HoldJobs(self, msg: HoldJobs, sender: ActorAddress) -> None:
        for job_id in msg.job_ids:
            self._holders[job_id] = msg.tell

    def receiveMsg_LetGo(self, msg: LetGo, sender: ActorAddress) -> None:
        for job_id in msg.job_ids:
            # By now it may be with another stream.
            if self._holders.get(job_id) == msg.tell:
                del self._holders[job_id]

    def receiveMsg_EntryLanded(self, msg: EntryLanded, sender: ActorAddress) -> None:
        record = msg.applied.record
        if record is None or not self._holders:
            return
        for event in record.events:
            if event.type in _TAKEN_AWAY and event.job_id in self._holders:
                self._holders.pop(event.job_id)(event.job_id)
