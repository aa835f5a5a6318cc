"""Dead letters: messages that reached no one, because the receiver has stopped or the asker has left."""

from typing import TYPE_CHECKING, Final

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.api import ActorStopped
from corvo.actors.kernel.asker import Asker
from corvo.actors.kernel.messages import DeadEnvelope

if TYPE_CHECKING:
    from corvo.actors.kernel.cell import Cell

#: Dead letters are counted per receiver up to this many names, then together under one.
DEAD_LETTER_NAMES_MAX: Final = 256
OTHER_NAMES: Final = "(others)"


class DeadLetters:
    """Counts them, tells an asker that no answer will come, and shows them to actors that want to see."""

    __slots__ = ("_handlers", "by_name", "total")

    def __init__(self) -> None:
        self.total = 0
        self.by_name: dict[str, int] = {}
        self._handlers: dict[Cell, None] = {}

    def handle(self, cell: "Cell", enable: bool) -> None:
        """Show dead letters to this actor from now on, or no longer."""
        if enable:
            self._handlers[cell] = None
        else:
            self._handlers.pop(cell, None)

    def add(self, target: ActorAddress, message: object, sender: ActorAddress) -> None:
        self.total += 1
        name = target.name
        if name not in self.by_name and len(self.by_name) >= DEAD_LETTER_NAMES_MAX:
            name = OTHER_NAMES
        self.by_name[name] = self.by_name.get(name, 0) + 1
        if isinstance(sender, Asker):
            sender.fail(ActorStopped(target.name))
        # An envelope that is a dead letter itself is not put into another one, and a handler that cannot keep
        # up misses some: a flood of dead letters must not fill the memory.
        if not isinstance(message, DeadEnvelope):
            for handler in self._handlers:
                if not handler.box.is_full():
                    handler.notify(DeadEnvelope(target, message), sender)
