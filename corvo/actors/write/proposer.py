"""Proposer: hands batches to consensus, and sees that every asker of a batch that failed hears of it.

    batcher -> [proposer] -> consensus -> fsm

A batch that is applied is answered by the state machine. One that consensus refused had no effect and is
answered so; of one that got lost on the way it is unknown whether it will be applied one day, and that is
what its askers are told.
"""

import structlog

from corvo.actors.cluster.messages import Bounced
from corvo.actors.kernel.api import Actor, ActorAddress
from corvo.actors.state.messages import Landed, StoreFull, Subscribe, Topic
from corvo.actors.status import GetStatus, ProposerStatus
from corvo.actors.write.messages import BatchEnded, Declined, EntryBatch, Lost, Propose
from corvo.actors.write.submitter import unknown
from corvo.consensus.api import Consensus, Position, Role
from corvo.core.errors import CorvoError, NotLeader, StorageFull
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
            # A value was let through that cannot be encoded. Nothing has happened, so say so at once: the
            # other askers of this batch would otherwise wait until their time is over.
            log.exception("proposer.unwritable", error=str(error))
            self._decline(batch, CorvoError("an operation cannot be written to the log"))
            return
        try:
            self._consensus.propose(entry, batch)
        except StorageFull as error:
            self.send(batch.home, StoreFull(full=True, try_again=True))
            self._decline(batch, error)
        except NotLeader:
            self.send(batch.home, Bounced(batch))
        except CorvoError as error:
            self._decline(batch, error)

    def receiveMsg_Lost(self, msg: Lost, sender: ActorAddress) -> None:
        if self._consensus.status().role is not Role.LEADER:
            # It was lost with the lead; the batcher sees whether the next leader may be asked.
            self.send(msg.batch.home, msg)
            return
        # The disk hangs, or too few nodes answer. To try again would only be the same again.
        self._decline(msg.batch, unknown())

    def receiveMsg_Landed(self, msg: Landed, sender: ActorAddress) -> None:
        """The store is durable up to here, so the log may be cut behind it."""
        self._consensus.stored(Position(msg.index, msg.term))

    def receiveMsg_GetStatus(self, msg: GetStatus, sender: ActorAddress) -> None:
        self.send(sender, ProposerStatus(self._consensus.status()))

    def _decline(self, batch: EntryBatch, error: CorvoError) -> None:
        for asker, tag, _, _ in batch.askers:
            self.send(asker, Declined(error, tag))
        self.send(batch.home, BatchEnded(batch.number))
