"""Cells: one actor each, from its creation to its end.

    deliver -> mailbox -> run -> take -> receiveMsg_X
    RUNNING <-> SUSPENDED (crashed, resting);  either -> STOPPING (children first) -> STOPPED

A cell is the actor's address, outlives its instances and keeps its mailbox over crashes. The loop
and the simulator run the same cells; they differ only in clock, order of turns and threads.
"""

from collections.abc import Callable
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, ParamSpec

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.alarms import Timer
from corvo.actors.kernel.api import Actor, Context, Recipe
from corvo.actors.kernel.backoff import RestartBackoff
from corvo.actors.kernel.mailbox import Mailbox, ThreadMailbox
from corvo.actors.kernel.messages import ActorExitRequest, ActorSystemMessage, Refused

if TYPE_CHECKING:
    from corvo.actors.kernel.system import System

_P = ParamSpec("_P")

_MICROSECOND: Final = timedelta(microseconds=1)


class Crash(ActorSystemMessage):
    """debug call -> actor: crash, now that it is your turn. Only chaos tests send it."""

    __slots__ = ()


class InjectedCrash(Exception):
    """This crash was ordered, by a test or a debug call."""


#: What a cell handles itself instead of passing it on as it is.
CONTROL: Final = frozenset({ActorExitRequest, Crash, Timer})


class CellState(Enum):
    """Where an actor is in its life."""

    RUNNING = "running"
    SUSPENDED = "suspended"
    STOPPING = "stopping"
    STOPPED = "stopped"


class Cell(ActorAddress, Context):
    """One actor: its address, its mailbox, its instance if it has one, its children."""

    __slots__ = (
        "_arguments",
        "_receive",
        "_timers",
        "backoff",
        "box",
        "children",
        "delivered",
        "instance",
        "name",
        "parent",
        "queued",
        "recipe",
        "running",
        "state",
        "system",
        "when_ended",
    )

    def __init__(
        self,
        system: "System",
        parent: "Cell | None",
        recipe: Recipe[...],
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
    ) -> None:
        self.system = system
        self.parent = parent
        self.recipe = recipe
        self.name = recipe.name
        self.box: Mailbox | ThreadMailbox = self._make_box(recipe.capacity)
        self.children: dict[Cell, None] = {}
        self.backoff = RestartBackoff()
        self.delivered = 0
        #: Written on the loop's thread only.
        self.state = CellState.SUSPENDED
        #: Whether there is an instance to give messages to. Written where its handlers run.
        self.running = False
        self.instance: Actor | None = None
        #: Whether it waits for its turn, or has it.
        self.queued = False
        #: What to call when the actor has stopped.
        self.when_ended: list[Callable[[], None]] = []
        self._arguments = arguments
        self._receive: Callable[[object, ActorAddress], None]
        self._timers: set[Timer] = set()

    def _make_box(self, capacity: int) -> Mailbox | ThreadMailbox:
        return Mailbox(capacity)

    # Receiving

    def deliver(self, message: object, sender: ActorAddress) -> None:
        if not self.box.put(message, sender):
            self._deliver_otherwise(message, sender)
        elif not self.queued:  # As in `_queue`; a call less, since every message comes through here.
            self.queued = True
            self.system.schedule(self)

    def _deliver_otherwise(self, message: object, sender: ActorAddress) -> None:
        """The box is closed or full."""
        if isinstance(message, ActorSystemMessage):
            self.notify(message, sender)
        elif self.state in (CellState.STOPPING, CellState.STOPPED):
            self.system.dead_letters.add(self, message, sender)
        elif self.box.is_full():
            self.box.waiting_max = max(self.box.waiting_max, len(self.box))
            self.system.refused += 1
            sender.refused(message, self)
        else:
            self.box.force(message, sender)

    def notify(self, message: object, sender: ActorAddress) -> None:
        if self.state is CellState.RUNNING:
            self.box.force(message, sender)
            self._queue()
        elif self.state is CellState.SUSPENDED:
            if type(message) is ActorExitRequest:
                self.system.supervisor.end_resting(self)
            else:
                self.box.force(message, sender)
        elif type(message) not in CONTROL:
            self.system.dead_letters.add(self, message, sender)

    def refused(self, message: object, target: ActorAddress) -> None:
        self.notify(Refused(message, target), target)

    def _queue(self) -> None:
        if not self.queued:
            self.queued = True
            self.system.schedule(self)

    # Running

    def run(self, messages_max: int) -> int:
        """Handle some of the waiting messages, and queue for another turn if there are more."""
        box = self.box
        assert isinstance(box, Mailbox)
        box.waiting_max = max(box.waiting_max, len(box))
        taken = 0
        try:
            while taken < messages_max and box and self.running:
                message, sender = box.popleft()
                taken += 1
                self.delivered += 1
                self.take(message, sender)
        finally:
            if box and self.running:
                self.system.schedule(self)
            else:
                self.queued = False
        return taken

    def take(self, message: object, sender: ActorAddress) -> None:
        """Let the actor handle one message; whatever it raises is a crash and goes no further."""
        try:
            if message.__class__ in CONTROL:
                self._control(message, sender)
            else:
                self._receive(message, sender)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # Also CancelledError, which must not end the turn either.
            self.fail(message, sender, error)

    def _control(self, message: object, sender: ActorAddress) -> None:
        if isinstance(message, Timer):
            self._timers.discard(message)
            wakeup = message.message()
            if wakeup is not None:
                self._receive(wakeup, self)
        elif isinstance(message, Crash):
            raise InjectedCrash(self.name)
        else:
            self._leave(message, sender)

    def _leave(self, request: object, sender: ActorAddress) -> None:
        """Let the actor say goodbye, then end it. An error there is noted but changes nothing."""
        for farewell in self._farewells(request, sender):
            error = attempt(farewell)
            if error is not None:
                self.enter(self.system.supervisor.note, self, request, error)
        self.running = False
        self.enter(self.system.supervisor.end, self)

    def _farewells(self, request: object, sender: ActorAddress) -> list[Callable[[], None]]:
        assert self.instance is not None
        return [lambda: self._receive(request, sender), self.instance.stopping]

    def fail(self, message: object, sender: ActorAddress | None, error: BaseException) -> None:
        """Throw the instance away and let the supervisor decide."""
        self.running = False
        instance, self.instance = self.instance, None
        if instance is not None:
            trouble = attempt(instance.crashed)
            if trouble is not None:
                self.enter(self.system.supervisor.note, self, message, trouble)
        self.enter(self.system.supervisor.judge, self, message, sender, error)

    def enter(self, call: Callable[_P, object], *args: _P.args, **kwargs: _P.kwargs) -> None:
        """Run something on the loop's thread, after all that was entered before."""
        call(*args, **kwargs)

    # Living

    def start(self) -> None:
        """Open the mailbox and make an instance."""
        self._open()
        self.build()
        if self.box:
            self._queue()

    def _open(self) -> None:
        self.state = CellState.RUNNING
        self.box.open()
        self.backoff.started(self.system.now_ns())

    def build(self) -> None:
        """Make an instance; a constructor that raises is a crash like any other."""
        error = attempt(self._build)
        if error is not None:
            self.fail(None, None, error)

    def _build(self) -> None:
        args, kwargs = self._arguments
        instance = self.recipe(*args, **kwargs)
        instance._myRef = self
        self.instance = instance
        self._receive = instance.receiveMessage
        self.running = True
        instance.started()

    def close(self, state: CellState) -> None:
        """Let all messages come by `_deliver_otherwise`, where this state decides over them."""
        self.state = state
        self.box.close()

    def release(self) -> None:
        """Let go of everything: other actors may keep the address for long."""
        assert self.state is CellState.STOPPING
        self.state = CellState.STOPPED
        self.instance = None
        self._arguments = ((), {})

    # What the instance may ask for, as Thespian names it.

    @property
    def address(self) -> ActorAddress:
        return self

    def actor_send(self, target: ActorAddress, message: object) -> None:
        target.deliver(message, self)

    def create(self, actor: Callable[_P, Actor], *args: _P.args, **kwargs: _P.kwargs) -> ActorAddress:
        cell = self.system.make_cell(actor, self, args, kwargs)
        self.enter(self.system.adopt, cell)
        return cell

    def wakeupAfter(self, period: timedelta, payload: object) -> Timer:
        timer = Timer(self, period, payload)
        self.enter(self._set_timer, timer, period)
        return timer

    def handleDeadLetters(self, address: ActorAddress, enable: bool) -> None:
        self.enter(self.system.dead_letters.handle, self, enable)

    def count_unexpected(self) -> None:
        self.enter(self.system.count_unexpected)

    # Timers

    def _set_timer(self, timer: Timer, period: timedelta) -> None:
        self._timers.add(timer)
        self.system.after(max(0, period // _MICROSECOND) * 1_000, timer)

    def drop_timer(self, timer: Timer) -> None:
        """Forget a timer that was cancelled."""
        self._timers.discard(timer)
        self.system.alarms.cancel(timer)

    def drop_timers(self) -> None:
        """Forget all timers: the instance that set them is gone."""
        for timer in self._timers:
            timer.revoke()
            self.system.alarms.cancel(timer)
        self._timers.clear()


def attempt(call: Callable[[], None]) -> BaseException | None:
    """Call an actor's code; what it raised, unless the process itself is to end."""
    try:
        call()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return error
    return None
