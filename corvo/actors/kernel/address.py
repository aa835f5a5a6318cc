"""Addresses: where a message can be sent, and how its sender learns that it did not arrive.

    actor --send--> [address] --deliver--> mailbox of an actor | future of an asker | dead letters

There are three kinds: the cell of an actor (`cell.py`), an asker and the world outside (both in
`asker.py`). An address is one small object compared by identity, so it is cheap to keep in dicts.
"""

from abc import abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    _ThespianAddress = object
else:
    # Thespian's `send` accepts only its own addresses, so ours are a kind of them.
    from thespian.actors import ActorAddress as _ThespianAddress


class ActorAddress(_ThespianAddress):
    """Where an actor or an asker can be reached. It stays valid after the end of either."""

    __slots__ = ()

    #: For people and metrics: `batcher`, `fsm`. Unique among the living actors of a system.
    name: str

    @abstractmethod
    def deliver(self, message: object, sender: "ActorAddress") -> None:
        """Hand over a message. If there is no room for it, the sender is told by `refused`."""

    @abstractmethod
    def notify(self, message: object, sender: "ActorAddress") -> None:
        """Hand over a message of the system itself, which needs no room."""

    @abstractmethod
    def refused(self, message: object, target: "ActorAddress") -> None:
        """Learn that the target's mailbox was full."""

    # Thespian compares addresses by what is inside and forbids hashing; here there is one per actor.

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    @property
    def _aaddr(self) -> str:
        """What Thespian's own methods call the inside of an address."""
        return self.name

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<actor {self.name}>"
