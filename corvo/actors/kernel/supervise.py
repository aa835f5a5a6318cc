"""Supervision: what becomes of an actor that crashed, and how actors come to their end.

    crash -> judge -> suspend -> (children end) -> (rest) -> restart
                   -> end     -> (children end) -> gone, the parent is told

A crash throws the instance away, never the mailbox. The sender of the fatal message learns of it
(PoisonMessage; an asker's future raises ActorCrashed), then `on_crash` of the class decides. All
of this runs on the loop, also for actors that have a thread.
"""

import os
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import structlog

from corvo.actors.kernel.address import ActorAddress
from corvo.actors.kernel.alarms import Alarm, Call
from corvo.actors.kernel.api import OnCrash
from corvo.actors.kernel.cell import CONTROL, Cell, CellState
from corvo.actors.kernel.messages import (
    ActorExitRequest,
    ActorSystemMessage,
    ChildActorExited,
    PoisonMessage,
)

if TYPE_CHECKING:
    from corvo.actors.kernel.system import System

#: EX_SOFTWARE of sysexits.h: the process found itself in a state it must not go on from.
EXIT_CODE_FAIL_STOP: Final = 70

log = structlog.get_logger()


def exit_process(reason: str) -> None:
    """Die at once: no cleanup, since whatever cleans up may act on the wrong state."""
    log.critical("process.fail_stopped", reason=reason)
    os._exit(EXIT_CODE_FAIL_STOP)


class Supervisor:
    """Decides what becomes of crashed actors, and brings actors to their end."""

    __slots__ = ("_fail_stop", "_system", "crashes", "restarts")

    def __init__(self, system: "System", fail_stop: Callable[[str], None]) -> None:
        self._system = system
        self._fail_stop = fail_stop
        self.crashes = 0
        self.restarts = 0

    # Crashing

    def note(self, cell: Cell, message: object, error: BaseException) -> str:
        """Count and log a crash; the traceback as text."""
        self.crashes += 1
        log.error(
            "actor.crashed",
            actor=cell.name,
            message_type=None if message is None else type(message).__name__,
            on_crash=cell.recipe.cls.on_crash.value,
            exc_info=error,
        )
        return "".join(traceback.format_exception(error))

    def judge(self, cell: Cell, message: object, sender: ActorAddress | None, error: BaseException) -> None:
        """The instance is gone; tell the sender and choose what comes next."""
        details = self.note(cell, message, error)
        # The system's own messages have no sender that could do better the next time.
        if sender is not None and not isinstance(message, ActorSystemMessage | Alarm):
            sender.notify(PoisonMessage(message, details), cell)
        match cell.recipe.cls.on_crash:
            case OnCrash.RESTART:
                self._suspend(cell)
            case OnCrash.STOP:
                self.end(cell)
            case OnCrash.FAIL_STOP:
                self._fail_stop(f"{cell.name} crashed: {error!r}")
                self.end(cell)

    # Restarting

    def _suspend(self, cell: Cell) -> None:
        """Let it rest. Its children belonged to the instance, so they end with it."""
        if cell.box.holds(ActorExitRequest):
            self.end(cell)  # It was to exit soon anyway, and might never get to it.
            return
        cell.close(CellState.SUSPENDED)
        cell.drop_timers()
        delay_ns = cell.backoff.crashed(self._system.now_ns())
        restart = Call(lambda: self._restart(cell))
        self._end_children(cell, lambda: self._system.after(delay_ns, restart))

    def _restart(self, cell: Cell) -> None:
        if cell.state is CellState.SUSPENDED:  # It may have been asked to exit while it rested.
            self.restarts += 1
            cell.start()

    # Ending

    def end(self, cell: Cell) -> None:
        """Take no more messages, end the children, youngest first, and be gone."""
        cell.close(CellState.STOPPING)
        self._end_family(cell)

    def end_resting(self, cell: Cell) -> None:
        """End an actor that cannot be asked to, since it may never run again.

        Soon, not now: a parent with a thousand resting children must not become a thousand frames deep.
        """
        cell.close(CellState.STOPPING)
        self._system.after(0, Call(lambda: self._end_family(cell)))

    def _end_family(self, cell: Cell) -> None:
        cell.drop_timers()
        self._system.dead_letters.handle(cell, enable=False)
        for message, sender in cell.box.empty():
            if type(message) not in CONTROL:
                self._system.dead_letters.add(cell, message, sender)
        self._end_children(cell, lambda: self._ended(cell))

    def _end_children(self, cell: Cell, then: Callable[[], None]) -> None:
        if not cell.children:
            then()
            return
        youngest = next(reversed(cell.children))
        youngest.when_ended.append(lambda: self._end_children(cell, then))
        youngest.notify(ActorExitRequest(), cell)

    def _ended(self, cell: Cell) -> None:
        cell.release()
        self._system.retire(cell)
        parent = cell.parent
        if parent is not None:
            del parent.children[cell]
            # A parent that is ending or resting is not told: the child belonged to an instance that is gone.
            if parent.state is CellState.RUNNING:
                parent.notify(ChildActorExited(cell), self._system.outside)
        for call in cell.when_ended:
            call()
