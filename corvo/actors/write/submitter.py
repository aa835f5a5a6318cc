"""Submitting: for actors that hand ops to the batcher and must hear what became of them, whatever happens."""

from abc import abstractmethod

from corvo.actors.kernel.api import Actor, ActorAddress, PoisonMessage
from corvo.actors.write.messages import Declined, Submit
from corvo.core.errors import OutcomeUnknown


class Submitter(Actor):
    """One of those. It handles Answer, and this."""

    @abstractmethod
    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        """Nothing came of these, or nobody knows."""

    def receiveMsg_PoisonMessage(self, msg: PoisonMessage, sender: ActorAddress) -> None:
        """Whoever had the ops crashed over them; nobody else will say a word about them."""
        if isinstance(msg.poisonMessage, Submit):
            self.receiveMsg_Declined(Declined(unknown(), msg.poisonMessage.tag), sender)


def unknown() -> OutcomeUnknown:
    return OutcomeUnknown("the write was not confirmed in time", retry_after_ms=500)
