"""What the kernel itself says to actors, and the base of what actors say to each other.

Thespian ships no types, so its messages get a typed face here; at run time they are Thespian's
own classes, and an actor that handles them runs on either system.
"""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from corvo.actors.kernel.address import ActorAddress

if TYPE_CHECKING:

    class ActorSystemMessage:
        """A message from the system rather than from an actor."""

    class ActorExitRequest(ActorSystemMessage):
        """any actor, outside -> actor: finish, and let your children finish first."""

        def __init__(self, recursive: bool = True) -> None: ...

    class ChildActorExited(ActorSystemMessage):
        """system -> parent: this child is no more."""

        def __init__(self, child: ActorAddress, /) -> None: ...

        @property
        def childAddress(self) -> ActorAddress: ...

    class PoisonMessage(ActorSystemMessage):
        """system -> sender: the receiver crashed over this message of yours."""

        def __init__(self, poison: object, details: str | None = None) -> None: ...

        @property
        def poisonMessage(self) -> Any: ...

        @property
        def details(self) -> str | None: ...

    class WakeupMessage(ActorSystemMessage):
        """system -> actor: the time you asked for has passed."""

        payload: Any

        def __init__(self, period: timedelta, payload: object = None, /) -> None: ...

        @property
        def delayPeriod(self) -> timedelta: ...

    class DeadEnvelope(ActorSystemMessage):
        """system -> dead-letter handler: this message found its receiver gone."""

        def __init__(self, target: ActorAddress, message: object, /) -> None: ...

        @property
        def deadMessage(self) -> Any: ...

        @property
        def deadAddress(self) -> ActorAddress: ...

else:
    from thespian.actors import (
        ActorExitRequest,
        ActorSystemMessage,
        ChildActorExited,
        DeadEnvelope,
        PoisonMessage,
        WakeupMessage,
    )

__all__ = [
    "ActorExitRequest",
    "ActorSystemMessage",
    "ChildActorExited",
    "DeadEnvelope",
    "Message",
    "PoisonMessage",
    "Refused",
    "WakeupMessage",
]


class Message(msgspec.Struct, frozen=True):
    """What actors say to each other: frozen, because two actors hold the same object."""


class Refused(ActorSystemMessage):
    """system -> sender: the target's mailbox was full, here is your message back."""

    __slots__ = ("message", "target")

    def __init__(self, message: Any, target: ActorAddress) -> None:
        self.message = message
        self.target = target

    def __repr__(self) -> str:
        return f"Refused({self.message!r}, {self.target!r})"
