"""The actor API: what an actor is, in Thespian's words and with types.

    class Greeter(Actor):
        def receiveMsg_Greet(self, msg: Greet, sender: ActorAddress) -> None:
            self.send(sender, Greeted(msg.name))

The classes here are Thespian's own, subclassed, so an actor runs unchanged on the loop, in the
simulator and on Thespian's `simpleSystemBase`. Five things are ours: constructor arguments,
cancellable wake-ups, `started`/`stopping`, `on_crash` and `crashed`.
"""

import re
from abc import abstractmethod
from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, ParamSpec, Protocol, TypeAlias

import structlog

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.alarms import Timer
from corvo.actors.kernel.mailbox import MAILBOX_MESSAGES_MAX, MailboxFull
from corvo.actors.kernel.messages import (
    ActorExitRequest,
    ActorSystemMessage,
    ChildActorExited,
    DeadEnvelope,
    Message,
    PoisonMessage,
    Refused,
    WakeupMessage,
)

if TYPE_CHECKING:

    class _ThespianActor:
        SUPER: ClassVar[int]

        @property
        def myAddress(self) -> ActorAddress: ...

        def handleDeadLetters(self, enable: bool = True, /) -> None: ...

else:
    from thespian.actors import ActorTypeDispatcher as _ThespianActor

__all__ = [
    "MAILBOX_MESSAGES_MAX",
    "Actor",
    "ActorAddress",
    "ActorCrashed",
    "ActorExitRequest",
    "ActorStopped",
    "ActorSystemMessage",
    "ChildActorExited",
    "DeadEnvelope",
    "MailboxFull",
    "Message",
    "OnCrash",
    "PoisonMessage",
    "Refused",
    "ThreadActor",
    "Timer",
    "WakeupMessage",
    "named",
]

_P = ParamSpec("_P")
_Handler: TypeAlias = Callable[[Any, Any, ActorAddress], object]

#: Most actors have nothing to add to these, so an actor without a handler for them is not surprised.
_UNREMARKABLE: Final = (ActorExitRequest, ChildActorExited)

log = structlog.get_logger()


class OnCrash(Enum):
    """What becomes of an actor whose handler raised."""

    RESTART = "restart"  # A new instance goes on with the same mailbox, after a pause.
    STOP = "stop"  # It is over; the parent gets ChildActorExited and decides.
    FAIL_STOP = "fail_stop"  # The whole process must not go on.


class ActorCrashed(Exception):
    """The actor crashed over the question. Whether it had any effect is for the actor to say."""

    def __init__(self, actor: str, details: str | None) -> None:
        super().__init__(f"{actor} crashed\n{details}" if details else f"{actor} crashed")
        self.actor = actor
        self.details = details


class ActorStopped(Exception):
    """The actor ended before it handled the question, so the question had no effect."""

    def __init__(self, actor: str) -> None:
        super().__init__(f"{actor} has stopped")
        self.actor = actor


class Context:
    """What a running system gives to each actor as `_myRef`; Thespian calls its own an ActorRef."""

    __slots__ = ()

    @property
    @abstractmethod
    def address(self) -> ActorAddress: ...

    @abstractmethod
    def actor_send(self, target: ActorAddress, message: object) -> None: ...

    @abstractmethod
    def create(self, actor: Callable[_P, "Actor"], *args: _P.args, **kwargs: _P.kwargs) -> ActorAddress: ...

    @abstractmethod
    def wakeupAfter(self, period: timedelta, payload: object) -> Timer: ...

    @abstractmethod
    def handleDeadLetters(self, address: ActorAddress, enable: bool) -> None: ...

    @abstractmethod
    def count_unexpected(self) -> None: ...


class ThespianRef(Protocol):
    """The part of Thespian's ActorRef that an actor needs when it runs there."""

    def actor_send(self, target: ActorAddress, message: object, /) -> None: ...

    def createActor(self, actor: object, requirements: None, global_name: None, /) -> ActorAddress: ...

    def wakeupAfter(self, period: timedelta, payload: object, /) -> Any: ...


class Actor(_ThespianActor):
    """State of its own, one handler per message type, one message at a time, run to its end."""

    on_crash: ClassVar[OnCrash] = OnCrash.RESTART

    _myRef: Context | ThespianRef  # noqa: N815 - Thespian's name, which its own methods use.
    _handlers: ClassVar[dict[type, _Handler]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._handlers = {}

    # What an actor may add.

    def started(self) -> None:
        """Called once the actor can send, after creation and after each restart."""

    def stopping(self) -> None:
        """Called when the actor was asked to exit, while its children still live."""

    def crashed(self) -> None:
        """Called on an instance that is about to be thrown away: the last moment to tell its askers
        that it will not answer. Its state may be half changed, so it should do no more than that."""

    def receiveUnrecognizedMessage(self, message: object, sender: ActorAddress) -> None:
        """Called with a message no handler is named for: a bug, so it is logged and counted."""
        log.warning(
            "message.unexpected",
            actor=str(self.myAddress),
            message_type=type(message).__name__,
            sender=str(sender),
        )
        if isinstance(self._myRef, Context):
            self._myRef.count_unexpected()

    # What an actor may do.

    def send(self, target: ActorAddress, message: object) -> None:
        """Send a message. If the target is full, it comes back as Refused."""
        self._myRef.actor_send(target, message)

    def createActor(
        self, actor: Callable[_P, "Actor"], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> ActorAddress:
        """Create a child from its class, or from `named(...)`, and the arguments of its constructor."""
        if isinstance(self._myRef, Context):
            return self._myRef.create(actor, *args, **kwargs)
        if args or kwargs:
            raise TypeError("Thespian itself passes nothing to a constructor")
        return self._myRef.createActor(actor, None, None)

    def wakeupAfter(self, period: timedelta, payload: object = None) -> Timer:
        """Ask for a WakeupMessage; the timer can take it back. (On Thespian itself there is no timer.)"""
        return self._myRef.wakeupAfter(period, payload)

    # Dispatch, by the type of the message, then by its base classes.

    def receiveMessage(self, message: object, sender: ActorAddress) -> None:
        handler = self._handlers.get(message.__class__) or self._learn(message.__class__)
        result = handler(self, message, sender)
        if result is not None and result == self.SUPER:
            self._pass_on(message, sender)

    @classmethod
    def _learn(cls, message_type: type) -> _Handler:
        """Find the handler of a message type; the next message of that type is looked up in one step."""
        candidates = cls._candidates(message_type)
        if candidates:
            handler = candidates[0]
        elif issubclass(message_type, _UNREMARKABLE):
            handler = _ignore
        else:
            handler = cls.receiveUnrecognizedMessage
        cls._handlers[message_type] = handler
        return handler

    @classmethod
    def _candidates(cls, message_type: type) -> list[_Handler]:
        """Every handler that may take the message, the most specific first."""
        return [
            getattr(owner, name)
            for name in ("receiveMsg_" + base.__name__ for base in message_type.__mro__)
            for owner in cls.__mro__
            if name in vars(owner)
        ]

    def _pass_on(self, message: object, sender: ActorAddress) -> None:
        """A handler returned SUPER, Thespian's word for: let the next one in line have it."""
        for handler in self._candidates(type(message))[1:]:
            if handler(self, message, sender) != self.SUPER:
                return
        self.receiveUnrecognizedMessage(message, sender)


class ThreadActor(Actor):
    """An actor with a thread of its own, whose handlers may block: SQLite, LevelDB, fsync."""

    def batchEnded(self) -> None:
        """Called when no message is waiting any more: the time to commit what the burst brought."""


def _ignore(actor: Actor, message: object, sender: ActorAddress) -> None:
    """Nothing to do."""


# Naming


class Recipe(Generic[_P]):
    """How to make an actor: its class, what to call it, how much may wait for it."""

    __slots__ = ("capacity", "cls", "name")

    def __init__(self, cls: type[Actor], name: str, capacity: int) -> None:
        self.cls = cls
        self.name = name
        self.capacity = capacity

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Actor:
        return self.cls(*args, **kwargs)


def named(actor: Callable[_P, Actor], name: str, *, mailbox: int = MAILBOX_MESSAGES_MAX) -> Recipe[_P]:
    """An actor class under another name than its own, or with another capacity.

    It stands where the class would: `createActor(named(Shard, "shard-1", mailbox=64), store)`. So
    the arguments after it are the constructor's alone, and mypy still checks them.
    """
    assert isinstance(actor, type), "an actor is made from its class, so that it can be made again"
    assert issubclass(actor, Actor)
    return Recipe(actor, name, mailbox)


def recipe_of(actor: Callable[_P, Actor]) -> Recipe[_P]:
    """A class is a recipe under its own name: FetchDesk is called fetch_desk."""
    if isinstance(actor, Recipe):
        return actor
    return named(actor, re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", actor.__name__).lower())
