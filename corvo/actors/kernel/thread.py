"""Thread actors: blocking work off the loop, in the same API.

    loop --SimpleQueue--> [thread of the actor] --inbox--> loop

Only handlers run on the thread. All else (delivery, timers, supervision, creation) is entered on
the loop in the order the actor did it, so the rest of the kernel needs no lock.
"""

import queue
import threading
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Any, Final, ParamSpec

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.api import Recipe, ThreadActor
from corvo.actors.kernel.cell import Cell, attempt
from corvo.actors.kernel.mailbox import Mailbox, ThreadMailbox

if TYPE_CHECKING:
    from corvo.actors.kernel.system import System

_P = ParamSpec("_P")

#: After this many calls from threads the loop gets to its sockets.
INBOX_CALLS_MAX: Final = 256
#: A thread that was told to end has nothing left to do but return.
JOIN_S_MAX: Final = 5.0


class BurstCell(Cell):
    """A cell that says when nothing is waiting any more. The simulator runs thread actors in it, inline."""

    __slots__ = ("_in_burst",)

    def __init__(
        self,
        system: "System",
        parent: Cell | None,
        recipe: Recipe[...],
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
    ) -> None:
        super().__init__(system, parent, recipe, arguments)
        #: Whether messages were handled that `batchEnded` was not called for yet.
        self._in_burst = False

    def build(self) -> None:
        self._in_burst = False  # What a crashed instance had begun is lost with it.
        super().build()

    def take(self, message: object, sender: ActorAddress) -> None:
        super().take(message, sender)
        if not self.running:
            return
        self._in_burst = True
        if not self.box:
            error = attempt(self._end_burst)
            if error is not None:
                self.fail(None, None, error)

    def _end_burst(self) -> None:
        self._in_burst = False
        assert isinstance(self.instance, ThreadActor)
        self.instance.batchEnded()

    def _farewells(self, request: object, sender: ActorAddress) -> list[Callable[[], None]]:
        farewells = super()._farewells(request, sender)
        return [self._end_burst, *farewells] if self._in_burst else farewells


class ThreadCell(BurstCell):
    """A cell whose instance lives on a thread of its own, from constructor to `stopping`."""

    __slots__ = ("_orders", "_thread")

    def __init__(
        self,
        system: "System",
        parent: Cell | None,
        recipe: Recipe[...],
        arguments: tuple[tuple[Any, ...], dict[str, Any]],
    ) -> None:
        super().__init__(system, parent, recipe, arguments)
        self._thread: threading.Thread | None = None
        #: What the loop wants next from a thread that has no instance: a new one, or its end.
        self._orders: queue.SimpleQueue[bool] = queue.SimpleQueue()
        # The thread waits at its mailbox, so there is never a turn to queue for.
        self.queued = True

    def _make_box(self, capacity: int) -> Mailbox | ThreadMailbox:
        return ThreadMailbox(capacity)

    def start(self) -> None:
        self._open()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name=f"actor-{self.name}", daemon=True)
            self._thread.start()
        self._orders.put(True)

    def release(self) -> None:
        if self._thread is not None:
            self._orders.put(False)
            self._thread.join(JOIN_S_MAX)
        super().release()

    # On the thread

    def _work(self) -> None:
        while self._orders.get():
            try:
                self._live()
            except BaseException as error:  # SystemExit, say: it ends a process on the main thread only.
                self.fail(None, None, error)

    def _live(self) -> None:
        box = self.box
        assert isinstance(box, ThreadMailbox)
        self.build()
        while self.running:
            message, sender = box.wait()
            self.delivered += 1
            self.take(message, sender)

    def enter(self, call: Callable[_P, object], *args: _P.args, **kwargs: _P.kwargs) -> None:
        self.system.enter(call, *args, **kwargs)

    def actor_send(self, target: ActorAddress, message: object) -> None:
        self.system.enter(target.deliver, message, self)


class Inbox:
    """Calls from threads, made on the loop in their order; one wake-up however many there are."""

    __slots__ = ("_calls", "_context", "_loop", "_woken")

    def __init__(self, loop: AbstractEventLoop, context: Context) -> None:
        self._loop = loop
        self._context = context
        self._calls: deque[tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]] = deque()
        self._woken = False

    def put(self, call: Callable[..., object], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Called on any thread. Two threads that wake the loop at once do no harm."""
        self._calls.append((call, args, kwargs))
        if not self._woken:
            self._wake()

    def _wake(self) -> None:
        self._woken = True
        try:
            self._loop.call_soon_threadsafe(self._run, context=self._context)
        except RuntimeError:
            # The loop was closed while a thread was still busy. There is no system left to tell.
            self._calls.clear()

    def _run(self) -> None:
        # First the flag, then the calls: what is put from now on is either seen below or wakes us again.
        self._woken = False
        try:
            for _ in range(min(len(self._calls), INBOX_CALLS_MAX)):
                call, args, kwargs = self._calls.popleft()
                call(*args, **kwargs)
        finally:
            if self._calls:
                self._wake()
