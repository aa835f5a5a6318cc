"""Mirror builder: builds a new mirror beside the one in use, on a thread of its own.

    mirror writer --Build--> [builder] --Built--> mirror writer

It works in small steps and looks at its mailbox in between, so that a node can stop at any time. What it has
begun then leaves no trace. A writer makes one for each rebuild and ends it afterwards.
"""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import ClassVar, Final

from corvo.actors.kernel.api import ActorAddress, OnCrash, Refused, ThreadActor, WakeupMessage
from corvo.actors.mirror.messages import Build, BuildFailed, Building, Built
from corvo.storage.kv import Kv
from corvo.storage.mirror.rebuild import FAILURES, RebuildProgress, build

_TELL_AGAIN_AFTER: Final = timedelta(milliseconds=100)


class MirrorBuilder(ThreadActor):
    #: The writer decides whether and when to try again.
    on_crash: ClassVar[OnCrash] = OnCrash.STOP

    def __init__(self, kv: Kv, folder: Path, writer: ActorAddress) -> None:
        self._kv = kv
        self._folder = folder
        self._writer = writer
        self._steps: Generator[RebuildProgress, None, None] | None = None

    def receiveMsg_Build(self, msg: Build, sender: ActorAddress) -> None:
        self._steps = build(self._kv, self._folder)
        self._rest()

    def receiveMsg_WakeupMessage(self, msg: WakeupMessage, sender: ActorAddress) -> None:
        if msg.payload is not None:
            self.send(self._writer, msg.payload)
            return
        assert self._steps is not None
        try:
            progress = next(self._steps)
        except FAILURES as error:
            # No room, or LevelDB was closed under us. The generator has cleaned up.
            self.send(self._writer, BuildFailed(f"{type(error).__name__}: {error}"))
            return
        if progress.path is not None:
            self.send(self._writer, Built(progress.path, progress.jobs))
            return
        self.send(self._writer, Building(progress.jobs, progress.jobs_expected))
        self._rest()

    def receiveMsg_Refused(self, msg: Refused, sender: ActorAddress) -> None:
        """A writer that is flooded with entries may have no room. How far we are it need not know, but how it
        ended it must."""
        if isinstance(msg.message, Built | BuildFailed):
            self.wakeupAfter(_TELL_AGAIN_AFTER, msg.message)

    def stopping(self) -> None:
        if self._steps is not None:
            self._steps.close()

    def _rest(self) -> None:
        """Go on after whatever waits in the mailbox."""
        self.wakeupAfter(timedelta(0))
