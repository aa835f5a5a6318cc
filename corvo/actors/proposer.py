"""Proposer: hands batches to consensus, and sees that every asker of a batch that failed hears of it.

    batcher -> [proposer] -> consensus -> fsm

A batch that is applied is answered by the state machine. One that consensus refused had no effect and is
answered so; of one that got lost on the way nobody can say whether it will be applied one day, and that is
what its askers are told.
"""

from dataclasses import asdict

import structlog

from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.messages import (
    Batch,
    BatchEnded,
    Declined,
    GetStatus,
    Landed,
    Lost,
    Propose,
    Status,
    StoreFull,
    Subscribe,
    Topic,
)
from corvo.consensus.api import Consensus, Position
from corvo.core.errors import CorvoError, OutcomeUnknown, StorageFull
from corvo.ops.entry import Entry, encode

log = structlog.get_logger()


class Proposer(Actor):
    def __init__(self, consensus: Consensus, fsm: ActorAddress) -> None:
        self._consensus = consensus
        self._fsm = fsm

    def started(self) -> None:
        self.send(self._fsm, Subscribe((Topic.STORED,)))

    def receiveMsg_Propose(self, msg: Propose, sender: ActorAddress) -> None:
        batch = msg.batch
        try:
            entry = encode(Entry(batch.now_ns, batch.ops))
        except (OverflowError, TypeError, ValueError) as error:
            # Somebody let a value through that has no form in the log. Nothing has happened, so say so at
            # once: others in this batch would else wait until their time is over.
            log.exception("proposer.unwritable", error=str(error))
            self._decline(batch, CorvoError("an operation cannot be written to the log"))
            return
        try:
            self._consensus.propose(entry, batch)
        except StorageFull as error:
            self.send(batch.home, StoreFull(full=True, try_again=True))
            self._decline(batch, error)
        except CorvoError as error:
            self._decline(batch, error)

    def receiveMsg_Lost(self, msg: Lost, sender: ActorAddress) -> None:
        self._decline(msg.batch, OutcomeUnknown("the write was not confirmed in time", retry_after_ms=500))

    def receiveMsg_Landed(self, msg: Landed, sender: ActorAddress) -> None:
        """The store is durable up to here, so the log may be cut behind it."""
        self._consensus.stored(Position(msg.index, msg.term))

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        status = self._consensus.status()
        self.send(sender, Status(asdict(status) | {"role": status.role.value}))

    def _decline(self, batch: Batch, error: CorvoError) -> None:
        for asker, tag, _ in batch.askers:
            self.send(asker, Declined(error, tag))
        self.send(batch.home, BatchEnded(batch.number))
