"""Askers and the outside: the two kinds of address that are no actor.

    http --ask--> actor --send--> [asker] -> the future the request awaits

An answer goes straight into the future: no mailbox, no further turn of the loop.
"""

from typing import TYPE_CHECKING, Any, Protocol

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.api import ActorCrashed
from corvo.actors.kernel.mailbox import MailboxFull
from corvo.actors.kernel.messages import PoisonMessage

if TYPE_CHECKING:
    from corvo.actors.kernel.dead_letters import DeadLetters


class AskedFuture(Protocol):
    """The side of a future that is written to: asyncio's on the loop, the simulator's own there."""

    def done(self) -> bool: ...

    def set_result(self, result: Any, /) -> None: ...

    def set_exception(self, exception: Exception, /) -> None: ...


class Asker(ActorAddress):
    """The sender of one question. The first message that arrives is the answer."""

    __slots__ = ("_answer", "_dead_letters")

    name = "asker"

    def __init__(self, answer: AskedFuture, dead_letters: "DeadLetters") -> None:
        self._answer = answer
        self._dead_letters = dead_letters

    def deliver(self, message: object, sender: ActorAddress) -> None:
        answer = self._answer
        if answer.done():
            # Answered before, or the caller has gone away.
            self._dead_letters.add(self, message, sender)
        elif isinstance(message, Exception):
            answer.set_exception(_raisable(message))
        elif isinstance(message, PoisonMessage):
            answer.set_exception(ActorCrashed(sender.name, message.details))
        else:
            answer.set_result(message)

    def notify(self, message: object, sender: ActorAddress) -> None:
        self.deliver(message, sender)

    def refused(self, message: object, target: ActorAddress) -> None:
        # Raised through `ask`, not through the future: the caller is still on the stack.
        raise MailboxFull(target.name)

    def fail(self, error: Exception) -> None:
        """No answer will come, and this is why."""
        if not self._answer.done():
            self._answer.set_exception(error)


def _raisable(error: Exception) -> Exception:
    """asyncio refuses to raise StopIteration from a future; an answer must not crash its actor."""
    return RuntimeError(repr(error)) if isinstance(error, StopIteration) else error


class Outside(ActorAddress):
    """The sender of everything told from outside. What is sent to it becomes a dead letter."""

    __slots__ = ("_dead_letters",)

    name = "outside"

    def __init__(self, dead_letters: "DeadLetters") -> None:
        self._dead_letters = dead_letters

    def deliver(self, message: object, sender: ActorAddress) -> None:
        self._dead_letters.add(self, message, sender)

    def notify(self, message: object, sender: ActorAddress) -> None:
        """A caller of `tell` does not wait for an outcome; a crash was logged and counted."""

    def refused(self, message: object, target: ActorAddress) -> None:
        raise MailboxFull(target.name)
