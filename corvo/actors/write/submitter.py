"""Submitter: for actors that hand ops to the batcher and must hear what became of them, whatever happens."""

from abc import abstractmethod

from corvo.actors.kernel.api import Actor, ActorAddress, PoisonMessage
from corvo.actors.write.messages import Declined, Submit
from corvo.core.errors import OutcomeUnknown


class Submitter(Actor):
    """An actor that submits ops. It handles Answer and Declined."""

    @abstractmethod
    def receiveMsg_Declined(self, msg: Declined, sender: ActorAddress) -> None:
        """These ops had no effect, or it is unknown whether they had."""

    def receiveMsg_PoisonMessage(self, msg: PoisonMessage, sender: ActorAddress) -> None:
        """The actor that had the ops crashed over them, and no other will answer for them."""
        if isinstance(msg.poisonMessage, Submit):
            self.receiveMsg_Declined(Declined(unknown(), msg.poisonMessage.tag), sender)


def unknown() -> OutcomeUnknown:
    return OutcomeUnknown("the write was not confirmed in time", retry_after_ms=500)
