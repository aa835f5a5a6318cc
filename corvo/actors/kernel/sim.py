"""SimSystem: actors in virtual time, in an order drawn from a seed.

A test that passes on the loop has seen one order of events. Here each seed is another one: at
every step a random actor among those with messages handles one, alarms of the same instant ring
in random order, and thread actors take random time. The same seed always gives the same run.
"""

import random
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.alarms import Alarm, Call
from corvo.actors.kernel.asker import Asker
from corvo.actors.kernel.cell import Cell, CellState, InjectedCrash
from corvo.actors.kernel.messages import ActorExitRequest
from corvo.actors.kernel.system import System
from corvo.actors.kernel.thread import BurstCell
from corvo.core.clock import ManualClock

#: A run of this many steps without reaching its goal is taken for endless.
STEPS_MAX: Final = 100_000
#: A thread actor takes up to this long, in virtual time, before it handles a message.
THREAD_DELAY_NS_MAX: Final = 2_000_000
#: The trace keeps the most recent steps.
TRACE_STEPS_MAX: Final = 100_000

_MICROSECOND: Final = timedelta(microseconds=1)


class Stuck(Exception):
    """The simulation did not get where it should: nothing is left to do, or there is no end to it."""


class FailStopped(Exception):
    """An actor crashed that must not; a real process would be gone now."""


class SimStep(NamedTuple):
    """One message handled. Times count from the start of the simulation."""

    at_ns: int
    actor: str
    message_type: str
    sender: str


class SimSystem(System):
    """Nothing moves unless `advance`, `run`, `run_until_idle` or an answer's `result` is called."""

    thread_cell_class = BurstCell

    def __init__(
        self,
        seed: int,
        *,
        clock: ManualClock | None = None,
        fail_stop: Callable[[str], None] | None = None,
    ) -> None:
        self._random = random.Random(seed)  # noqa: S311 - it has to be repeatable, not secret.
        super().__init__(fail_stop or self._fail_stop, rank=lambda: self._random.getrandbits(32))
        #: The wall clock to give to actors; it moves with the simulation, and a test may make it jump.
        self.clock = clock or ManualClock()
        self.trace: deque[SimStep] = deque(maxlen=TRACE_STEPS_MAX)
        self._now_ns = 0
        self._ready: list[Cell] = []
        #: How many thread actors are at work: their alarms count as work, unlike those of other actors.
        self._threads_busy = 0
        self._failure: str | None = None

    def ask(self, target: ActorAddress, message: object) -> "SimAnswer":
        """Send a question; see `ActorSystem.ask`."""
        answer = SimAnswer(self)
        target.deliver(message, Asker(answer, self.dead_letters))
        return answer

    def crash(self, target: ActorAddress) -> None:
        """Let an actor crash between two messages, if it is running."""
        assert isinstance(target, Cell)
        if target.running:
            target.fail(None, None, InjectedCrash(target.name))
            self._raise_failure()

    # Running

    def run(self, until: Callable[[], bool], limit: int = STEPS_MAX) -> None:
        """Go on, letting time pass as needed, until the condition holds."""
        for _ in range(limit):
            if until():
                return
            if not self._step() and not self._pass_time(None):
                raise Stuck("nothing is left to do and the condition does not hold")
        raise Stuck(f"the condition does not hold after {limit} steps")

    def run_until_idle(self, limit: int = STEPS_MAX) -> None:
        """Go on until no message waits. Time passes only as far as thread actors need it."""
        for _ in range(limit):
            if not self._step() and not self._pass_time(None if self._threads_busy else self._now_ns):
                return
        raise Stuck(f"still not idle after {limit} steps")

    def advance(self, period: timedelta, limit: int = STEPS_MAX) -> None:
        """Let this much time pass, with all that happens meanwhile."""
        end_ns = self._now_ns + period // _MICROSECOND * 1_000
        for _ in range(limit):
            if not self._step() and not self._pass_time(end_ns):
                self._move_to(end_ns)
                return
        raise Stuck(f"still busy after {limit} steps")

    def stop(self, limit: int = STEPS_MAX) -> None:
        """End all actors in the order of `ActorSystem.stop`."""
        self._closed = True
        for cell in self._roots():
            if cell.state is not CellState.STOPPED:
                ended: list[bool] = []
                cell.when_ended.append(partial(ended.append, True))
                cell.notify(ActorExitRequest(), self.outside)
                self.run(partial(bool, ended), limit)

    def _step(self) -> bool:
        """Let one actor handle one message. False if no actor has any."""
        if not self._ready:
            return False
        chosen = self._random.randrange(len(self._ready))
        self._ready[chosen], self._ready[-1] = self._ready[-1], self._ready[chosen]
        cell = self._ready.pop()
        assert isinstance(cell.box, deque)
        if cell.running and cell.box:
            message, sender = cell.box[0]
            self.trace.append(SimStep(self._now_ns, cell.name, type(message).__name__, sender.name))
        cell.run(1)
        self._raise_failure()
        return True

    def schedule(self, cell: Cell) -> None:
        if not isinstance(cell, BurstCell):
            self._ready.append(cell)
            return
        self._threads_busy += 1
        self.after(self._random.randrange(THREAD_DELAY_NS_MAX), Call(lambda: self._thread_wakes(cell)))

    def _thread_wakes(self, cell: Cell) -> None:
        self._threads_busy -= 1
        self._ready.append(cell)

    # Time

    def now_ns(self) -> int:
        return self._now_ns

    def after(self, delay_ns: int, alarm: Alarm) -> None:
        self.alarms.add(self._now_ns + delay_ns, alarm)

    def _pass_time(self, end_ns: int | None) -> bool:
        """Go to the next alarm that is due by then, and ring it. False if there is none."""
        due_ns = self.alarms.next_ns()
        if due_ns is None or (end_ns is not None and due_ns > end_ns):
            return False
        self._move_to(due_ns)
        while (alarm := self.alarms.pop_due(due_ns)) is not None:
            alarm.ring()
        return True

    def _move_to(self, now_ns: int) -> None:
        assert now_ns >= self._now_ns
        self.clock.advance(ns=now_ns - self._now_ns)
        self._now_ns = now_ns

    # Failing

    def _fail_stop(self, reason: str) -> None:
        self._failure = reason

    def _raise_failure(self) -> None:
        # Not where it happened: that may be inside the handler of another actor, which would crash too.
        if self._failure is not None:
            reason, self._failure = self._failure, None
            raise FailStopped(reason)


class SimAnswer:
    """The future of the simulator: reading the result makes it happen."""

    def __init__(self, system: SimSystem) -> None:
        self._system = system
        self._done = False
        self._result: Any = None
        self._exception: Exception | None = None

    def done(self) -> bool:
        return self._done

    def result(self, limit: int = STEPS_MAX) -> Any:
        """Run the simulation until there is an answer; give it or raise it."""
        self._system.run(self.done, limit)
        if self._exception is not None:
            raise self._exception
        return self._result

    def cancel(self) -> None:
        """Go away without waiting: the answer becomes a dead letter."""
        if not self._done:
            self.set_exception(Stuck("the question was cancelled"))

    def set_result(self, result: Any, /) -> None:
        self._done = True
        self._result = result

    def set_exception(self, exception: Exception, /) -> None:
        self._done = True
        self._exception = exception
