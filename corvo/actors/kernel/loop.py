"""ActorSystem: actors on the asyncio loop.

    tell, ask, send -> mailbox -> [run queue] -> one callback per turn of the loop -> handlers

There is no task and no callback per message: while anything waits, one callback is scheduled. It
handles a bounded number of messages and then lets the loop look at its sockets.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context
from functools import partial
from time import monotonic
from typing import Any, Final, ParamSpec

import structlog

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.alarms import Alarm
from corvo.actors.kernel.asker import Asker
from corvo.actors.kernel.cell import Cell, CellState
from corvo.actors.kernel.messages import ActorExitRequest
from corvo.actors.kernel.supervise import exit_process
from corvo.actors.kernel.system import System
from corvo.actors.kernel.thread import Inbox, ThreadCell
from corvo.observe.event_loop import running_loop_name

#: After about this many messages the loop gets to its sockets.
TURN_MESSAGES_MAX: Final = 256
#: After this many messages it is the next actor's turn.
SLICE_MESSAGES_MAX: Final = 64

_NS_PER_S: Final = 1_000_000_000

_P = ParamSpec("_P")

log = structlog.get_logger()


class ActorSystem(System):
    """Make one inside a running loop, and use it from that loop's thread."""

    thread_cell_class = ThreadCell

    def __init__(self, *, fail_stop: Callable[[str], None] = exit_process) -> None:
        super().__init__(fail_stop)
        self._loop = asyncio.get_running_loop()
        # uvloop's clock stands still for a turn and counts whole milliseconds; this is the same one, running.
        self._time = monotonic if running_loop_name() == "uvloop" else self._loop.time
        # Actors serve many requests in one turn, so they run in a context of their own: the id of
        # the request that woke the system must not appear in the log lines of all other requests.
        self._context = Context()
        self._inbox = Inbox(self._loop, self._context)
        self._ready: deque[Cell] = deque()
        self._turning = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ns = 0

    def ask(self, target: ActorAddress, message: object) -> asyncio.Future[Any]:
        """Send a question; the first message sent back is the answer.

        Raises MailboxFull at once. The future raises what the actor answered with if that is an
        exception, ActorCrashed if it crashed over the question, ActorStopped if it was not there
        to handle it. It waits for ever if the actor never answers: use `asyncio.timeout`.
        """
        future: asyncio.Future[Any] = self._loop.create_future()
        target.deliver(message, Asker(future, self.dead_letters))
        return future

    async def stop(self, timeout: float) -> tuple[str, ...]:
        """End all actors, youngest first and each with its children; the names of those that did not end.

        Each handles what waits for it, and is gone before the next is asked to exit, so what it
        says last still arrives. One that hangs may use up half of the time that is left.
        """
        self._closed = True
        deadline = self._loop.time() + timeout
        for cell in self._roots():
            if cell.state is not CellState.STOPPED:
                ended = self._loop.create_future()
                cell.when_ended.append(partial(ended.set_result, None))
                cell.notify(ActorExitRequest(), self.outside)
                await asyncio.wait([ended], timeout=max(0, (deadline - self._loop.time()) / 2))
        left = tuple(self._cells)
        if left:
            log.error("actors.not_stopped", actors=left)
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None
        return left

    # Turns

    def schedule(self, cell: Cell) -> None:
        self._ready.append(cell)
        if not self._turning:
            self._turning = True
            self._loop.call_soon(self._turn, context=self._context)

    def _turn(self) -> None:
        ready = self._ready
        messages_left = TURN_MESSAGES_MAX
        try:
            while ready and messages_left > 0:
                messages_left -= ready.popleft().run(SLICE_MESSAGES_MAX)
        finally:
            if ready:
                self._loop.call_soon(self._turn, context=self._context)
            else:
                self._turning = False

    # Time

    def now_ns(self) -> int:
        return round(self._time() * _NS_PER_S)

    def after(self, delay_ns: int, alarm: Alarm) -> None:
        due_ns = self.now_ns() + delay_ns
        self.alarms.add(due_ns, alarm)
        if self._timer is None or due_ns < self._timer_ns:
            self._arm(due_ns)

    def _arm(self, due_ns: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ns = due_ns
        delay_s = max(0, due_ns - self.now_ns()) / _NS_PER_S
        self._timer = self._loop.call_later(delay_s, self._ring, context=self._context)

    def _ring(self) -> None:
        self._timer = None
        now_ns = self.now_ns()
        try:
            while (alarm := self.alarms.pop_due(now_ns)) is not None:
                alarm.ring()
        finally:
            next_ns = self.alarms.next_ns()
            if next_ns is not None:
                self._arm(next_ns)

    # Threads

    def enter(self, call: Callable[_P, object], *args: _P.args, **kwargs: _P.kwargs) -> None:
        self._inbox.put(call, args, kwargs)
